//! Tables of all kinds, looked up linearly and cubically.
//!
//! They are constants inside and outside, of either precision, rows of matrices, states and
//! parameters.

use odes::{interp_cubic, interp_linear, interp_linear_at};

pub(crate) const U: [f64; 4] = [3.3, -2.1, 1.4, 4.6];
pub(crate) const P: [f64; 5] = [0.7, 1.9, -0.4, 2.3, 0.6];

/// Wind by the hour.
pub(crate) const WIND: [f64; 7] = [0.2, 1.7, -0.9, 3.1, 2.2, 0.4, 1.5];
/// A table in the other precision.
pub(crate) const COARSE: [f32; 3] = [1.5, -0.25, 4.0];
/// Two curves.
const ROWS: [[f64; 4]; 2] = [[1.0, 0.5, 0.25, 0.125], [0.1, 0.4, 1.6, 6.4]];

systems! {
    pub(crate) fn tables(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 5], t: f64) {
        const INSIDE: [f64; 5] = [0.0, 2.0, -1.0, 0.5, 3.0];
        const INSIDE_AT: [f64; 5] = [-4.0, -1.0, 0.5, 2.0, 3.75];

        /// A table by reference.
        fn gust(table: &[f64; 7], x: f64) -> f64 {
            interp_linear(table, x) * table[3]
        }

        let [a, b, c, d] = *u;
        let wind = interp_cubic(&WIND, 0.4 * t) + gust(&WIND, a);
        let curve = |row: f64, x: f64| {
            if row > 0.0 { odes::interp_cubic(&ROWS[1], x) } else { interp_linear(&ROWS[0], x) }
        };
        du[0] = wind * interp_linear(&INSIDE, b * b) - ROWS[1][2];
        // The derivatives are with respect to the entries and the position.
        du[1] = interp_cubic(p, 2.0 + a) * c + interp_linear(&[a, b, d], 1.0 + 0.3 * c);
        du[2] = curve(b, 0.7 * c) + interp_cubic(&INSIDE, d) - interp_linear(&INSIDE, 2.25);
        let two = [p[1], INSIDE[3]];
        du[3] = interp_cubic(&two, 0.2 * d) + interp_linear(&[c], 0.5) + WIND[1] * d;
        // Points at uneven abscissae.
        let at = [p[2] - 2.0, p[2] + 0.5, p[2] + 2.25];
        du[3] += interp_linear_at(&at, &[p[0], p[1], c], d) + interp_linear_at(&INSIDE_AT, &INSIDE, a);
        // Many of them, which a binary search finds.
        let many: [f64; 70] = std::array::from_fn(|k| 0.003 * (k as f64) * (k as f64) - 5.0);
        let values: [f64; 70] = std::array::from_fn(|k| 0.125 * (k * 29 % 23) as f64);
        du[2] += interp_linear_at(&many, &values, d);
    }
}
