//! A sink that checks the batches of a backend: their order, number and sizes.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::{InputRange, Inputs};
use crate::problem::layout::Layout;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::reduction::Reduction;
use crate::solution::{RawResults, ResultSet, ResultSink, ReturnCode};
use crate::watch::SolveWatch;
use core::ops::ControlFlow;

/// The sink of a job, with checks of the batches that a backend passes to it.
pub(super) struct CheckedSink<'a, T> {
    sink: &'a mut dyn ResultSink<T>,
    layout: Layout,
    /// The number of trajectories of a batch.
    batch: usize,
    /// The trajectories that are still to come.
    rest: InputRange<'a, T>,
    /// Whether the last batch has trajectories that were cancelled, perhaps by another process.
    is_cancelled: bool,
}

impl<'a, T: Scalar> CheckedSink<'a, T> {
    /// Creates a sink that passes the results of all trajectories of `inputs` to `sink`.
    pub(super) fn new(
        options: &ResolvedOptions<T>,
        inputs: &'a Inputs<T>,
        sink: &'a mut dyn ResultSink<T>,
    ) -> Self {
        let layout = Layout::new(options, inputs).of(sink.wants());
        let batch = usize::try_from(sink.batch()).unwrap_or(usize::MAX).max(1);
        CheckedSink { sink, layout, batch, rest: inputs.all(), is_cancelled: false }
    }

    /// Checks that no trajectory is missing.
    ///
    /// A sink that has enough, and a cancelled solve, need no further trajectories.
    ///
    /// # Errors
    /// [`SolveError::Results`].
    pub(super) fn finish(self, watch: &SolveWatch) -> Result<(), SolveError> {
        if self.rest.is_empty() || self.is_cancelled || watch.is_cancelled() {
            return Ok(());
        }
        let reduced = self.sink.reduction().map_or(0, Reduction::trajectories);
        let (given, expected) = (self.rest.indices().start, self.rest.inputs().trajectories);
        if given == 0 && reduced == expected {
            return Ok(());
        }
        Err(SolveError::Results { what: "trajectories", given, expected })
    }
}

impl<T: Scalar> ResultSink<T> for CheckedSink<'_, T> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn wants(&self) -> ResultSet {
        self.sink.wants()
    }

    fn reduction(&self) -> Option<&dyn Reduction<T>> {
        self.sink.reduction()
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let (next, rest) = self.rest.split(self.batch);
        let (given, expected) = (batch.numbers(), next.numbers());
        if given != expected {
            return Err(SolveError::Batch { given, expected });
        }
        results.check_wanted(&self.layout, batch.len())?;
        let is_cancelled = |&code: &u8| ReturnCode::from_lane(code) == ReturnCode::Cancelled;
        self.is_cancelled = !rest.is_empty() && results.codes.iter().any(is_cancelled);
        let flow = self.sink.store(batch, results)?;
        self.rest = if flow.is_break() { rest.split(0).0 } else { rest };
        Ok(flow)
    }
}
