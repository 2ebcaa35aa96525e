//! Sinks: they receive the results of a solve, a block of trajectories at a time. (Lanes write into
//! a block by another trait, [`integrate::options::Sink`](crate::integrate::options::Sink).)

use core::ops::ControlFlow;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::columns::ColumnRange;
use crate::solution::RawResults;

/// A receiver of results. A place solves the trajectories in order, in blocks of the size that the
/// sink asks for. It hands in the results of each block when the block is complete.
///
/// The place owns the memory of a block until then. It may fill several blocks at a time, but hands
/// them in in order. A sink may keep the memory of a block. Memory that it leaves is used for a
/// later block, so the memory for results stays bounded for any number of trajectories.
pub trait ResultSink<T>: Send {
    /// The number of trajectories in each block but the last. By default one block holds all.
    fn block(&self) -> u64 {
        u64::MAX
    }

    /// Receives the results of a block. [`ColumnRange::numbers`] has the numbers of its
    /// trajectories, and [`ColumnRange::columns`] their problems. The sink may read `results`, or
    /// take them with [`std::mem::take`]. The call may come from any thread of the place.
    ///
    /// After [`ControlFlow::Break`] the place hands in no further block, and returns as if these
    /// were all trajectories. The sink itself knows how many it received.
    ///
    /// # Errors
    /// An error ends the solve, and becomes the error of the solve.
    fn store(
        &mut self,
        block: ColumnRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError>;
}

/// Keeps all results in memory, for an [`EnsembleSolution`](crate::solution::EnsembleSolution).
/// It asks for a single block and takes its memory, so nothing is copied.
#[derive(Clone, Debug, Default)]
pub struct Collect<T> {
    results: RawResults<T>,
}

impl<T: Scalar> Collect<T> {
    /// The results; empty before a solve.
    #[must_use]
    pub fn into_results(self) -> RawResults<T> {
        self.results
    }
}

impl<T: Scalar> ResultSink<T> for Collect<T> {
    fn store(
        &mut self,
        _: ColumnRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        self.results = core::mem::take(results);
        Ok(ControlFlow::Continue(()))
    }
}

/// Keeps only the largest number of accepted steps among all trajectories.
#[derive(Debug)]
pub(crate) struct MostSteps {
    /// The number of trajectories in each block.
    pub(crate) block: u64,
    /// The largest number so far.
    pub(crate) most: u32,
}

impl<T: Scalar> ResultSink<T> for MostSteps {
    fn block(&self) -> u64 {
        self.block
    }

    fn store(
        &mut self,
        _: ColumnRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let accepted = results.steps.iter().zip(&results.rejected);
        let accepted = accepted.map(|(all, rejected)| all.saturating_sub(*rejected));
        self.most = accepted.max().unwrap_or(0).max(self.most);
        Ok(ControlFlow::Continue(()))
    }
}
