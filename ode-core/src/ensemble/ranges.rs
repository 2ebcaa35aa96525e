//! Solves of an ensemble in ranges of trajectories whose inputs fit into memory.

use crate::ensemble::algorithm::{EnsembleAlgorithm, Evaluator};
use crate::ensemble::batches::SolveFn;
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::options::SolveOptions;
use crate::problem::prepared::{Abilities, PreparedSolve};
use crate::solution::{ResultSink, RunReport};
use crate::step::properties::Properties;
use std::time::Instant;

/// The memory of the inputs that are evaluated together.
const INPUT_BYTES: usize = 256 << 20;

/// The least and the greatest number of trajectories that are evaluated together.
const TOGETHER: [usize; 2] = [1 << 12, 1 << 30];

/// A consumer of the results of several ranges of trajectories.
pub(crate) trait RangeSinks<T> {
    /// Returns the sink of the results of one range.
    ///
    /// The sink may compute on `threads`.
    fn sink<'a>(
        &'a mut self,
        threads: EvaluationThreads,
        inputs: &PreparedSolve<T>,
    ) -> Result<Box<dyn ResultSink<T> + 'a>, SolveError>;
}

/// Returns the number of trajectories that are evaluated together, a multiple of `group`.
///
/// Trajectories that influence each other are one range.
pub(crate) fn together<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    algorithm: &dyn EnsembleAlgorithm,
    group: usize,
) -> usize {
    let info = ensemble.system.info;
    let bytes = (info.states.len() + info.parameters.len() + 2) * size_of::<T>();
    match algorithm.capabilities().couples_trajectories {
        true => usize::MAX,
        false => multiple((INPUT_BYTES / bytes).clamp(TOGETHER[0], TOGETHER[1]), group),
    }
}

/// Solves the trajectories of an ensemble in order, in ranges of at most `most` trajectories.
///
/// After a cancellation there is no further range.
pub(crate) fn solve_ranges<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    (algorithm, place): (&dyn EnsembleAlgorithm, SolveFn<'_, T>),
    most: usize,
    sinks: &mut dyn RangeSinks<T>,
) -> Result<RunReport, SolveError> {
    let begin = Instant::now();
    let whole = ensemble.trajectories.ok_or(SolveError::HowMany)?;
    let capabilities = algorithm.capabilities();
    let threads = match capabilities.evaluation {
        Evaluator::Caller => EvaluationThreads::Caller,
        Evaluator::Pool | Evaluator::Own(_) => EvaluationThreads::Pool,
    };
    let able = Abilities { draws: capabilities.draws_samples, ..Abilities::default() };
    let numbers = ensemble.numbers(whole)?;
    let watch = capabilities.begin_watch();
    watch.begin(numbers.len(), 1);
    let mut report: Option<RunReport> = None;
    let mut start = numbers.start;
    // An ensemble without trajectories is an error of its first range.
    while report.is_none() || start < numbers.end && !watch.is_cancelled() {
        let end = numbers.end.min(start.saturating_add(most));
        let range = ensemble.within(start..end);
        let setup = Instant::now();
        let mut made = None;
        capabilities.evaluate(&mut |threads| {
            made = Some(PreparedSolve::of(threads, &range, options, properties, able));
        })?;
        let (mut inputs, _) = made.unwrap_or_else(|| Err(SolveError::NotPrepared))?;
        let setup = setup.elapsed();
        inputs.options.watch = watch.clone();
        let mut sink = sinks.sink(threads, &inputs)?;
        let mut run = place(&inputs.options, &inputs.inputs, &mut *sink)?;
        run.timings.setup = setup;
        match &mut report {
            Some(report) => report.add(run),
            none => *none = Some(run),
        }
        start = end;
    }
    watch.end();
    let mut report = report.unwrap_or_else(|| unreachable!("there is at least one range"));
    report.timings.total = begin.elapsed();
    Ok(report)
}

/// Returns the greatest multiple of `group` that is at most `n`, and at least one `group`.
pub(crate) fn multiple(n: usize, group: usize) -> usize {
    (n / group).max(1).saturating_mul(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_whole_groups() {
        assert_eq!([multiple(10, 3), multiple(9, 3), multiple(2, 3)], [9, 9, 3]);
        assert_eq!(multiple(usize::MAX, 4), usize::MAX - 3);
    }
}
