//! The statistics of one number at one time.

use super::counters::{Counters, PageIndex};
use super::extremes::{Extreme, Extremes, add_extremes};
use super::histogram::{Bins, Histogram};
use super::request::Statistics;
use super::rows::Rows;
use super::tree::{BLOCK, Forest, Node};
use super::weighted::RowForm;
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
        let weighted = statistics.weight.is_some();
        let asked = statistics.quantiles.as_ref();
        Cell {
            count: 0,
            moments: statistics.moments.then(Forest::default),
            extremes: statistics.extremes.then(Extremes::default),
            counters: asked.map(|asked| Counters::new(asked.bits, weighted)),
            bins: grid.map(|grid| Bins::new(grid, weighted)),
        }
    }

    /// Prepares `scratch` for the values of this cell.
    pub(super) fn begin(&self, scratch: &mut Scratch) {
        self.counters.iter().for_each(|counters| scratch.pages.set(counters));
    }

    /// Adds the values of a node of the tree; NaN stands for a value that does not count.
    ///
    /// `first` is the index of the first trajectory. Values that count have positive weights.
    pub(super) fn add(
        &mut self,
        grid: Option<&Histogram>,
        first: u64,
        (values, weights): (&[f64], Option<&[f64]>),
        scratch: &mut Scratch,
    ) {
        self.count += values.iter().filter(|value| !value.is_nan()).count() as u64;
        if let Some(forest) = &mut self.moments {
            let form = RowForm { numbers: 1, weighted: weights.is_some() };
            add_rows(forest, form, first, (values.len(), values, weights), scratch);
        }
        let extremes = self.extremes.iter_mut();
        let extremes = extremes.chain(self.counters.iter_mut().map(|of| &mut of.extremes));
        add_extremes(extremes, first, values);
        if let Some(counters) = &mut self.counters {
            counters.add(values, weights, &mut scratch.pages);
        }
        if let (Some(bins), Some(grid)) = (&mut self.bins, grid) {
            bins.add(grid, values, weights);
        }
    }

    /// Adds counts, moments and extremes of the nodes of a chunk. This is cell `at` of the chunk.
    pub(super) fn add_nodes(&mut self, at: usize, chunk: &ChunkSummary) {
        let form = RowForm { numbers: 1, weighted: false };
        let of_cell = at * chunk.nodes.len()..(at + 1) * chunk.nodes.len();
        for (node, k) in chunk.nodes.iter().zip(of_cell.clone()) {
            let row = chunk.rows.each_ref().map(|numbers| numbers[k]);
            self.count += row[0] as u64;
            if let Some(forest) = &mut self.moments {
                let node = Node { first: node.first, level: node.level, row: row.to_vec() };
                forest.insert(node, |left, right| form.join(left, right));
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
    ///
    /// The moments have this form.
    pub(super) fn merge(&mut self, other: &Cell, form: RowForm) -> Option<()> {
        self.count = self.count.checked_add(other.count)?;
        if let (Some(forest), Some(other)) = (&mut self.moments, &other.moments) {
            forest.merge(other, |left, right| form.join(left, right));
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

/// Memory for the sums of a node.
#[derive(Default)]
pub(super) struct Scratch {
    rows: Rows,
    pages: PageIndex,
}

/// Adds the moments of the trajectories of a node.
///
/// `values` are `[number * n + trajectory]` with `n` trajectories. A trajectory with a NaN does not
/// contribute.
pub(super) fn add_rows(
    forest: &mut Forest,
    form: RowForm,
    first: u64,
    (n, values, weights): (usize, &[f64], Option<&[f64]>),
    scratch: &mut Scratch,
) {
    debug_assert!(n.is_power_of_two() && n <= BLOCK);
    let row = form.node(n, values, weights, &mut scratch.rows);
    let join = |left: &mut [f64], right: &[f64]| form.join(left, right);
    forest.insert(Node { first, level: n.ilog2(), row }, join);
}
