//! Remainders of floats, and predicates on them.

pub(crate) const U: [f64; 4] = [5.3, -1.7, 0.4, 2.2];
pub(crate) const P: [f64; 2] = [0.9, 24.0];

systems! {
    pub(crate) fn remainders(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 2], t: f64) {
        let [a, b, c, d] = *u;
        // Hours of the day.
        let hour = (7.0 * t).rem_euclid(p[1]);
        let day = if hour > 6.0 && hour < 18.0 { (hour - 6.0) * (18.0 - hour) } else { 0.0 };
        du[0] = day * a % b;
        let mut phase = a * t;
        phase %= p[0];
        du[1] = if c.is_sign_negative() { phase * d } else { b - phase };
        du[2] = a.div_euclid(p[0]) * c + d.rem_euclid(-1.5);
        let ratio = b / (c - c.abs());
        du[3] = if ratio.is_finite() { ratio } else { -d % 0.75 };
    }
}
