//! Solves of an ensemble in ranges of trajectories whose inputs fit into memory.

use crate::ensemble::algorithm::{Capabilities, EnsembleAlgorithm, Evaluator};
use crate::ensemble::batches::{self, SolveFn};
use crate::ensemble::solver::Solver;
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::options::{SaveAt, SolveOptions};
use crate::problem::prepared::{Abilities, PreparedSolve};
use crate::solution::{ResultSink, RunReport};
use crate::step::properties::Properties;
use crate::system::System;
use core::ops::{ControlFlow, Range};
use std::time::Instant;

/// The memory of the inputs that are evaluated together.
const INPUT_BYTES: usize = 256 << 20;

/// The least and the greatest number of trajectories that are evaluated together, as powers of 2.
const TOGETHER: [u32; 2] = [12, 30];

/// A backend, and the solve of one system by one method on it.
pub(crate) type Compiled<'a, T> = (&'a dyn EnsembleAlgorithm, SolveFn<'a, T>);

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Calls `solve` with the ensemble, the method and the backend, without their types.
    pub(crate) fn erased<M, A, R>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        solve: impl FnOnce(&EnsembleSpec<'_, T>, &Properties, Compiled<'_, T>) -> Result<R, SolveError>,
    ) -> Result<R, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let properties = method.properties(options, N, S::MASS)?;
        let system = self.problem.system;
        let place: SolveFn<'_, T> = &|settings, columns, sink| {
            method.integrate::<T, S, A::Compiled, N, P>(system, &algorithm, settings, columns, sink)
        };
        solve(&self.spec(), &properties, (&algorithm, place))
    }
}

/// The numbers of trajectories of ranges and batches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeSizes {
    /// The number of trajectories of the first range; each later range has twice as many.
    pub(crate) first: usize,
    /// The largest number of trajectories of a range.
    pub(crate) most: usize,
    /// The number of trajectories of a batch, if it does not follow from the results.
    pub(crate) batch: Option<usize>,
}

impl RangeSizes {
    /// Returns sizes of ranges that fit into memory.
    ///
    /// `batch` is the number of trajectories of a batch that the user set. Ranges have whole
    /// batches.
    pub(crate) fn new<T>(
        ensemble: &EnsembleSpec<'_, T>,
        algorithm: &dyn EnsembleAlgorithm,
        batch: Option<usize>,
    ) -> Self {
        let info = ensemble.system.info;
        let width = info.states.len() + info.parameters.len() + 2;
        // Trajectories that influence each other are solved together, as by `solve`.
        let couples = algorithm.capabilities().couples_trajectories;
        let batch = batch.or(couples.then_some(usize::MAX));
        let most = together(width * size_of::<T>(), batch);
        RangeSizes { first: most, most, batch }
    }

    /// Begins with a small range, for solves that may end early.
    ///
    /// Such a solve then computes at most about twice the trajectories that it needs.
    pub(crate) fn growing(self) -> Self {
        let least: usize = 1 << TOGETHER[0];
        let whole = |batch: usize| multiple(least, batch);
        RangeSizes { first: self.batch.map_or(least, whole), ..self }
    }

    /// Returns sizes of ranges that fit into memory and have whole groups of trajectories.
    pub(crate) fn in_groups<T>(
        ensemble: &EnsembleSpec<'_, T>,
        algorithm: &dyn EnsembleAlgorithm,
        group: usize,
    ) -> Self {
        match algorithm.capabilities().couples_trajectories {
            true => RangeSizes::new(ensemble, algorithm, None),
            false => RangeSizes::new(ensemble, algorithm, Some(group)),
        }
    }
}

/// Consecutive ranges of the indices that are left.
#[derive(Debug)]
struct Ranges {
    left: Range<usize>,
    /// The length of the next range.
    len: usize,
    most: usize,
}

impl Ranges {
    fn new(all: Range<usize>, sizes: RangeSizes) -> Self {
        Ranges { left: all, len: sizes.first.min(sizes.most), most: sizes.most }
    }

    /// Returns the next range, with at least `least` trajectories if there are so many.
    fn next(&self, least: usize) -> Range<usize> {
        let Range { start, end } = self.left;
        start..end.min(start.saturating_add(self.len.max(least)))
    }

    /// Removes a range that was solved. Returns whether there is another one.
    fn pass(&mut self, range: &Range<usize>) -> bool {
        self.left.start = range.end;
        self.len = self.len.saturating_mul(2).min(self.most);
        !self.left.is_empty()
    }
}

/// Returns the number of trajectories that are evaluated together.
///
/// `bytes` is the memory of the inputs of one trajectory. The number is a multiple of `batch`.
fn together(bytes: usize, batch: Option<usize>) -> usize {
    let [least, most] = TOGETHER;
    let fit = INPUT_BYTES.checked_div(bytes).unwrap_or(usize::MAX);
    let fit = 1 << fit.max(1).ilog2().clamp(least, most);
    batch.map_or(fit, |batch| multiple(fit, batch))
}

/// Returns the greatest multiple of `group` that is at most `n`, and at least one `group`.
pub(crate) fn multiple(n: usize, group: usize) -> usize {
    (n / group).max(1).saturating_mul(group)
}

/// Solves a range of trajectories, and passes their results to a sink.
pub(crate) type SolveRange<'a, T> =
    &'a mut dyn FnMut(&mut dyn ResultSink<T>) -> Result<(), SolveError>;

