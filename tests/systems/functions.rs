//! Every function of the subset, in a system without meaning.

pub(crate) const U: [f64; 12] = [0.8, 1.3, 0.6, 2.1, -0.9, 0.4, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
pub(crate) const P: [f64; 3] = [0.7, 1.9, -0.8];

systems! {
    /// Elementary functions of states, parameters and the time.
    pub(crate) fn functions(du: &mut [f64; 12], u: &[f64; 12], p: &[f64; 3], t: f64) {
        let [a, b, c, d, e, f, ..] = *u;
        du[0] = a.sqrt() + (b * p[0]).exp() - (c * t + 1.0).ln();
        du[1] = (a * t).sin() * b.cos() + f.tan() + (e * p[2]).tanh();
        du[2] = a.powf(p[1]) + b.powf(2.5) + 2.0_f64.powf(c) + d.powf(0.5) + d.powf(1.0) + a.powf(e);
        du[3] = d.powi(5) + a.powi(-3) + e.powi(2) + e.powi(0) + f.powi(1) - b.powi(-1);
        du[4] = e.abs() * a.min(c) + b.max(p[1]) + (e + 0.9).abs().min(f);
        du[5] = d.recip() + a.mul_add(b, c) + f64::sin(e) + f64::mul_add(a, p[0], t);
        du[6] = (a * p[2]).exp2() + b.exp_m1() - c.ln_1p() + (a * p[0]).log2() + b.log10() + e.cbrt();
        du[7] = f.asin() - a * c.acos() + (b * e).atan() + e.atan2(a) + p[0].atan2(b) + c.hypot(d * t);
        du[8] = (a * p[2]).sinh() + e.cosh() + (d + e).asinh() + (b + 1.0).acosh() + f.atanh();
        du[9] = (3.0 * d).floor() * a + (e * 2.5).ceil() + (e * 5.0).trunc() * f + (d * 1.7).round()
            + (d * 3.0).round_ties_even() * c + (d * p[2]).fract();
        du[10] = e.signum() * b + a.copysign(e) - e.copysign(f) + c.clamp(0.5, 0.8) + b.log(d)
            + (t * a).to_radians() + f.to_degrees() + f64::hypot(1.0, e);
        let (sine, cosine) = (d + t).sin_cos();
        du[11] = sine * u[6] + cosine * u[7] + u[8] * u[9] + u[10] - u[11];
    }
}
