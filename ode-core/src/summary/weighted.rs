//! Statistics with a weight for each trajectory.
//!
//! A row of moments has the sum `W` of the weights, the sum of their squares divided by `W^2`, the
//! mean of each number, and for each pair of numbers the mean of the products of their deviations,
//! `[W, v, m.., c00, c01.., c11, ..]`. All entries but the first do not depend on the scale of the
//! weights, so weights of any magnitude neither overflow nor vanish. Rows are joined by the formula
//! of D. H. D. West, "Updating mean and variance estimates: an improved method", Communications of
//! the ACM 22 (1979) 532–535, for two sets.
//!
//! Counters of quantiles and histograms have sums of weights in units of `2^-64`. They are integers,
//! so their order changes no bit. Sums stop at the largest integer in any order, too.

use super::moments;
use super::rows::Rows;
use super::tree::pairwise;
use crate::error::SummaryError;

/// The number of weight units in 1.
const UNITS: f64 = 18_446_744_073_709_551_616.0;

/// Returns a weight in units of `2^-64`, rounded to nearest.
#[inline]
pub(super) fn units(weight: f64) -> u128 {
    (weight * UNITS).round() as u128
}

/// Returns the weight of a number of units.
pub(super) fn weight(units: u128) -> f64 {
    units as f64 / UNITS
}

/// Adds integer weights; the same in any order.
#[inline]
pub(super) fn add(sum: &mut u128, more: u128) {
    *sum = sum.saturating_add(more);
}

/// Checks that integers resolve the weights of `count` trajectories, with the sum `total`.
///
/// The relative error of the sum is at most `2^-20`.
pub(super) fn check_scale(total: u128, count: u64) -> Result<(), SummaryError> {
    // Each weight has an error of half a unit.
    let resolved = total >> 19 >= u128::from(count);
    match count == 0 || (resolved && total < u128::MAX) {
        true => Ok(()),
        false => Err(SummaryError::WeightScale { total: weight(total), count }),
    }
}

/// The form of the rows of moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowForm {
    /// The count of numbers of a trajectory.
    pub(super) numbers: usize,
    pub(super) weighted: bool,
}

impl RowForm {
    /// Returns the length of a row.
    pub(super) fn length(self) -> usize {
        moments::length(self.numbers) + usize::from(self.weighted)
    }

    /// Joins the row `right` of later trajectories to `left`.
    pub(super) fn join(self, left: &mut [f64], right: &[f64]) {
        match self.weighted {
            true => join(self.numbers, left, right),
            false => moments::join(self.numbers, left, right),
        }
    }

    /// Returns the row of a node of the tree, which has `n` trajectories.
    ///
    /// `values` are `[number * n + trajectory]`. A trajectory with a NaN does not contribute, and
    /// all others have positive weights.
    pub(super) fn node(
        self,
        n: usize,
        values: &[f64],
        weights: Option<&[f64]>,
        rows: &mut Rows,
    ) -> Vec<f64> {
        let Some(weights) = weights else { return rows.node(self.numbers, n, values) };
        let (w, len) = (self.numbers, self.length());
        let mut rows = vec![0.0; n * len];
        for (k, (row, weight)) in rows.chunks_exact_mut(len).zip(weights).enumerate() {
            let numbers = || (0..w).map(|d| values[d * n + k]);
            if numbers().any(f64::is_nan) || weight.is_nan() {
                continue;
            }
            (row[0], row[1]) = (*weight, 1.0);
            row[2..].iter_mut().zip(numbers()).for_each(|(mean, value)| *mean = value);
        }
        pairwise(&mut rows, len, |left, right| self.join(left, right));
        rows.truncate(len);
        rows.shrink_to_fit();
        rows
    }

    /// Returns the number of values, or their effective number.
    pub(super) fn effective(self, row: &[f64]) -> f64 {
        match self.weighted {
            true if row[1] > 0.0 => 1.0 / row[1],
            true => 0.0,
            false => row[0],
        }
    }

    /// Returns the mean of number `i`.
    pub(super) fn mean(self, row: &[f64], i: usize) -> f64 {
        match self.weighted {
            true if row[0] > 0.0 => row[2 + i],
            true => f64::NAN,
            false => row[1 + i] / row[0],
        }
    }

    /// Returns the covariance of numbers `i <= j`.
    pub(super) fn covariance(self, row: &[f64], i: usize, j: usize) -> f64 {
        let at = moments::product(self.numbers, i, j);
        match self.weighted {
            true if row[1] > 0.0 && row[1] < 1.0 => row[1 + at] / (1.0 - row[1]),
            false if row[0] >= 2.0 => row[at] / (row[0] - 1.0),
            _ => f64::NAN,
        }
    }
}

