use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const RATE: f64 = 0.5;
    du[0] = RATE * u[1];
    du[1] = -u[0];
}