/// Receives a range of trajectories: its inputs, the threads for work between batches, and the
/// function that solves the range.
pub(super) type EachRange<'a, T> = &'a mut dyn FnMut(
    &PreparedSolve<T>,
    EvaluationThreads,
    SolveRange<'_, T>,
) -> Result<ControlFlow<()>, SolveError>;

/// Calls `each` for each range of an ensemble, in order.
///
/// After [`ControlFlow::Break`] there is no further range: `each` must return it if the results
/// contain cancelled trajectories. Returns the joint report of all ranges.
pub(crate) fn each_range<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    (algorithm, place): Compiled<'_, T>,
    sizes: RangeSizes,
    each: EachRange<'_, T>,
) -> Result<RunReport, SolveError> {
    let begin = Instant::now();
    let whole = ensemble.trajectories.ok_or(SolveError::HowMany)?;
    let Capabilities { evaluation, draws_samples, couples_trajectories: couples, .. } =
        algorithm.capabilities();
    let threads = match evaluation {
        Evaluator::Caller => EvaluationThreads::Caller,
        Evaluator::Pool | Evaluator::Own(_) => EvaluationThreads::Pool,
    };
    let able = Abilities { draws: draws_samples, couples, ..Abilities::default() };
    let numbers = ensemble.numbers(whole)?;
    let watch = algorithm.capabilities().begin_watch();
    watch.begin(numbers.len(), 1 + usize::from(options.save == SaveAt::Steps));
    let mut report: Option<RunReport> = None;
    let prepare = |range: &Range<usize>| {
        let part = ensemble.within(range.clone());
        let mut made = None;
        algorithm.capabilities().evaluate(&mut |threads| {
            made = Some(PreparedSolve::of(threads, &part, options, properties, able));
        })?;
        let made = made.unwrap_or_else(|| Err(SolveError::NotPrepared));
        made.map(|(inputs, _)| inputs)
    };
    let only_samples = !ensemble.varies && ensemble.sweep == [None; 2] && ensemble.axes.is_empty();
    let mut ranges = Ranges::new(numbers, sizes);
    loop {
        let mut range = ranges.next(0);
        let setup = Instant::now();
        let mut inputs = prepare(&range)?;
        if sizes.first >= sizes.most && only_samples && !inputs.inputs.are_stored() {
            // Inputs that the backend draws take no memory.
            range = ranges.next(together(0, sizes.batch));
            inputs = prepare(&range)?;
        }
        let setup = setup.elapsed();
        inputs.options.watch = watch.clone();
        let batch = sizes.batch.map_or(u64::MAX, |batch| batch as u64);
        let counting = batches::count_steps(&mut inputs, place, batch)?;
        let flow = each(&inputs, threads, &mut |sink| {
            let mut run = place(&inputs.options, &inputs.inputs, sink)?;
            run.timings.add(&counting);
            run.timings.setup = setup;
            match &mut report {
                Some(report) => report.add(run),
                none => *none = Some(run),
            }
            Ok(())
        })?;
        // Processes that solve together must end at the same range. All of them find the cancelled
        // trajectories of a range, but each one only its own watch.
        let is_cancelled = watch.is_cancelled() && algorithm.capabilities().ranks.is_none();
        if !ranges.pass(&range) || flow.is_break() || is_cancelled {
            break;
        }
    }
    watch.end();
    let mut report = report.unwrap_or_else(|| unreachable!("there is at least one range"));
    report.timings.total = begin.elapsed();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_all_indices_in_order() {
        let of = |all, first, most| {
            let mut ranges = Ranges::new(all, RangeSizes { first, most, batch: None });
            let mut found = Vec::new();
            loop {
                let range = ranges.next(0);
                found.push((range.start, range.end));
                if !ranges.pass(&range) {
                    return found;
                }
            }
        };
        assert_eq!(of(3..10, 3, 3), [(3, 6), (6, 9), (9, 10)]);
        assert_eq!(of(3..9, 3, 3), [(3, 6), (6, 9)]);
        assert_eq!(of(5..5, 3, 3), [(5, 5)]);
        assert_eq!(of(0..10, usize::MAX, usize::MAX), [(0, 10)]);
        assert_eq!(of(0..20, 2, 5), [(0, 2), (2, 6), (6, 11), (11, 16), (16, 20)]);
        assert_eq!(of(1..4, 9, 2), [(1, 3), (3, 4)]);
        assert_eq!(
            Ranges::new(3..20, RangeSizes { first: 2, most: 4, batch: None }).next(9),
            3..12
        );
    }

    #[test]
    fn multiples_are_whole_groups() {
        assert_eq!([multiple(10, 3), multiple(9, 3), multiple(2, 3)], [9, 9, 3]);
        assert_eq!(multiple(usize::MAX, 4), usize::MAX - 3);
    }

    /// The first range has whole batches, at least one.
    #[test]
    fn ranges_of_a_solve_that_may_end_begin_small() {
        let first = |batch| RangeSizes { first: 1 << 20, most: 1 << 20, batch }.growing().first;
        assert_eq!([None, Some(1000), Some(5000)].map(first), [4096, 4000, 5000]);
        assert_eq!(first(Some(usize::MAX)), usize::MAX);
    }

    #[test]
    fn inputs_fit_and_batches_are_whole() {
        assert_eq!(together(64, None), 1 << 22);
        assert_eq!(together(0, None), 1 << 30);
        assert_eq!(together(1 << 40, None), 1 << 12);
        assert_eq!(together(64, Some(1000)), 4_194_000);
        assert_eq!(together(64, Some(10_000_000)), 10_000_000);
        assert_eq!(together(64, Some(usize::MAX)), usize::MAX);
    }
}
