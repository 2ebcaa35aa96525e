//! Robertson's reaction: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.1.

pub(crate) const U: [f64; 3] = [1.0, 1e-4, 0.2];
pub(crate) const P: [f64; 3] = [0.04, 3e7, 1e4];

systems! {
    /// Three species on three time scales.
    pub(crate) fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
        let [a, b, c] = *u;
        let [k1, k2, k3] = *p;
        let slow = k1 * a;
        let fast = k2 * b * b;
        let back = k3 * b * c;
        du[0] = back - slow;
        du[1] = slow - back - fast;
        du[2] = fast;
    }
}
