//! Means and sums of products of deviations.
//!
//! A row has the count of values, the sum of each of `w` numbers, and for each pair of numbers the
//! sum of the products of their deviations from the means, `[n, s.., c00, c01.., c11, ..]`. Rows
//! are joined by the formula of E. A. Youngs and E. M. Cramer, "Some results relevant to choice of
//! sum and sum-of-product algorithms", Technometrics 13 (1971) 657–665, for two sets. So the
//! relative error of a variance is about `eps |mean| / sd` and not `eps (mean / sd)^2`, as of sums of
//! squares (T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample
//! variance", The American Statistician 37 (1983) 242–247).

pub(super) use crate::solution::reduction::row_length as length;

/// Returns the offset in a row of the products of numbers `i <= j`.
pub(super) const fn product(w: usize, i: usize, j: usize) -> usize {
    1 + w + i * w - i * i.saturating_sub(1) / 2 + (j - i)
}

/// Joins the row `right` of later trajectories to `left`. Both have `w` numbers.
#[inline]
pub(super) fn join(w: usize, left: &mut [f64], right: &[f64]) {
    let (a, b) = (left[0], right[0]);
    let joint = a > 0.0 && b > 0.0;
    let scale = a * b * (a + b);
    let mut at = 1 + w;
    for i in 0..w {
        let t = left[1 + i] * b - right[1 + i] * a;
        for j in i..w {
            left[at] += right[at];
            if joint {
                // The order of the factors avoids overflow of the square.
                let other = left[1 + j] * b - right[1 + j] * a;
                left[at] += t * (other / scale);
            }
            at += 1;
        }
    }
    left[0] = a + b;
    for i in 0..w {
        left[1 + i] += right[1 + i];
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::summary::tree::pairwise;

    /// Writes the row of one trajectory with these values.
    ///
    /// `None` for a trajectory that does not contribute.
    fn leaf(row: &mut [f64], values: Option<&[f64]>) {
        row.fill(0.0);
        if let Some(values) = values {
            row[0] = 1.0;
            row[1..=values.len()].copy_from_slice(values);
        }
    }

    /// Returns the row of some trajectories with `w` values each.
    pub(in crate::summary) fn row(w: usize, values: &[Vec<f64>]) -> Vec<f64> {
        let len = length(w);
        let mut rows = vec![0.0; len * values.len()];
        for (row, values) in rows.chunks_mut(len).zip(values) {
            leaf(row, values.iter().all(|x| !x.is_nan()).then_some(values));
        }
        pairwise(&mut rows, len, |a, b| join(w, a, b));
        rows.truncate(len);
        rows
    }

    /// Integers have exact sums, so two passes in `i128` are the reference.
    #[test]
    fn moments_are_exact_to_rounding() {
        for offset in [0_i64, 1_000_000_000] {
            for n in [1, 2, 3, 100, 1023, 4096] {
                let values: Vec<[i64; 2]> = (0..n)
                    .map(|i: i64| [offset + i * i * 31 % 1009, -3 * (i * i * 31 % 1009) + i % 17])
                    .collect();
                let rows: Vec<Vec<f64>> =
                    values.iter().map(|row| row.map(|x| x as f64).to_vec()).collect();
                let found = row(2, &rows);
                let sum = |f: &dyn Fn(&[i64; 2]) -> i128| values.iter().map(f).sum::<i128>();
                let n = i128::from(n);
                assert_eq!(found[0], n as f64);
                for (i, j) in [(0, 0), (0, 1), (1, 1)] {
                    let [a, b] = [i, j].map(|k| sum(&|row| row[k].into()));
                    assert_eq!(found[1 + i], a as f64);
                    // n times the sum of products, without rounding.
                    let exact = n * sum(&|row| i128::from(row[i]) * i128::from(row[j])) - a * b;
                    let exact = exact as f64 / n as f64;
                    let error = (found[product(2, i, j)] - exact).abs();
                    // The mean has an error of offset * 2^-53.
                    assert!(error <= 1e-12 * exact.abs(), "{n} {offset} {i} {j}: {error}");
                }
            }
        }
    }

    /// Differences of values are integers in units of `unit`, so sums in `i128` are the reference.
    #[test]
    fn errors_grow_with_the_mean_over_the_deviation() {
        let near = |n: i32| (0..n).map(|i| 1e9 + f64::from(i % 7) * 1e-3);
        let far = |n: i32| (0..n).map(|i| 1e15 + f64::from(i % 7));
        for n in [7, 100, 4096, 20_000] {
            for (unit, values) in
                [(2_f64.powi(-23), near(n).collect::<Vec<_>>()), (0.125, far(n).collect())]
            {
                let rows: Vec<Vec<f64>> = values.iter().map(|x| vec![*x]).collect();
                let found = row(1, &rows)[2];
                let integers = values.iter().map(|x| ((x - values[0]) / unit) as i128);
                let integers: Vec<i128> = integers.collect();
                let sum = |f: &dyn Fn(i128) -> i128| integers.iter().map(|x| f(*x)).sum::<i128>();
                let n = i128::from(n);
                let exact = (n * sum(&|x| x * x) - sum(&|x| x).pow(2)) as f64;
                let exact = exact / n as f64 * unit * unit;
                let bound = f64::EPSILON * values[0] / (exact / n as f64).sqrt();
                let error = (found / exact - 1.0).abs();
                assert!(error < bound, "{n} {unit}: {error} {bound}");
            }
        }
    }

    /// NumPy's variance is NaN.
    #[test]
    fn one_infinity_makes_an_infinite_variance() {
        for n in [2, 3, 7, 64] {
            for at in 0..n {
                for infinity in [f64::INFINITY, f64::NEG_INFINITY] {
                    let value = |i| if i == at { infinity } else { f64::from(i % 3) };
                    let values: Vec<Vec<f64>> = (0..n).map(|i| vec![value(i)]).collect();
                    assert_eq!(row(1, &values)[1..], [infinity, f64::INFINITY], "{n} {at}");
                }
            }
        }
    }

    #[test]
    fn absent_values_change_nothing() {
        let values: Vec<Vec<f64>> = (0..500).map(|i| vec![f64::from(i % 7)]).collect();
        let mut gaps = values.clone();
        gaps.resize(512, vec![f64::NAN]);
        assert_eq!(row(1, &gaps), row(1, &values));
        assert_eq!(row(1, &[vec![f64::NAN], vec![2.0], vec![f64::NAN]]), [1.0, 2.0, 0.0]);
        assert_eq!(row(1, &[vec![f64::NAN], vec![f64::NAN]]), [0.0; 3]);
    }

    /// Squares of these values exceed the range, and their variance does not.
    #[test]
    fn large_and_small_values_keep_their_variance() {
        for scale in [1e150, 1e-150] {
            let values: Vec<Vec<f64>> = (0..64).map(|i| vec![scale * f64::from(i)]).collect();
            let [_, _, squares] = row(1, &values)[..] else { unreachable!() };
            let exact = (64.0 * 4095.0 / 12.0) * scale * scale;
            assert!((squares / exact - 1.0).abs() < 1e-13, "{squares} {exact}");
        }
    }

    #[test]
    fn rows_have_each_pair_once() {
        for w in 1..6 {
            let mut offsets = (0..w).flat_map(|i| (i..w).map(move |j| product(w, i, j)));
            assert!((1 + w..length(w)).all(|at| offsets.next() == Some(at)));
            assert_eq!(offsets.next(), None);
        }
    }
}
