//! A sink that stores a sum for each batch of trajectories, in the memory of one batch.

use crate::workloads::results::{bits, differences};
use odes::backend::{
    Collect, EnsembleAlgorithm, Everything, InputRange, Layout, PreparedSolve, RawResults,
    ResultArray, ResultSink, RunReport,
};
use odes::lane::Scalar;
use odes::system::System;
use odes::{SolveError, Solver};
use std::ops::{ControlFlow, Range};

/// Stores a sum of the bits of each batch.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// The number of trajectories of a batch.
    pub(crate) batch: u64,
    /// The number of batches after which the sink stops the solve.
    pub(crate) enough: usize,
    /// The trajectories of each batch, and their sum.
    pub(crate) sums: Vec<(Range<u64>, u64)>,
    /// The largest capacity for final states.
    pub(crate) capacity: usize,
}

impl Sums {
    pub(crate) fn by(batch: u64) -> Self {
        Sums { batch, enough: usize::MAX, ..Sums::default() }
    }
}

impl<T: Scalar> ResultSink<T> for Sums {
    fn batch(&self) -> u64 {
        self.batch
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let n = batch.len();
        assert_eq!(results.codes.len(), n);
        self.capacity = self.capacity.max(results.codes.capacity());
        self.sums.push((batch.numbers(), sum(results, n, 0..n)));
        let enough = self.sums.len() == self.enough;
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// Returns a sum of all bits of the trajectories `part` of `n`, which depends on their order.
fn sum<T: Scalar>(results: &RawResults<T>, n: usize, part: Range<usize>) -> u64 {
    let all = ResultArray::ALL.into_iter().flat_map(|array| bits(results, array, n, part.clone()));
    all.fold(0, |sum: u64, bits| sum.rotate_left(7).wrapping_mul(0x9e37_79b9).wrapping_add(bits))
}

/// Solves into `sink`.
pub(crate) fn solve_into<S, M, T, const N: usize, const P: usize>(
    (system, method): (S, M),
    place: &dyn EnsembleAlgorithm,
    inputs: &PreparedSolve<T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<RunReport, SolveError>
where
    S: System<N, P>,
    M: Solver,
    T: Scalar,
{
    let PreparedSolve { options: settings, inputs: columns } = inputs;
    method.integrate::<T, S, Everything, N, P>(system, place, settings, columns, sink)
}

/// Returns all results of one backend in memory.
pub(crate) fn collected<S, M, T, const N: usize, const P: usize>(
    (system, method): (S, M),
    place: &dyn EnsembleAlgorithm,
    inputs: &PreparedSolve<T>,
) -> RawResults<T>
where
    S: System<N, P>,
    M: Solver,
    T: Scalar,
{
    let mut all = Collect::default();
    solve_into((system, method), place, inputs, &mut all).unwrap();
    let all = all.into_results();
    let (layout, n) = (Layout::new(&inputs.options, &inputs.inputs), inputs.inputs.trajectories);
    assert_eq!((all.finals.len(), all.saved.len()), (layout.states * n, layout.saved() * n));
    all
}

/// Checks that `place` returns parts of `whole`, for batches of several sizes.
///
/// `whole` contains the results of another backend in one batch.
pub(crate) fn same_in_batches<S, M, T, const N: usize, const P: usize>(
    (system, method): (S, M),
    place: &dyn EnsembleAlgorithm,
    inputs: &PreparedSolve<T>,
    whole: &RawResults<T>,
) where
    S: System<N, P>,
    M: Solver,
    T: Scalar,
{
    let n = inputs.inputs.trajectories;
    let first = inputs.inputs.first;
    for batch in [1000, 999, n as u64, u64::MAX] {
        let mut sums = Sums::by(batch);
        solve_into((system, method), place, inputs, &mut sums).unwrap();
        let len = usize::try_from(batch).unwrap_or(n).min(n);
        let expected: Vec<_> = (0..n)
            .step_by(len)
            .map(|from| {
                let part = from..n.min(from + len);
                (first + part.start as u64..first + part.end as u64, sum(whole, n, part))
            })
            .collect();
        assert_eq!(sums.sums, expected, "batches of {batch}");
        // Memory is reused, and never larger than a batch.
        assert!(sums.capacity <= len, "{} for batches of {batch}", sums.capacity);
    }
    for array in ResultArray::ALL {
        let mut wanted = Collect::of([array].into());
        solve_into((system, method), place, inputs, &mut wanted).unwrap();
        let found = wanted.into_results();
        for other in ResultArray::ALL {
            // Counts of events stay, because trajectories count in them.
            if [array, ResultArray::Events].contains(&other) {
                let all = differences(other, n, whole, &found);
                assert!(all.is_empty(), "only {array:?}: {}", all[0]);
            } else {
                assert_eq!(*other.of(&found.lengths()), 0, "{other:?} beside {array:?}");
            }
        }
    }
}
