use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate = 0.1_f64;
    du[0] = rate * u[1];
    du[1] = -u[0];
}
