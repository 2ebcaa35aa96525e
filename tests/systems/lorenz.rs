//! Lorenz, Deterministic nonperiodic flow, J. Atmos. Sci. 20 (1963).

pub(crate) const U: [f64; 3] = [1.0, 2.0, 20.0];
pub(crate) const P: [f64; 3] = [10.0, 28.0, 8.0 / 3.0];

systems! {
    /// Convection in a layer, in three modes.
    pub(crate) fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
        let [x, y, z] = *u;
        let [sigma, rho, beta] = *p;
        du[0] = sigma * (y - x);
        du[1] = x * (rho - z) - y;
        du[2] = x * y - beta * z;
    }
}
