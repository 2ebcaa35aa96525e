//! The lowest levels of the tree of [moments], many pairs at a time.
//!
//! [`moments::join`] defines the operations and their order. Here the rows of some trajectories are
//! transposed, `[number][trajectory]`, so compilers turn the joins of neighbours into vector
//! instructions. If every trajectory has a value, the counts of a level are equal powers of two.
//! Then a product with the reciprocal of `a b (a + b)` has the bits of the quotient.

use super::moments;
use super::tree::pairwise;
use core::ops::Range;

/// Memory of transposed rows that stays in the nearest cache.
const BYTES: usize = 1 << 14;

/// Joins the rows of trajectories. The memory serves all calls.
#[derive(Default)]
pub(super) struct Rows {
    /// The rows of a level of the tree: counts, sums and products, `[number][row]`.
    level: Vec<f64>,
    /// The rows of the next level.
    next: Vec<f64>,
    /// The differences of pairs of sums, `[number][pair]`.
    differences: Vec<f64>,
    /// Joined rows, `[row][number]`.
    joined: Vec<f64>,
}

impl Rows {
    /// Returns the row of a node of the tree, which has `n` trajectories with `w` numbers each.
    ///
    /// `values` are `[number * n + trajectory]`, and `n` is a power of two. A trajectory with a NaN
    /// does not contribute.
    pub(super) fn node(&mut self, w: usize, n: usize, values: &[f64]) -> Vec<f64> {
        let len = moments::length(w);
        let together = n.min(1 << (BYTES / (len * size_of::<f64>())).max(1).ilog2());
        self.joined.clear();
        for first in (0..n).step_by(together) {
            self.add(w, n, first..first + together, values);
        }
        pairwise(&mut self.joined, len, |left, right| moments::join(w, left, right));
        self.joined[..len].to_vec()
    }

    /// Appends the joined row of some of the trajectories.
    fn add(&mut self, w: usize, n: usize, some: Range<usize>, values: &[f64]) {
        let (len, m) = (moments::length(w), some.len());
        let Rows { level, next, differences, joined } = self;
        level.clear();
        level.resize(len * m, 0.0);
        let (counts, rest) = level.split_at_mut(m);
        let rows = || (0..w).map(|d| &values[d * n..][some.clone()]);
        let complete = rows().all(|row| !row.iter().fold(false, |any, x| any | x.is_nan()));
        counts.fill(1.0);
        if complete {
            rest.chunks_exact_mut(m).zip(rows()).for_each(|(sums, row)| sums.copy_from_slice(row));
        } else {
            for row in rows() {
                counts
                    .iter_mut()
                    .zip(row)
                    .for_each(|(count, x)| *count = unless(x.is_nan(), *count));
            }
            for (sums, row) in rest.chunks_exact_mut(m).zip(rows()) {
                let sums = sums.iter_mut().zip(row).zip(&*counts);
                sums.for_each(|((sum, x), count)| *sum = unless(*count == 0.0, *x));
            }
        }
        let (mut of, mut count) = (m, 1.0);
        while of > 1 {
            let equal = complete.then_some(count);
            next.resize(len * of / 2, 0.0);
            differences.resize(w * of / 2, 0.0);
            join_pairs(w, of, equal, level, next, differences);
            core::mem::swap(level, next);
            (of, count) = (of / 2, 2.0 * count);
        }
        joined.extend_from_slice(&level[..len]);
    }
}

/// Returns a number, or 0 if it is absent.
#[inline]
fn unless(absent: bool, number: f64) -> f64 {
    if absent { 0.0 } else { number }
}

/// Joins `n` rows in pairs. `equal` is the count of each row if all counts are equal.
fn join_pairs(
    w: usize,
    n: usize,
    equal: Option<f64>,
    from: &[f64],
    to: &mut [f64],
    differences: &mut [f64],
) {
    let half = n / 2;
    let (from, sums, products) = (&from[..n], &from[n..][..w * n], &from[(1 + w) * n..]);
    let (to, rest) = to.split_at_mut(half);
    let (to_sums, to_products) = rest.split_at_mut(w * half);
    let counts = || from.chunks_exact(2);

    for ((sums, to), t) in sums
        .chunks_exact(n)
        .zip(to_sums.chunks_exact_mut(half))
        .zip(differences.chunks_exact_mut(half))
    {
        let pairs = sums.chunks_exact(2).zip(to.iter_mut().zip(t));
        match equal {
            Some(count) => pairs.for_each(|(pair, (to, t))| {
                *t = pair[0] * count - pair[1] * count;
                *to = pair[0] + pair[1];
            }),
            None => pairs.zip(counts()).for_each(|((pair, (to, t)), count)| {
                *t = pair[0] * count[1] - pair[1] * count[0];
                *to = pair[0] + pair[1];
            }),
        }
    }
    let mut products = products.chunks_exact(n).zip(to_products.chunks_exact_mut(half));
    for i in 0..w {
        for j in i..w {
            let Some((products, to)) = products.next() else { return };
            let [ti, tj] = [i, j].map(|d| &differences[d * half..][..half]);
            let pairs = products.chunks_exact(2).zip(to).zip(ti.iter().zip(tj));
            match equal {
                Some(count) => {
                    let reciprocal = 1.0 / (count * count * (count + count));
                    pairs.for_each(|((pair, to), (ti, tj))| {
                        *to = (pair[0] + pair[1]) + ti * (tj * reciprocal);
                    });
                }
                None => pairs.zip(counts()).for_each(|(((pair, to), (ti, tj)), count)| {
                    let (a, b) = (count[0], count[1]);
                    let sum = pair[0] + pair[1];
                    let deviation = ti * (tj / (a * b * (a + b)));
                    *to = if (a > 0.0) & (b > 0.0) { sum + deviation } else { sum };
                }),
            }
        }
    }
    to.iter_mut().zip(counts()).for_each(|(to, count)| *to = count[0] + count[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::moments::tests::row;

    /// The definition joins whole rows. Infinities make NaN, which compares by its bits here.
    #[test]
    fn pairs_have_the_bits_of_single_joins() {
        let bits = |row: &[f64]| row.iter().map(|x| crate::summary::tree::to_bits(*x)).collect();
        let mut rows = Rows::default();
        for (w, n) in [0, 1, 2, 3, 8, 40].into_iter().flat_map(|w| [1, 2, 64, 256].map(|n| (w, n)))
        {
            for special in [1.5, f64::NAN, f64::INFINITY, 1e200, 1e-170] {
                let value = |i: usize, d: usize| match (i * i + d) % 11 {
                    3 => special,
                    k => (k as f64 - 4.0) / (i + d + 1) as f64,
                };
                let of: Vec<Vec<f64>> =
                    (0..n).map(|i| (0..w).map(|d| value(i, d)).collect()).collect();
                let transposed: Vec<f64> =
                    (0..w).flat_map(|d| (0..n).map(move |i| value(i, d))).collect();
                let [found, expected]: [Vec<u64>; 2] =
                    [bits(&rows.node(w, n, &transposed)), bits(&row(w, &of))];
                assert_eq!(found, expected, "{w} numbers, {n} trajectories, {special}");
            }
        }
    }
}
