//! Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, I.16.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [1.5, 3.0];
/// Standard parameters.
pub const P: [f64; 2] = [1.0, 3.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [0.49863707126835, 4.596780349452];

/// An autocatalytic reaction.
#[ode_system]
pub fn brusselator(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let [x, y] = *u;
    let [a, b] = *p;
    du[0] = a + x * x * y - (b + 1.0) * x;
    du[1] = b * x - x * x * y;
}
