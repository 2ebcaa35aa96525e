//! Every function of the subset, in a system of no meaning.

pub(crate) const U: [f64; 6] = [0.8, 1.3, 0.6, 2.1, -0.9, 0.4];
pub(crate) const P: [f64; 3] = [0.7, 1.9, -0.8];

systems! {
    /// Elementary functions of states, parameters and the time.
    pub(crate) fn functions(du: &mut [f64; 6], u: &[f64; 6], p: &[f64; 3], t: f64) {
        let [a, b, c, d, e, f] = *u;
        du[0] = a.sqrt() + (b * p[0]).exp() - (c * t + 1.0).ln();
        du[1] = (a * t).sin() * b.cos() + f.tan() + (e * p[2]).tanh();
        du[2] = a.powf(p[1]) + b.powf(2.5) + 2.0_f64.powf(c) + d.powf(0.5) + d.powf(1.0) + a.powf(e);
        du[3] = d.powi(5) + a.powi(-3) + e.powi(2) + e.powi(0) + f.powi(1) - b.powi(-1);
        du[4] = e.abs() * a.min(c) + b.max(p[1]) + (e + 0.9).abs().min(f);
        du[5] = d.recip() + a.mul_add(b, c) + f64::sin(e) + f64::mul_add(a, p[0], t);
    }
}
