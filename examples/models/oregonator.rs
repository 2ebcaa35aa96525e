//! Field and Noyes, Oscillations in chemical systems, Journal of Chemical Physics 60 (1974); OREGO
//! in Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [1.0, 2.0, 3.0];
/// Standard parameters.
pub const P: [f64; 3] = [77.27, 8.375e-6, 0.161];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 360.0);
/// The state at the end of the span, by `tools/references.py`. It agrees with the Bari test set to
/// 12 digits.
pub const REFERENCE: [f64; 3] = [1.0008148703185, 1228.1785215499, 132.05549428465];

/// The reaction of Belousov and Zhabotinskii: bromous acid, bromide and cerium.
#[ode_system]
pub fn oregonator(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [s, q, w] = *p;
    du[0] = s * (y + x * (1.0 - q * x - y));
    du[1] = (z - (1.0 + x) * y) / s;
    du[2] = w * (x - z);
}
