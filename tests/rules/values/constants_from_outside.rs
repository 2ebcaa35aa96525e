use odes::ode_system;

const RATE: f64 = 0.5;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const FIRST: usize = 0;
    du[0] = RATE * u[FIRST];
    du[1] = std::f64::consts::PI - u[1];
}
