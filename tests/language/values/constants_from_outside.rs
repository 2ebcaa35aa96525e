use odes::ode_system;

const RATES: [f64; 2] = [0.5, 0.25];

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const FIRST: usize = 0;
    du[0] = RATES[FIRST] * u[FIRST];
    du[1] = std::f64::consts::PI - u[1];
}
