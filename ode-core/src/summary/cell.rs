//! The statistics of one number at one time.

use super::counters::Counters;
use super::extremes::{Extreme, Extremes};
use super::histogram::{Bins, Histogram};
use super::moments;
use super::request::Statistics;
use super::tree::{BLOCK, Forest, Node, pairwise};
use crate::solution::reduction::ChunkSummary;

/// The statistics of one state or observable at one saved time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Cell {
    /// The number of values, without NaN.
    pub(super) count: u64,
    pub(super) moments: Option<Forest>,
    pub(super) extremes: Option<Extremes>,
    pub(super) counters: Option<Counters>,
    pub(super) bins: Option<Bins>,
}

impl Cell {
    pub(super) fn new(statistics: &Statistics, grid: Option<&Histogram>) -> Self {
        Cell {
            count: 0,
            moments: statistics.moments.then(Forest::default),
            extremes: statistics.extremes.then(Extremes::default),
            counters: statistics.quantiles.as_ref().map(|asked| Counters::new(asked.bits)),
            bins: grid.map(Bins::new),
        }
    }

    /// Adds the values of a node of the tree; NaN stands for a value that does not count.
    ///
    /// `first` is the index of the first trajectory.
    pub(super) fn add(&mut self, grid: Option<&Histogram>, first: u64, values: &[f64]) {
        let numbers = || values.iter().zip(first..).filter(|(value, _)| !value.is_nan());
        self.count += numbers().count() as u64;
        if let Some(forest) = &mut self.moments {
            insert(forest, 1, first, values.len(), moments::of_one(values));
        }
        if let Some(extremes) = &mut self.extremes {
            numbers().for_each(|(value, index)| extremes.add(*value, index));
        }
        if let Some(counters) = &mut self.counters {
            numbers().for_each(|(value, index)| counters.add(*value, index));
        }
        if let (Some(bins), Some(grid)) = (&mut self.bins, grid) {
            numbers().for_each(|(value, _)| bins.add(grid, *value));
        }
    }

    /// Adds counts, moments and extremes of the nodes of a chunk, in which this is cell `at`.
    pub(super) fn add_nodes(&mut self, at: usize, chunk: &ChunkSummary) {
        let of_cell = at * chunk.nodes.len()..(at + 1) * chunk.nodes.len();
        for (node, k) in chunk.nodes.iter().zip(of_cell.clone()) {
            let row = chunk.rows.each_ref().map(|numbers| numbers[k]);
            self.count += row[0] as u64;
            if let Some(forest) = &mut self.moments {
                let node = Node { first: node.first, level: node.level, row: row.to_vec() };
                forest.insert(node, |left, right| moments::join(1, left, right));
            }
        }
        let mut all = Extremes::default();
        for found in chunk.extremes.get(of_cell).into_iter().flatten().flatten() {
            let [minimum, maximum] = found.map(|(value, index)| Some(Extreme { value, index }));
            all.merge(&Extremes { minimum, maximum });
        }
        let of_counters = self.counters.as_mut().map(|counters| &mut counters.extremes);
        self.extremes.iter_mut().chain(of_counters).for_each(|extremes| extremes.merge(&all));
    }

    /// Adds the statistics of other trajectories. Returns `None` if a count overflows.
    pub(super) fn merge(&mut self, other: &Cell) -> Option<()> {
        self.count = self.count.checked_add(other.count)?;
        if let (Some(forest), Some(other)) = (&mut self.moments, &other.moments) {
            forest.merge(other, |left, right| moments::join(1, left, right));
        }
        if let (Some(extremes), Some(other)) = (&mut self.extremes, &other.extremes) {
            extremes.merge(other);
        }
        if let (Some(counters), Some(other)) = (&mut self.counters, &other.counters) {
            counters.merge(other)?;
        }
        if let (Some(bins), Some(other)) = (&mut self.bins, &other.bins) {
            bins.merge(other)?;
        }
        Some(())
    }
}

/// Adds the moments of at most [`BLOCK`] trajectories of one node, with `w` numbers each.
///
/// A trajectory with a NaN does not contribute.
pub(super) fn add_rows<'v>(
    forest: &mut Forest,
    w: usize,
    first: u64,
    values: impl ExactSizeIterator<Item = &'v [f64]>,
) {
    let (len, n) = (moments::length(w), values.len());
    let mut rows = vec![0.0; n * len];
    for (row, values) in rows.chunks_exact_mut(len).zip(values) {
        let complete = !values.iter().any(|value| value.is_nan());
        moments::leaf(row, complete.then_some(values));
    }
    pairwise(&mut rows, len, |left, right| moments::join(w, left, right));
    rows.truncate(len);
    rows.shrink_to_fit();
    insert(forest, w, first, n, rows);
}

/// Inserts the row of `n` trajectories, a node of the tree.
fn insert(forest: &mut Forest, w: usize, first: u64, n: usize, row: Vec<f64>) {
    debug_assert!(n.is_power_of_two() && n <= BLOCK);
    let join = |left: &mut [f64], right: &[f64]| moments::join(w, left, right);
    forest.insert(Node { first, level: n.ilog2(), row }, join);
}
