//! Statistics that a backend computes where it solves, in place of results.

use crate::error::SolveError;
use crate::problem::inputs::InputRange;
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

impl ReductionRequest {
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
