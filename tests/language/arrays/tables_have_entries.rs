use odes::{interp_cubic, interp_linear, ode_system};

const WIND: [f64; 4] = [2.0, 3.5, 1.0, 0.5];

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 3], t: f64) {
    du[0] = interp_cubic(&WIND, t) - u[0];
    du[1] = interp_linear(p, 1.0 + u[0]) * u[1];
}
