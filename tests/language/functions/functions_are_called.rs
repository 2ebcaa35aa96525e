use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    du[0] = rate * u[0];
    du[1] = -u[1];
}
