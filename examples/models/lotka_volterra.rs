//! Lotka (1925), Volterra (1926); the parameters are those of SciML's documentation.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [1.0, 1.0];
/// Standard parameters.
pub const P: [f64; 4] = [1.5, 1.0, 3.0, 1.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 10.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [1.0263447675751, 0.90969107813604];

/// Prey and predators.
#[ode_system]
pub fn lotka_volterra(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 4], _t: f64) {
    let [prey, predators] = *u;
    let [birth, eaten, death, fed] = *p;
    du[0] = birth * prey - eaten * prey * predators;
    du[1] = fed * prey * predators - death * predators;
}
