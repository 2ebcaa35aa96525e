//! The Brusselator: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, I.16.

pub(crate) const U: [f64; 2] = [1.5, 3.0];
pub(crate) const P: [f64; 2] = [1.0, 3.0];

systems! {
    /// An autocatalytic reaction.
    pub(crate) fn brusselator(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
        let [x, y] = *u;
        let [a, b] = *p;
        let autocatalysis = x * x * y;
        du[0] = a + autocatalysis - (b + 1.0) * x;
        du[1] = b * x - autocatalysis;
    }
}
