use odes::lane::Real;
use odes::ode_system;

#[ode_system]
pub(crate) fn rule<R: Real>(du: &mut [R; 1], u: &[R; 1]) {
    du[0] = -u[0];
}
