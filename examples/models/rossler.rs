//! Rössler, An equation for continuous chaos, Physics Letters A 57 (1976).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [1.0, 1.0, 0.0];
/// Standard parameters.
pub const P: [f64; 3] = [0.2, 0.2, 5.7];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [-4.0477976003363, 7.1064400675598, 0.02988957633239];

/// The simplest chaotic flow: one quadratic term.
#[ode_system]
pub fn rossler(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [a, b, c] = *p;
    du[0] = -y - z;
    du[1] = x + a * y;
    du[2] = b + z * (x - c);
}
