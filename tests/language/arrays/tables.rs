use odes::{interp_linear, ode_system};

const WIND: [f64; 4] = [0.2, 1.7, -0.9, 3.1];

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = interp_linear(&WIND, 0.2 * t) - u[0];
    du[1] = u[0];
}
