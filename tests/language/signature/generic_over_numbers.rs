use odes::lane::Real;
use odes::ode_system;

#[ode_system]
pub(crate) fn rule<R: Real>(du: &mut [R; 2], u: &[R; 2]) {
    du[0] = u[1];
    du[1] = -u[0] * R::lit(0.5);
}
