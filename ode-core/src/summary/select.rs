//! The sink of a further pass for exact quantiles.

use super::batch::{Batch, Members};
use super::exact::Selection;
use super::summaries::Summaries;
use crate::error::{SolveError, SummaryError};
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::solution::{RawResults, ResultSet, ResultSink, ReturnCode};
use core::ops::ControlFlow;

/// The number of values that are gathered at a time.
const BLOCK: usize = 1024;

/// A sink that counts the values near quantiles.
pub(crate) struct Select<'a> {
    summaries: &'a Summaries,
    selection: &'a mut Selection,
    threads: EvaluationThreads,
    layout: Layout,
    batch: usize,
    /// The number of trajectories that were counted.
    pub(crate) passed: u64,
}

impl<'a> Select<'a> {
    /// Creates a sink for the results of `inputs`, which counts on these threads.
    pub(crate) fn new<T: Scalar>(
        summaries: &'a Summaries,
        selection: &'a mut Selection,
        threads: EvaluationThreads,
        inputs: &PreparedSolve<T>,
        batch: Option<usize>,
    ) -> Result<Self, SummaryError> {
        let (layout, batch) = summaries.wanted(inputs, batch)?;
        Ok(Select { summaries, selection, threads, layout, batch, passed: 0 })
    }
}

impl<T: Scalar> ResultSink<T> for Select<'_> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn wants(&self) -> ResultSet {
        self.layout.wanted
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let (n, first, width) = (batch.len(), batch.numbers().start, self.summaries.names.len());
        results.check(&self.layout, n)?;
        let codes: Vec<ReturnCode> = (0..n).map(|k| results.code(k)).collect();
        if codes.contains(&ReturnCode::Cancelled) {
            return Ok(ControlFlow::Break(()));
        }
        let values = if self.summaries.finals { &results.finals } else { &results.saved };
        let successes = codes.into_iter().map(ReturnCode::is_success).collect();
        let members = Members::find(self.summaries, first, successes, values, &results.events)?;
        let batch = Batch { n, width, values, members: &members };
        let open = self.selection.searches.iter_mut().enumerate();
        let open = open.filter(|(_, search)| search.is_open()).collect();
        self.threads.each_of(open, &|(at, search)| {
            let mut block = Vec::new();
            for start in (0..n).step_by(BLOCK) {
                block.clear();
                batch.append(&mut block, at / width, at % width, &(start..n.min(start + BLOCK)));
                search.add(&block);
            }
        });
        self.passed += n as u64;
        Ok(ControlFlow::Continue(()))
    }
}
