//! Consumers of the results of a solve, a batch of trajectories at a time.
//!
//! A sink takes memory from the backend and does not lend memory to the backend. Memory that safe
//! code can read must be written before a backend fills it. That is a pass over gigabytes that a
//! download does not need. And a sink that lends memory can take nothing meanwhile, although
//! several batches may be in progress.
//!
//! (Lanes write their results through
//! [`integrate::options::Sink`](crate::integrate::options::Sink).)

use core::ops::ControlFlow;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::problem::prepared::PreparedSolve;
use crate::problem::sweep::Axis;
use crate::solution::reduction::Reduction;
use crate::solution::{RawResults, ResultArray, ResultSet, RunReport};
use crate::system::SystemInfo;

/// The description of a solve that a [`ResultSink`] receives before the first batch.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SolveHeader<'a, T> {
    /// The names of the system's states, parameters, observables and events.
    pub system: &'static SystemInfo,
    /// The inputs of all trajectories, and the resolved options.
    ///
    /// [`PreparedSolve::layout`] returns the sizes of the results.
    pub inputs: &'a PreparedSolve<T>,
    /// The axes of the [grid](crate::EnsembleProblem::grid), by name.
    ///
    /// Empty without a grid, and in a [shard](crate::EnsembleProblem::shard) of one.
    pub axes: &'a [Axis],
}

/// A consumer of results.
///
/// [`solve_into`](crate::EnsembleProblem::solve_into) calls [`begin`](Self::begin), then
/// [`store`](Self::store) for each batch, then [`finish`](Self::finish).
///
/// A backend solves the trajectories in order, in batches of the size that the sink sets. When a
/// batch is complete, the backend passes its results to the sink.
///
/// The backend owns the memory of a batch while the batch is filled. Several batches may be filled
/// at a time, but the backend passes them on in order. A sink may keep the memory; otherwise a
/// later batch reuses it. So the memory for results is the memory of a few batches, for any number
/// of trajectories.
///
/// Inputs are not in batches. All inputs are evaluated before the first batch, for all trajectories
/// of the ensemble, and stay until the last one ([`Inputs`](crate::problem::inputs::Inputs)).
/// Each component and each parameter that varies takes a number for each trajectory. There are at
/// most `2^31 - 1` trajectories.
pub trait ResultSink<T>: Send {
    /// Returns the number of trajectories of a batch.
    ///
    /// All batches but the last one have this size. By default one batch has all trajectories. A
    /// size of 0 acts as 1.
    ///
    /// Each batch has a fixed cost, since threads or devices begin and end together. On
    /// [`EnsembleThreads`](struct@crate::EnsembleThreads) it is about 60 µs: on two threads, 300,000
    /// trajectories took 18.5 s in batches of one, and 0.04 s in batches of 65,536 (private). A batch
    /// should take much longer than this cost.
    fn batch(&self) -> u64 {
        u64::MAX
    }

    /// Receives the description of the solve, before the first batch; does nothing by default.
    ///
    /// The sink may choose the size of its batches now. If ends of steps are saved, a first solve
    /// has already counted the steps, in batches of the size that the sink had before.
    ///
    /// # Errors
    /// An error ends the solve before the first batch, and the solve returns it.
    fn begin(&mut self, _: &SolveHeader<'_, T>) -> Result<(), SolveError> {
        Ok(())
    }

    /// Receives the report of the solve, after the last batch; does nothing by default.
    ///
    /// If the solve fails, the sink receives no report.
    ///
    /// # Errors
    /// The solve returns the error.
    fn finish(&mut self, _: &RunReport) -> Result<(), SolveError> {
        Ok(())
    }

    /// Returns the arrays that [`store`](Self::store) reads; all by default.
    ///
    /// Other arrays are empty: lanes do not write them, GPUs do not download them, and clusters
    /// neither store nor send them. Counts of events are never empty if the system has events.
    fn wants(&self) -> ResultSet {
        ResultSet::ALL
    }

    /// Returns the reduction that a backend may compute where it solves; none by default.
    ///
    /// A backend that computes it stores no batch.
    fn reduction(&self) -> Option<&dyn Reduction<T>> {
        None
    }

    /// Stores the results of a batch.
    ///
    /// [`InputRange::numbers`] returns the indices of its trajectories, and
    /// [`InputRange::inputs`] the inputs that were solved. `results` may be read, or taken with
    /// [`std::mem::take`]. The call may come from any thread of the backend.
    ///
    /// Batches are consecutive, and the arrays that the sink wants have the lengths of the job: the
    /// solve checks a batch before this call. At the end, missing trajectories are an error, unless
    /// the solve was cancelled. A cancellation by another process shows only in
    /// [`ResultArray::Codes`].
    ///
    /// After [`ControlFlow::Break`] the backend passes no further batch and returns as if these
    /// were all trajectories. The owner of the sink can count the batches.
    ///
    /// # Errors
    /// An error ends the solve, and the solve returns it.
    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError>;
}

/// A sink that keeps all results in memory, for an
/// [`EnsembleSolution`](crate::solution::EnsembleSolution).
///
/// There is one batch, and the sink takes its memory, so nothing is copied.
#[derive(Clone, Debug)]
pub struct Collect<T> {
    results: RawResults<T>,
    wanted: ResultSet,
}

impl<T: Scalar> Default for Collect<T> {
    fn default() -> Self {
        Collect::of(ResultSet::ALL)
    }
}

impl<T: Scalar> Collect<T> {
    /// Creates a sink that keeps these arrays only.
    #[must_use]
    pub fn of(wanted: ResultSet) -> Self {
        Collect { results: RawResults::default(), wanted }
    }

    /// Returns the results; empty before a solve.
    #[must_use]
    pub fn into_results(self) -> RawResults<T> {
        self.results
    }
}

impl<T: Scalar> ResultSink<T> for Collect<T> {
    fn wants(&self) -> ResultSet {
        self.wanted
    }

    fn store(
        &mut self,
        _: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        self.results = core::mem::take(results);
        Ok(ControlFlow::Continue(()))
    }
}

/// A sink that keeps the largest number of accepted steps of a trajectory.
#[derive(Debug)]
pub(crate) struct MostSteps {
    /// The number of trajectories of a batch.
    pub(crate) batch: u64,
    /// The largest number so far.
    pub(crate) most: u32,
}

impl<T: Scalar> ResultSink<T> for MostSteps {
    fn batch(&self) -> u64 {
        self.batch
    }

    fn wants(&self) -> ResultSet {
        // Codes show whether another process cancelled the solve.
        ResultSet::from([ResultArray::Codes, ResultArray::Steps, ResultArray::Rejected])
    }

    fn store(
        &mut self,
        _: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let accepted = results.steps.iter().zip(&results.rejected);
        let accepted = accepted.map(|(all, rejected)| all.saturating_sub(*rejected));
        self.most = accepted.max().unwrap_or(0).max(self.most);
        Ok(ControlFlow::Continue(()))
    }
}
