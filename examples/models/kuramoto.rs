//! Kuramoto, Self-entrainment of a population of coupled non-linear oscillators (1975).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 8] = [0.1, 0.9, 1.6, 2.7, 3.1, 4.0, 4.8, 5.9];
/// Standard parameters: the frequencies, and the coupling.
pub const P: [f64; 9] = [-0.9, -0.6, -0.4, -0.1, 0.2, 0.3, 0.7, 0.8, 1.5];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 20.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 8] = [
    -0.97927743076494,
    -0.71140808219034,
    -0.55227669336864,
    -0.32638108323968,
    6.17890565116,
    6.2540466885247,
    6.5738291112952,
    6.6625618385836,
];

/// Phases of oscillators that attract each other.
#[ode_system]
pub fn kuramoto(u: &[f64; 8], p: &[f64; 9], _t: f64) -> [f64; 8] {
    let [frequencies @ .., coupling] = *p;
    std::array::from_fn(|i| {
        let drawn: f64 = u.iter().map(|phase| (phase - u[i]).sin()).sum();
        frequencies[i] + coupling / u.len() as f64 * drawn
    })
}
