//! Where the results of a solve go, a block of trajectories at a time. (What lanes write into a
//! block with is [`integrate::options::Sink`](crate::integrate::options::Sink).)

use core::ops::ControlFlow;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::columns::ColumnRange;
use crate::solution::RawResults;

/// What takes results. A place walks the trajectories of a solve in order, in blocks of as many
/// as the sink asks for, and hands in the results of each block as soon as it is whole.
///
/// The place owns the memory of a block while it is filled, and may fill several at a time, of
/// which it hands in the first one first. A sink may keep that memory; what it leaves is used
/// for a later block. So the memory for results is that of a few blocks, whatever the number of
/// trajectories.
///
/// Inputs are not by blocks: they are evaluated before the first one, for all trajectories of the
/// ensemble, and stay until the last ([`Columns`](crate::problem::columns::Columns)). Each component
/// and each parameter that varies takes a number for each trajectory, of which there are at most
/// `2^31 - 1`.
pub trait ResultSink<T>: Send {
    /// How many trajectories it takes at a time: all blocks but the last one have as many. By
    /// default all are one block.
    fn block(&self) -> u64 {
        u64::MAX
    }

    /// Takes the results of a block. [`ColumnRange::numbers`] has the numbers of its trajectories,
    /// and [`ColumnRange::columns`] what was solved. `results` may be read, or taken with
    /// [`std::mem::take`]. The call may come from any thread of the place.
    ///
    /// After [`ControlFlow::Break`] the place hands in nothing more and returns as if these were
    /// all trajectories: whoever owns the sink knows how many it got.
    ///
    /// # Errors
    /// Whatever it returns ends the solve, and is the solve's error.
    fn store(
        &mut self,
        block: ColumnRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError>;
}

/// Keeps all results in memory: of this one
/// [`EnsembleSolution`](crate::solution::EnsembleSolution) is made. There is one block, whose
/// memory it takes, so that nothing is copied.
#[derive(Clone, Debug, Default)]
pub struct Collect<T> {
    results: RawResults<T>,
}

impl<T: Scalar> Collect<T> {
    /// The results; none before a solve.
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

/// Keeps of all results the largest number of steps that a trajectory accepted.
#[derive(Debug)]
pub(crate) struct MostSteps {
    /// How many trajectories it takes at a time.
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
