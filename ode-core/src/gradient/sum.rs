//! Sums over trajectories that have the same bits whoever computes them.
//!
//! The order of the additions depends on the number of trajectories alone: blocks of [`BLOCK`], and
//! within a block and between blocks pairs of neighbours, pairs of pairs, and so on. A pairwise sum
//! of `n` numbers has an error of `log2 n` units in the last place (N. J. Higham, "The accuracy of
//! floating point summation", SIAM J. Sci. Comput. 14 (1993) 783–799).

use crate::workers::Workers;

/// Trajectories that one worker adds up at a time.
const BLOCK: usize = 256;

/// The sum of `count` numbers of each of `n` trajectories; `put(i, sums)` adds those of trajectory
/// `i` to zeros.
pub(super) fn tree(
    workers: Workers,
    n: usize,
    count: usize,
    put: &(dyn Fn(usize, &mut [f64]) + Sync),
) -> Vec<f64> {
    let blocks = n.div_ceil(BLOCK);
    let mut rows = workers.collect(blocks, |block| {
        let from = block * BLOCK;
        let rows = (from..n.min(from + BLOCK)).map(|i| {
            let mut row = vec![0.0; count];
            put(i, &mut row);
            row
        });
        pairwise(rows.collect(), count)
    });
    if rows.len() > 1 {
        rows = vec![pairwise(rows, count)];
    }
    rows.pop().unwrap_or_else(|| vec![0.0; count])
}

/// The sum of rows: of neighbours, of neighbours among these sums, and so on.
fn pairwise(mut rows: Vec<Vec<f64>>, count: usize) -> Vec<f64> {
    while rows.len() > 1 {
        let half = rows.len().div_ceil(2);
        for k in 0..half {
            let mut sum = core::mem::take(&mut rows[2 * k]);
            if let Some(other) = rows.get(2 * k + 1) {
                sum.iter_mut().zip(other).for_each(|(sum, number)| *sum += number);
            }
            rows[k] = sum;
        }
        rows.truncate(half);
    }
    rows.pop().unwrap_or_else(|| vec![0.0; count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_do_not_depend_on_workers() {
        for n in [0, 1, 2, 3, 255, 256, 257, 1000, 10_000] {
            let put = |i: usize, sums: &mut [f64]| {
                sums[0] += 1.0 / (1.0 + i as f64);
                sums[1] += i as f64;
            };
            let alone = tree(Workers::Caller, n, 2, &put);
            let together = tree(Workers::Pool, n, 2, &put);
            assert_eq!(alone, together);
            assert_eq!(alone[1], (n * n.saturating_sub(1)) as f64 / 2.0);
            let backwards: f64 = (0..n).rev().map(|i| 1.0 / (1.0 + i as f64)).sum();
            assert!((alone[0] - backwards).abs() <= 1e-14 * backwards.max(1.0));
        }
    }
}
