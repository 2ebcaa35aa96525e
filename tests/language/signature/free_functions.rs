use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1]) {
    du[0] = -p[0] * u[0];
}
