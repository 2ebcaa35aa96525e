//! High irradiance response of photomorphogenesis: Hairer, Wanner, Solving Ordinary Differential
//! Equations II, IV.10.

pub(crate) const U: [f64; 8] = [1.0, 0.2, 0.1, 0.3, 0.2, 0.1, 0.05, 0.0057];
pub(crate) const P: [f64; 0] = [];

systems! {
    /// Eight species, rates as numbers, no parameters.
    pub(crate) fn hires(du: &mut [f64; 8], y: &[f64; 8], _: &[f64; 0], _t: f64) {
        let exchange = 280.0 * y[5] * y[7];
        du[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        du[1] = 1.71 * y[0] - 8.75 * y[1];
        du[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        du[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        du[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        du[5] = -exchange + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        du[6] = exchange - 1.81 * y[6];
        du[7] = -du[6];
    }
}
