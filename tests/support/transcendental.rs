//! A system of elementary functions.

use odes::prelude::*;

/// A forced oscillator with every elementary function except `ln` and `tan`, and little else.
#[ode_system]
pub(crate) fn transcendental(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], t: f64) {
    let [x, v] = *u;
    let [k, c] = *p;
    du[0] = v * (-0.1 * x * x).exp();
    du[1] = -k * x.sin() - c * (v * v + 0.01).powf(0.75) * v.tanh() + (0.7 * t).cos();
}
