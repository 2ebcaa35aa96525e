//! VDPOL: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10. Van der Pol's
//! oscillator with mu = 1000 in the time t / mu.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [2.0, 0.0];
/// Standard parameters: 1 / mu².
pub const P: [f64; 1] = [1e-6];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 2.0);
/// The state at the end of the span, by `tools/references.py`. It agrees with Hairer's and with the
/// Bari test set to 12 digits.
pub const REFERENCE: [f64; 2] = [1.7061677321705, -0.89280970102482];

/// Slow on two branches of a cubic, and fast from one to the other.
#[ode_system]
pub fn stiff_van_der_pol(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let [x, v] = *u;
    let [epsilon] = *p;
    du[0] = v;
    du[1] = ((1.0 - x * x) * v - x) / epsilon;
}
