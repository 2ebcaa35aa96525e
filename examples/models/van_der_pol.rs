//! Van der Pol, On relaxation-oscillations, Philosophical Magazine 2 (1926).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [2.0, 0.0];
/// Standard parameters.
pub const P: [f64; 1] = [5.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [-1.6012968795429, 0.19832667633866];

/// A triode's circuit: an oscillator with negative friction near rest.
#[ode_system]
pub fn van_der_pol(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let [x, v] = *u;
    let [mu] = *p;
    du[0] = v;
    du[1] = mu * (1.0 - x * x) * v - x;
}
