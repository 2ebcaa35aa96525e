//! Robertson (1966); Hairer and Wanner, Solving Ordinary Differential Equations II, IV.1.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [1.0, 0.0, 0.0];
/// Standard parameters.
pub const P: [f64; 3] = [0.04, 3e7, 1e4];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 1e11);
/// The state at the end of the span, by `tools/references.py`. It agrees with the Bari test set to
/// 13 digits.
pub const REFERENCE: [f64; 3] = [2.0833401497013e-8, 8.3333607703348e-14, 0.99999997916652];

/// Three species on three time scales.
#[ode_system]
pub fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [a, b, c] = *u;
    let [k1, k2, k3] = *p;
    let slow = k1 * a;
    let fast = k2 * b * b;
    let back = k3 * b * c;
    du[0] = back - slow;
    du[1] = slow - back - fast;
    du[2] = fast;
}