/// Joins the row `right` of later trajectories to `left`. Both have `w` numbers and weights.
fn join(w: usize, left: &mut [f64], right: &[f64]) {
    let (a, b) = (left[0], right[0]);
    if b == 0.0 {
        return;
    }
    if a == 0.0 {
        left.copy_from_slice(right);
        return;
    }
    let sum = a + b;
    let (p, q) = (a / sum, b / sum);
    (left[0], left[1]) = (sum, p * p * left[1] + q * q * right[1]);
    let mut at = 2 + w;
    for i in 0..w {
        let t = p * q * (right[2 + i] - left[2 + i]);
        for j in i..w {
            let other = right[2 + j] - left[2 + j];
            left[at] = p * left[at] + q * right[at] + t * other;
            at += 1;
        }
    }
    for (left, right) in left[2..2 + w].iter_mut().zip(&right[2..]) {
        let difference = *right - *left;
        // Infinite values have an infinite mean, and the difference of large ones may overflow.
        let finite = difference.is_finite();
        *left = if finite { *left + q * difference } else { p * *left + q * *right };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(w: usize, values: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
        let form = RowForm { numbers: w, weighted: true };
        let n = values.len();
        let transposed: Vec<f64> =
            (0..w).flat_map(|d| values.iter().map(move |row| row[d])).collect();
        form.node(n, &transposed, Some(weights), &mut Rows::default())
    }

    /// Integer weights are repetitions of a trajectory, and powers of two scale exactly.
    #[test]
    fn weighted_moments_are_exact_to_rounding() {
        let form = RowForm { numbers: 2, weighted: true };
        let n = 500_i64;
        let values: Vec<[i64; 2]> =
            (0..n).map(|i| [1_000_000 + i * i * 31 % 1009, i % 17 - 3 * (i * i % 101)]).collect();
        let weights: Vec<i64> = (0..n).map(|i| i * 7 % 13).collect();
        let sum = |f: &dyn Fn(&[i64; 2]) -> i128| {
            values.iter().zip(&weights).map(|(row, k)| i128::from(*k) * f(row)).sum::<i128>()
        };
        let rows: Vec<Vec<f64>> = values.iter().map(|row| row.map(|x| x as f64).to_vec()).collect();
        let total = sum(&|_| 1);
        let squares: i64 = weights.iter().map(|k| k * k).sum();
        let effective = (total * total) as f64 / squares as f64;
        let mut first = None;
        for scale in [1.0, 2.0_f64.powi(-600), 2.0_f64.powi(300)] {
            let weights: Vec<f64> = weights
                .iter()
                .map(|k| if *k == 0 { f64::NAN } else { *k as f64 * scale })
                .collect();
            let found = row(2, &rows, &weights);
            assert_eq!(found[0], total as f64 * scale);
            assert!((form.effective(&found) / effective - 1.0).abs() < 1e-14);
            for (i, j) in [(0, 0), (0, 1), (1, 1)] {
                let [a, b] = [i, j].map(|k| sum(&|row| row[k].into()));
                assert!((form.mean(&found, i) / (a as f64 / total as f64) - 1.0).abs() < 1e-15);
                let products = sum(&|row| i128::from(row[i]) * i128::from(row[j]));
                let exact = (total * products - a * b) as f64 / (total * total) as f64;
                let exact = exact / (1.0 - 1.0 / effective);
                let error = form.covariance(&found, i, j) / exact - 1.0;
                assert!(error.abs() < 1e-12, "{scale} {i} {j}: {error}");
            }
            let first = first.get_or_insert_with(|| found.clone());
            assert_eq!(first[1..], found[1..]);
        }
    }

    #[test]
    fn weights_of_one_are_no_weights() {
        let [plain, weighted] = [false, true].map(|weighted| RowForm { numbers: 1, weighted });
        let values: Vec<f64> = (0..256).map(|i| f64::from(i * i % 37)).collect();
        let mut rows = Rows::default();
        let a = plain.node(256, &values, None, &mut rows);
        let b = weighted.node(256, &values, Some(&[1.0; 256]), &mut rows);
        assert_eq!((a[0], plain.effective(&a)), (b[0], weighted.effective(&b)));
        let pairs = [
            (plain.mean(&a, 0), weighted.mean(&b, 0)),
            (plain.covariance(&a, 0, 0), weighted.covariance(&b, 0, 0)),
        ];
        for (a, b) in pairs {
            assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
        }
    }

    #[test]
    fn infinities_constants_and_few_values() {
        let form = RowForm { numbers: 1, weighted: true };
        let of = |values: &[f64], weights: &[f64]| {
            let values: Vec<Vec<f64>> = values.iter().map(|x| vec![*x]).collect();
            row(1, &values, weights)
        };
        let mean = |values: &[f64]| form.mean(&of(values, &[0.3, 2.0, 5.0, 0.7]), 0);
        let inf = f64::INFINITY;
        assert_eq!(mean(&[inf, 1.0, inf, 2.0]), inf);
        assert!(mean(&[inf, -inf, 0.0, 0.0]).is_nan());
        let large = mean(&[f64::MAX, -f64::MAX, f64::MAX, -f64::MAX]);
        assert!((large / f64::MAX - 2.6 / 8.0).abs() < 1e-15, "{large}");
        let constant = of(&[5.1; 4], &[0.3, 2.0, 5.0, 0.7]);
        assert_eq!((constant[2], constant[3]), (5.1, 0.0));
        let one = of(&[5.1, f64::NAN], &[0.25, 1.0]);
        assert_eq!(one, [0.25, 1.0, 5.1, 0.0]);
        assert!(form.covariance(&one, 0, 0).is_nan());
        let none = of(&[f64::NAN, f64::NAN], &[1.0, 1.0]);
        assert!(form.mean(&none, 0).is_nan() && form.covariance(&none, 0, 0).is_nan());
        assert_eq!((form.effective(&none), form.effective(&one)), (0.0, 1.0));
    }

    #[test]
    fn weight_units_round_to_nearest() {
        let unit = 0.5_f64.powi(64);
        assert_eq!([0.0, 0.4 * unit, 0.6 * unit, unit].map(units), [0, 0, 1, 1]);
        assert_eq!(units(1.5), 3 << 63);
        assert_eq!(weight(units(0.1)), 0.1);
        assert_eq!(units(1e30), u128::MAX);
        let mut sum = u128::MAX - 1;
        add(&mut sum, 5);
        assert_eq!(sum, u128::MAX);
        assert!(check_scale(units(1.0), 1000).is_ok() && check_scale(0, 0).is_ok());
        for (total, count) in [(sum, 1), (1000 << 18, 1000), (0, 1)] {
            let error = check_scale(total, count).unwrap_err();
            assert!(matches!(error, SummaryError::WeightScale { .. }), "{error}");
        }
    }
}
