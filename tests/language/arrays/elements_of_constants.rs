use odes::ode_system;

const RATES: [f64; 3] = [0.5, 1.5, 2.5];

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = RATES[i + 1] * u[i];
    }
}
