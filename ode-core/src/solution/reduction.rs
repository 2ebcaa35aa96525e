//! Statistics that a backend computes where it solves, in place of results.

use crate::error::{SolveError, SummaryError};
use crate::problem::inputs::InputRange;
use crate::problem::layout::Layout;
use crate::solution::{RawResults, ResultArray, ResultSet};
use core::ops::Range;

/// A reduction that a backend can compute where it solves.
///
/// A [`ResultSink`](crate::solution::ResultSink) may return one. A backend that does not use it
/// passes all batches to the sink. A backend that uses it passes no batch, and adds each chunk of
/// trajectories once, in any order and from any thread.
pub trait Reduction<T>: Sync {
    /// Returns the statistics to compute.
    fn request(&self) -> &ReductionRequest;

    /// Adds the statistics of a chunk.
    ///
    /// # Errors
    /// If trajectories of the chunk were added before, or if a count overflows.
    fn add(&self, chunk: &ChunkSummary) -> Result<(), SolveError>;

    /// Adds a chunk by its results, of the arrays [`ReductionRequest::wanted`].
    ///
    /// # Errors
    /// The errors of [`add`](Self::add).
    fn add_results(
        &self,
        chunk: InputRange<'_, T>,
        results: &RawResults<T>,
    ) -> Result<(), SolveError>;

    /// Returns the number of trajectories that were added.
    fn trajectories(&self) -> usize;
}

/// The statistics to compute of each component at each saved time: each **cell**.
///
/// The cells are in the order of the rows of their array in [`RawResults`].
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionRequest {
    /// Whether the cells are the final states. Otherwise they are the saved numbers.
    pub finals: bool,
    /// The number of cells.
    pub cells: usize,
    /// The number of components, which is the number of cells at each saved time.
    pub width: usize,
    /// Whether covariances of all components at a time are requested.
    pub covariance: bool,
    /// Whether extremes are requested.
    pub extremes: bool,
    /// The bits of the mantissa that distinguish values of quantiles, if quantiles are requested.
    pub bits: Option<u32>,
    /// The edges of the histogram of each component; empty without a histogram.
    pub edges: Vec<Vec<f64>>,
}

/// The least and the greatest number of bits of the mantissa that distinguish values of quantiles.
pub const QUANTILE_BITS: [u32; 2] = [1, 14];

/// Returns the length of a row of `width` components: a count, sums, and a sum for each pair.
#[must_use]
pub const fn row_length(width: usize) -> usize {
    (width + 1) * (width + 2) / 2
}

impl ReductionRequest {
    /// Checks that the cells are those of a solve.
    ///
    /// A backend reads as many numbers of its results as there are cells.
    ///
    /// # Errors
    /// [`SolveError::JobSize`] for a wrong count, and [`SolveError::Summary`] for an impossible
    /// number of bits.
    pub fn check(&self, layout: &Layout) -> Result<(), SolveError> {
        let width = if self.finals { layout.states } else { layout.row.width() };
        let check =
            |what, given, expected| SolveError::check_size("reduction", what, given, expected);
        check("cells", self.cells, self.values().rows(layout))?;
        check("components", self.width, width)?;
        check("edges", self.edges.len(), width)?;
        let [least, most] = QUANTILE_BITS;
        match self.bits.filter(|bits| !(least..=most).contains(bits)) {
            Some(bits) => Err(SummaryError::Bits { bits, least, most }.into()),
            None => Ok(()),
        }
    }

    /// Returns the number of saved times; 1 for final states.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.cells / self.width.max(1)
    }

    /// Returns the number of counts of a cell's histogram: below, above, and in each bin.
    ///
    /// 0 without a histogram.
    #[must_use]
    pub fn histogram_counts(&self, cell: usize) -> usize {
        let edges = self.edges.get(cell % self.edges.len().max(1)).map_or(0, Vec::len);
        if edges > 1 { edges + 1 } else { 0 }
    }

    /// Returns the array with the cells.
    #[must_use]
    pub fn values(&self) -> ResultArray {
        if self.finals { ResultArray::Finals } else { ResultArray::Saved }
    }

    /// Returns the arrays that the reduction reads.
    #[must_use]
    pub fn wanted(&self) -> ResultSet {
        ResultSet::from([self.values(), ResultArray::Codes])
    }

    /// Returns whether extremes are computed: for themselves, or as the bounds of quantiles.
    #[must_use]
    pub fn needs_extremes(&self) -> bool {
        self.extremes || self.bits.is_some()
    }

    /// Returns whether a component has a histogram.
    #[must_use]
    pub fn has_histograms(&self) -> bool {
        self.edges.iter().any(|edges| !edges.is_empty())
    }
}

/// A node of the tree over the indices of the trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The index of the first trajectory, a multiple of `2^level`.
    pub first: u64,
    /// The number of trajectories, as a power of two.
    pub level: u32,
}

