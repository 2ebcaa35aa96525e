//! Sums over base samples in consecutive groups, and resamples of the groups.

use crate::problem::draw::values::Stream;
use crate::random;
use crate::summary::tree::{Forest, LEVEL, Node, pairwise, pieces};
use core::ops::Range;

/// The largest number of groups.
const MOST: u64 = 64;

/// The purpose of the random words of resamples.
const RESAMPLES: u64 = 17;

/// The sums that an analysis needs of one output.
///
/// A row has the sums over some base samples. Its first number is their count.
pub(super) trait Rows: core::fmt::Debug + Send + Sync {
    /// Returns the length of a row.
    fn len(&self) -> usize;

    /// Writes the row of one base sample, whose trajectories have these finite outputs.
    fn leaf(&self, base: u64, outputs: &[f64], row: &mut [f64]);

    /// Joins the row of later base samples to `left`.
    ///
    /// Both rows have base samples.
    fn join(&self, left: &mut [f64], right: &[f64]);

    /// Changes a row to the row of its base samples repeated `times` times.
    fn repeat(&self, row: &mut [f64], times: f64);

    /// Returns the number of results for each input.
    fn results(&self) -> usize;

    /// Writes the results of a row, `[result * inputs + input]`.
    fn write_results(&self, row: &[f64], out: &mut [f64]);
}

/// Joins the row of later base samples to `left`; rows may be empty.
fn join(rows: &dyn Rows, left: &mut [f64], right: &[f64]) {
    if right[0] == 0.0 {
        return;
    }
    match left[0] == 0.0 {
        true => left.copy_from_slice(right),
        false => rows.join(left, right),
    }
}

/// The groups of an analysis: a power of two of consecutive base samples each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    level: u32,
    count: usize,
}

impl Groups {
    /// Returns the groups of `bases` base samples.
    pub(super) fn of(bases: u64) -> Self {
        let length = bases.div_ceil(MOST).max(1).next_power_of_two();
        Groups { level: length.ilog2(), count: bases.div_ceil(length) as usize }
    }

    /// Returns empty sums of one output.
    pub(super) fn sums(self) -> Sums {
        Sums { groups: self, forests: vec![Forest::default(); self.count] }
    }

    /// Returns the number of times that a bootstrap resample contains each group.
    ///
    /// The first groups have the `bases` base samples that were solved.
    pub(super) fn resample(self, seed: u64, resample: usize, bases: u64) -> Vec<u32> {
        let stream = Stream { seed, index: resample as u64, purpose: RESAMPLES }.numbers();
        let groups = bases.div_ceil(1 << self.level);
        let mut times = vec![0; self.count];
        for draw in 0..groups {
            let word = random::words::<f64>(draw, &stream)[0];
            times[((word * groups) >> 32) as usize] += 1;
        }
        times
    }
}

/// The sums of one output in each group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    groups: Groups,
    forests: Vec<Forest>,
}

impl Sums {
    /// Adds base samples, each with `len` outputs in order.
    ///
    /// A base sample with an output that is not finite does not contribute.
    pub(super) fn add(&mut self, rows: &dyn Rows, bases: Range<u64>, len: usize, outputs: &[f64]) {
        let (first, width) = (bases.start, rows.len());
        let mut block = Vec::new();
        for piece in pieces(bases, LEVEL) {
            let length = (piece.end - piece.start).min(1 << self.groups.level);
            for start in piece.step_by(length as usize) {
                block.clear();
                block.resize(length as usize * width, 0.0);
                for (base, row) in (start..).zip(block.chunks_exact_mut(width)) {
                    let outputs = &outputs[(base - first) as usize * len..][..len];
                    if outputs.iter().all(|output| output.is_finite()) {
                        rows.leaf(base, outputs, row);
                    }
                }
                pairwise(&mut block, width, |left, right| join(rows, left, right));
                let row = block[..width].to_vec();
                let forest = &mut self.forests[(start >> self.groups.level) as usize];
                let node = Node { first: start, level: length.ilog2(), row };
                forest.insert(node, |left, right| join(rows, left, right));
            }
        }
    }

    /// Returns the row of each group.
    pub(super) fn rows(&self, rows: &dyn Rows) -> Vec<Vec<f64>> {
        let total = |forest: &Forest| forest.total(|left, right| join(rows, left, right));
        self.forests
            .iter()
            .map(|forest| total(forest).unwrap_or_else(|| vec![0.0; rows.len()]))
            .collect()
    }
}

/// Returns the row of groups, each repeated some times.
pub(super) fn joined(rows: &dyn Rows, groups: &[Vec<f64>], times: &[u32]) -> Vec<f64> {
    let mut all = vec![0.0; rows.len()];
    for (group, &times) in groups.iter().zip(times).filter(|(_, times)| **times > 0) {
        match times {
            1 => join(rows, &mut all, group),
            _ => {
                let mut group = group.clone();
                rows.repeat(&mut group, f64::from(times));
                join(rows, &mut all, &group);
            }
        }
    }
    all
}
