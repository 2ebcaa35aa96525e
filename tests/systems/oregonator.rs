//! The Oregonator: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.10.

pub(crate) const U: [f64; 3] = [1.0, 2.0, 3.0];
pub(crate) const P: [f64; 3] = [77.27, 8.375e-6, 0.161];

systems! {
    /// The Belousov-Zhabotinskii reaction.
    pub(crate) fn oregonator(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
        let [x, y, z] = *u;
        let [s, q, w] = *p;
        du[0] = s * (y + x * (1.0 - q * x - y));
        du[1] = (z - (1.0 + x) * y) / s;
        du[2] = w * (x - z);
    }
}