/// The statistics of a chunk of trajectories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkSummary {
    /// The indices of the trajectories.
    pub range: Range<u64>,
    /// The number of trajectories with each return code, by its number.
    pub codes: Vec<u32>,
    /// Complete nodes that make up the range.
    pub nodes: Vec<TreeNode>,
    /// Counts, sums, and sums of squared deviations of each node, `[cell * nodes + node]`.
    pub rows: [Vec<f64>; 3],
    /// Counts, sums, and sums of products of deviations of all components at a time.
    ///
    /// Rows as in `summary::moments`, `[saved time * nodes + node]`. Empty without covariances.
    pub joint: Vec<f64>,
    /// The least and the greatest value of each cell, with the trajectories that attain them.
    ///
    /// `None` without values. Empty if extremes are not computed.
    pub extremes: Vec<Option<[(f64, u64); 2]>>,
    /// The counters of quantiles that are not zero.
    pub pages: Vec<CountedPage>,
    /// The counts of values below, above, and in each bin of the grid of each cell.
    ///
    /// Empty without histograms.
    pub bins: Vec<Vec<u32>>,
}

impl ChunkSummary {
    /// Checks that all statistics of a request are there.
    ///
    /// # Errors
    /// [`SolveError::Results`].
    pub(crate) fn check(&self, request: &ReductionRequest) -> Result<(), SolveError> {
        let check = |what, given: usize, expected: usize| match given == expected {
            true => Ok(()),
            false => Err(SolveError::Results { what, given, expected }),
        };
        let len = self.range.end.saturating_sub(self.range.start) as usize;
        let sizes = self.nodes.iter().map(|node| 1_usize.checked_shl(node.level).unwrap_or(0));
        check("trajectories of nodes", sizes.fold(0, usize::saturating_add), len)?;
        let codes = self.codes.iter().map(|count| *count as usize);
        check("return codes", codes.fold(0, usize::saturating_add), len)?;

        let (cells, nodes) = (request.cells, self.nodes.len());
        let if_asked = |asked: bool, count: usize| if asked { count } else { 0 };
        let of_nodes = cells.saturating_mul(nodes);
        self.rows.iter().try_for_each(|row| check("rows of nodes", row.len(), of_nodes))?;
        let joint = request.slots().saturating_mul(nodes).saturating_mul(row_length(request.width));
        check("rows of covariances", self.joint.len(), if_asked(request.covariance, joint))?;
        let extremes = if_asked(request.needs_extremes(), of_nodes);
        check("extremes of nodes", self.extremes.len(), extremes)?;
        check("histograms", self.bins.len(), if_asked(request.has_histograms(), cells))?;
        for (cell, counts) in self.bins.iter().enumerate() {
            check("counts of a histogram", counts.len(), request.histogram_counts(cell))?;
        }
        for page in &self.pages {
            let counters = if_asked(page.cell < cells, request.bits.map_or(0, |bits| 1 << bits));
            check("counters of quantiles", page.counts.len(), counters)?;
        }
        Ok(())
    }
}

/// The counters of the values of a cell with one sign and exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedPage {
    /// The cell.
    pub cell: usize,
    /// The position among all signs and exponents of `f64`, in the order of the numbers.
    pub key: u16,
    /// The counts, in the order of the numbers.
    pub counts: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ReductionRequest {
        ReductionRequest {
            finals: false,
            cells: 4,
            width: 2,
            covariance: true,
            extremes: false,
            bits: Some(3),
            edges: vec![vec![0.0, 1.0, 2.0], Vec::new()],
        }
    }

    fn chunk() -> ChunkSummary {
        let node = |first, level| TreeNode { first, level };
        ChunkSummary {
            range: 10..13,
            codes: vec![2, 1],
            nodes: vec![node(10, 1), node(12, 0)],
            rows: [(); 3].map(|()| vec![0.0; 8]),
            joint: vec![0.0; 2 * 2 * 6],
            extremes: vec![None; 8],
            pages: vec![CountedPage { cell: 3, key: 0, counts: vec![0; 8] }],
            bins: vec![vec![0; 4], Vec::new(), vec![0; 4], Vec::new()],
        }
    }

    /// A backend with a wrong statistic is an error before the statistic is read.
    #[test]
    fn missing_statistics_are_errors() {
        chunk().check(&request()).unwrap();
        type Change = fn(&mut ChunkSummary);
        let changes: [(&str, Change); 9] = [
            ("trajectories of nodes", |chunk| chunk.range.end += 1),
            ("trajectories of nodes", |chunk| chunk.nodes[0].level = 200),
            ("return codes", |chunk| chunk.codes[1] = 0),
            ("rows of nodes", |chunk| chunk.rows[1].push(0.0)),
            ("rows of covariances", |chunk| chunk.joint.push(0.0)),
            ("extremes of nodes", |chunk| chunk.extremes.clear()),
            ("histograms", |chunk| chunk.bins.push(Vec::new())),
            ("counts of a histogram", |chunk| chunk.bins[1].push(0)),
            ("counters of quantiles", |chunk| chunk.pages[0].cell = 4),
        ];
        for (expected, change) in changes {
            let mut chunk = chunk();
            change(&mut chunk);
            let error = chunk.check(&request()).unwrap_err();
            let found = matches!(error, SolveError::Results { what, .. } if what == expected);
            assert!(found, "{expected}: {error}");
        }
    }
}
