//! Sums over trajectories with the same bits for any distribution of the work.
//!
//! The order of the additions depends only on the number of trajectories. Blocks of [`BLOCK`]
//! trajectories are summed pairwise: neighbours, then neighbouring pairs, and so on. The sums of
//! the blocks are added in the same way. A pairwise sum of `n` numbers has an error of `log2 n`
//! units in the last place (N. J. Higham, "The accuracy of floating point summation", SIAM J. Sci.
//! Comput. 14 (1993) 783–799).

use crate::evaluation::EvaluationThreads;
use crate::summary::tree;

/// Number of trajectories that one thread sums at a time.
pub(super) const BLOCK: usize = 256;

/// Returns the sums of `count` numbers per trajectory over `n` trajectories.
///
/// `put(i, sums)` adds the numbers of trajectory `i` to zeros.
pub(super) fn tree(
    threads: EvaluationThreads,
    n: usize,
    count: usize,
    put: &(dyn Fn(usize, &mut [f64]) + Sync),
) -> Vec<f64> {
    pairwise(nodes(threads, n, BLOCK, count, put), count)
}

/// Returns the nodes of the summation tree at the level of `unit` trajectories.
///
/// Each node is a row of `count` numbers. `unit` is a power of two; the last node may have fewer
/// trajectories. [`pairwise`] sums the nodes. If an ensemble is cut at multiples of `unit`, its
/// nodes are the nodes of the cut pieces, one after the other.
pub(super) fn nodes(
    threads: EvaluationThreads,
    n: usize,
    unit: usize,
    count: usize,
    put: &(dyn Fn(usize, &mut [f64]) + Sync),
) -> Vec<f64> {
    let unit = unit.max(1);
    let sums = threads.collect(n.div_ceil(unit), &|node| {
        let from = node * unit;
        let within = unit.min(n - from);
        let mut rows = vec![0.0; within * count];
        for (k, row) in rows.chunks_mut(count.max(1)).enumerate() {
            put(from + k, row);
        }
        pairwise(rows, count)
    });
    sums.concat()
}

/// Returns the number of trajectories of a node if several processes compute the nodes.
///
/// The number is a power of two such that each process has some nodes.
pub(super) fn unit(n: usize, processes: usize) -> usize {
    let each = n / (4 * processes.max(1));
    if each == 0 { 1 } else { BLOCK.min(1 << each.ilog2()) }
}

/// Sums rows of `count` numbers: neighbours, then neighbours among these sums, and so on.
pub(super) fn pairwise(mut rows: Vec<f64>, count: usize) -> Vec<f64> {
    tree::pairwise(&mut rows, count, |left, right| {
        left.iter_mut().zip(right).for_each(|(sum, term)| *sum += term);
    });
    rows.resize(count, 0.0);
    rows
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
            let alone = tree(EvaluationThreads::Caller, n, 2, &put);
            let together = tree(EvaluationThreads::Pool, n, 2, &put);
            assert_eq!(alone, together);
            assert_eq!(alone[1], (n * n.saturating_sub(1)) as f64 / 2.0);
            for processes in [1, 3, 4, 64] {
                let unit = unit(n, processes);
                let parts: Vec<f64> = (0..processes)
                    .flat_map(|rank| {
                        let nodes = n.div_ceil(unit);
                        let from = nodes * rank / processes * unit;
                        let to = n.min(nodes * (rank + 1) / processes * unit);
                        let put = |i: usize, sums: &mut [f64]| put(from + i, sums);
                        super::nodes(
                            EvaluationThreads::Caller,
                            to.saturating_sub(from),
                            unit,
                            2,
                            &put,
                        )
                    })
                    .collect();
                assert_eq!(alone, pairwise(parts, 2), "{n} {processes}");
            }
            let backwards: f64 = (0..n).rev().map(|i| 1.0 / (1.0 + i as f64)).sum();
            assert!((alone[0] - backwards).abs() <= 1e-14 * backwards.max(1.0));
        }
    }
}
