//! Schäfer, A new approach to explain the "high irradiance responses" of photomorphogenesis, Journal of
//! Mathematical Biology 2 (1975); HIRES in Hairer and Wanner, Solving Ordinary Differential Equations
//! II, IV.10.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
/// Standard parameters.
pub const P: [f64; 10] = [1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280.0, 0.69, 0.69, 0.0007];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 321.8122);
/// The state at its end, by `tools/references.py`. The Bari test set's agrees to 13 digits.
pub const REFERENCE: [f64; 8] = [
    7.3713125733257e-4,
    1.4424857263162e-4,
    5.8887297409676e-5,
    0.0011756513432831,
    0.0023863561988313,
    0.0062389682527428,
    0.0028499983951858,
    0.0028500016048142,
];

/// How light steers the growth of plants: phytochrome in its red and far-red absorbing forms, free,
/// bound to the receptors X and X', and with an enzyme.
#[ode_system]
pub fn hires(du: &mut [f64; 8], u: &[f64; 8], p: &[f64; 10], _t: f64) {
    let [red, far_red, red_x, far_red_x, red_y, far_red_y, complex, enzyme] = *u;
    let [k1, k2, k3, k4, k5, k6, bind, unbind, decay, supply] = *p;
    let bound = bind * far_red_y * enzyme - unbind * complex;
    let released = (decay + k2) * complex;
    du[0] = -k1 * red + k2 * far_red + k6 * red_x + supply;
    du[1] = k1 * red - (k2 + k3) * far_red;
    du[2] = -(k6 + k1) * red_x + k2 * far_red_x + k5 * red_y;
    du[3] = k3 * far_red + k1 * red_x - (k4 + k2) * far_red_x;
    du[4] = -(k5 + k1) * red_y + k2 * (far_red_y + complex);
    du[5] = k4 * far_red_x + k1 * red_y - k2 * far_red_y - bound;
    du[6] = bound - released;
    du[7] = released - bound;
}
