use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].powi(2);
    du[1] = -u[0];
}
