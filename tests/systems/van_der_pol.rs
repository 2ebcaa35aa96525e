//! Van der Pol, On relaxation-oscillations, Phil. Mag. 2 (1926).

pub(crate) const U: [f64; 2] = [2.0, 0.5];
pub(crate) const P: [f64; 1] = [5.0];

systems! {
    /// An oscillator whose friction is negative near rest.
    pub(crate) fn van_der_pol(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
        let [x, v] = *u;
        let mu = p[0];
        du[0] = v;
        du[1] = mu * ((1.0 - x * x) * v) - x;
    }
}
