use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut rates: [f64; 2] = [0.0; 2];
    rates[0] = u[1];
    du[0] = rates[0];
    du[1] = -u[0];
}
