//! FitzHugh, Impulses and physiological states in theoretical models of nerve membrane, Biophysical
//! Journal 1 (1961); Nagumo, Arimoto and Yoshizawa, Proceedings of the IRE 50 (1962).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [-1.0, 1.0];
/// Standard parameters.
pub const P: [f64; 4] = [0.7, 0.8, 12.5, 0.5];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 100.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [-0.49966393864433, -0.21107037612913];

/// A nerve cell that fires, in two variables.
#[ode_system]
pub fn fitzhugh_nagumo(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 4], _t: f64) {
    let [v, w] = *u;
    let [a, b, tau, current] = *p;
    du[0] = v - v.powi(3) / 3.0 - w + current;
    du[1] = (v + a - b * w) / tau;
}
