//! FitzHugh, Impulses and physiological states, Biophys. J. 1 (1961).

pub(crate) const U: [f64; 2] = [-1.0, 0.5];
pub(crate) const P: [f64; 4] = [0.7, 0.8, 12.5, 0.5];

systems! {
    /// A neuron in two variables.
    pub(crate) fn fitzhugh_nagumo(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 4], _t: f64) {
        let [v, w] = *u;
        let [a, b, tau, current] = *p;
        du[0] = v - v.powi(3) / 3.0 - w + current;
        du[1] = (v + a - b * w) / tau;
    }
}
