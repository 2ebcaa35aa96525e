use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = 10.0_f64.powi(40) * u[1];
    du[1] = -u[0];
}
