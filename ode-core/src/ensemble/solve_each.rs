//! Solves that pass each trajectory to a closure, in memory that does not grow with their number.

use crate::ensemble::algorithm::EnsembleAlgorithm;
use crate::ensemble::ranges::{self, Compiled, RangeSizes, SolveRange};
use crate::ensemble::solver::Solver;
use crate::error::{SolveError, SummaryError};
use crate::evaluation::EvaluationThreads;
use crate::lane::{Scalar, each_precision};
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::inputs::InputRange;
use crate::problem::options::SolveOptions;
use crate::problem::prepared::PreparedSolve;
use crate::solution::{
    Backend, EnsembleSolution, RawResults, ResultSink, ReturnCode, RunReport, Timings, Trajectory,
};
use crate::step::properties::Properties;
use crate::system::System;
use core::convert::Infallible;
use core::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Prepares a solve that passes each trajectory to a closure, and stores no solution.
    ///
    /// Nothing is solved until a function of [`SolveEach`] is called. The closures receive each
    /// [`Trajectory`] as `&solution` iterates over them:
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveError, SolveOptions, Unvaried};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1, State<f64> = [f64; 2]>>(
    /// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
    /// # ) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().tolerance(1e-6).saveat(0.1);
    /// // The greatest value of each trajectory, computed on all threads.
    /// let peaks: Vec<f64> = ensemble
    ///     .solve_each(Tsit5, EnsembleThreads, &options)
    ///     .map(|trajectory| trajectory.states().map(|u| u[0]).fold(f64::MIN, f64::max))
    ///     .collect()?;
    /// // The trajectories before the first one that fails, in order.
    /// let sound = ensemble.solve_each(Tsit5, EnsembleThreads, &options).try_fold(
    ///     0,
    ///     |count, trajectory| match trajectory.code().is_success() {
    ///         true => {
    ///             *count += 1;
    ///             ControlFlow::Continue(())
    ///         }
    ///         false => ControlFlow::Break(trajectory.code()),
    ///     },
    /// )?;
    /// println!("{} trajectories, then {:?}", sound.value, sound.flow.break_value());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The closures receive the trajectories with the bits of [`solve`](Self::solve), on every
    /// backend and for any [batch size](SolveEach::batch_size). In
    /// [lockstep](struct@crate::EnsembleCpuArray) this holds for the default batch size only: the
    /// trajectories of a batch share their steps.
    ///
    /// Memory holds the inputs and the results of a few batches. As in [`reduce`](Self::reduce),
    /// the ensemble may have more trajectories than one [`solve`](Self::solve) takes.
    pub fn solve_each<'a, M, A>(
        &'a self,
        method: M,
        algorithm: A,
        options: &'a SolveOptions,
    ) -> SolveEach<'a, S, T, F, M, A, N, P>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        SolveEach { ensemble: self, method, algorithm, options, batch: None }
    }
}

/// A solve that passes each trajectory to closures.
///
/// [`EnsembleProblem::solve_each`] returns this type. One of these functions solves:
///
/// | | closure | returns |
/// |---|---|---|
/// | [`fold`](Self::fold) | changes an accumulator, in the order of the trajectories | the accumulator |
/// | [`try_fold`](Self::try_fold) | may also end the solve | the accumulator and the reason |
/// | [`map`](Self::map), then [`collect`](MapEach::collect) | computes an output, on several threads | the outputs, in order |
/// | [`map`](Self::map), then [`fold`](MapEach::fold) or [`try_fold`](MapEach::try_fold) | both | as above |
///
/// SciML's `output_func` is the closure of `map`, and its `reduction` the closure of a fold.
///
/// # Errors
/// All of these functions return the errors of [`solve`](EnsembleProblem::solve). A trajectory that
/// fails is no error: [`Trajectory::code`] returns the reason.
///
/// # Cancellation
/// If an [`EnsembleWatched`](crate::EnsembleWatched) cancels the solve, the closures receive the
/// trajectories before the first unfinished one. [`Folded::numbers`] has their indices.
#[derive(Clone, Debug)]
#[must_use = "nothing is solved before a call of `fold`, `try_fold`, or of `map` and `collect`"]
pub struct SolveEach<'a, S: System<N, P>, T: Scalar, F, M, A, const N: usize, const P: usize> {
    ensemble: &'a EnsembleProblem<S, T, F, N, P>,
    method: M,
    algorithm: A,
    options: &'a SolveOptions,
    batch: Option<usize>,
}

/// A solve that passes an output of each trajectory to a closure.
///
/// [`SolveEach::map`] returns this type.
#[derive(Clone, Debug)]
#[must_use = "nothing is solved before a call of `collect`, `fold` or `try_fold`"]
pub struct MapEach<'a, S: System<N, P>, T: Scalar, F, M, A, G, const N: usize, const P: usize> {
    each: SolveEach<'a, S, T, F, M, A, N, P>,
    output: G,
}

/// The result of a [fold](SolveEach::fold) over trajectories.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Folded<C, B = Infallible> {
    /// The accumulator.
    pub value: C,
    /// The value with which the closure ended the solve, if it did.
    pub flow: ControlFlow<B>,
    /// The indices in the whole ensemble of the trajectories that the closure received.
    ///
    /// If the closure ended the solve, the last one is the trajectory of that call.
    pub numbers: Range<u64>,
    /// The report of the solve, which may contain further trajectories.
    pub report: RunReport,
}

impl<'a, S, T, F, M, A, const N: usize, const P: usize> SolveEach<'a, S, T, F, M, A, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
    M: Solver,
    A: EnsembleAlgorithm,
{
    /// Sets the number of trajectories with results in memory at a time; at least 1.
    ///
    /// By default the results of a batch take at most 128 MiB, unless 256 trajectories take more.
    /// Set a smaller number if trajectories are expensive and [`try_fold`](Self::try_fold) ends the
    /// solve early. Each batch has a fixed cost, see [`ResultSink::batch`]. The solve refuses 0 by
    /// [`SummaryError::BatchSize`], as [`reduce`](EnsembleProblem::reduce) does.
    pub fn batch_size(self, trajectories: usize) -> Self {
        SolveEach { batch: Some(trajectories), ..self }
    }

    /// Computes an output of each trajectory by `output`, on the threads of the backend.
    ///
    /// Several threads call `output` at a time, in any order. It may also receive trajectories after
    /// the one at which a [`try_fold`](MapEach::try_fold) ends the solve.
    pub fn map<O, G>(self, output: G) -> MapEach<'a, S, T, F, M, A, G, N, P>
    where
        O: Send,
        G: Fn(Trajectory<'_, S, T, N, P>) -> O + Sync,
    {
        MapEach { each: self, output }
    }

    /// Passes each trajectory to `fold`, in order, with an accumulator that begins as `init`.
    ///
    /// One thread at a time calls `fold`. [`map`](Self::map) moves expensive computations to other
    /// threads.
    ///
    /// # Errors
    /// The errors of [`solve`](EnsembleProblem::solve).
    pub fn fold<C: Send>(
        self,
        init: C,
        mut fold: impl FnMut(&mut C, Trajectory<'_, S, T, N, P>) + Send,
    ) -> Result<Folded<C>, SolveError> {
        self.folded(Ends::Late, init, &mut |_, solution, solved, value| {
            (0..solved).for_each(|i| fold(value, solution.trajectory(i)));
            (solved, ControlFlow::Continue(()))
        })
    }

    /// Passes trajectories to `fold`, in order, until it returns [`ControlFlow::Break`].
    ///
    /// The trajectory at which the solve ends does not depend on the backend, nor on the batch
    /// size. By default the solve begins with 4096 trajectories, then 8192 and so on. So it
    /// computes at most 4096 trajectories, or about twice the trajectories that `fold` receives.
    ///
    /// With an error as the value of `Break`, the caller finds the error in [`Folded::flow`].
    ///
    /// # Errors
    /// The errors of [`solve`](EnsembleProblem::solve).
    pub fn try_fold<C: Send, B: Send>(
        self,
        init: C,
        mut fold: impl FnMut(&mut C, Trajectory<'_, S, T, N, P>) -> ControlFlow<B> + Send,
    ) -> Result<Folded<C, B>, SolveError> {
        self.folded(Ends::Early, init, &mut |_, solution, solved, value| {
            let each = (0..solved).map(|i| solution.trajectory(i));
            until_break(each, |trajectory| fold(value, trajectory))
        })
    }

    /// Solves, and passes the accumulator and each batch to `fold`.
    ///
    /// `fold` returns the number of trajectories that it received.
    fn folded<C: Send, B: Send>(
        self,
        ends: Ends,
        init: C,
        fold: &mut FoldBatch<'_, C, B, S, T, N, P>,
    ) -> Result<Folded<C, B>, SolveError> {
        let SolveEach { ensemble, method, algorithm, options, batch } = self;
        if batch == Some(0) {
            return Err(SummaryError::BatchSize.into());
        }
        let system = ensemble.problem.system;
        let (mut value, mut flow, mut count) = (init, ControlFlow::Continue(()), 0);
        let store: &mut Store<'_, T> = &mut |batch: Batch<'_, T>| {
            let Batch { inputs, results, earlier, solved, threads } = batch;
            // Trajectories do not return the report of their batch.
            let backend = Backend::Other { name: String::new() };
            let report = RunReport::new(backend, Timings::default());
            let raw = core::mem::take(results);
            let solution = EnsembleSolution::new(system, inputs, raw, report)?.after(earlier);
            let (received, so_far) = fold(threads, &solution, solved, &mut value);
            count += received as u64;
            flow = so_far;
            *results = solution.into_results();
            Ok(if flow.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let (first, report) =
            ensemble.erased(method, algorithm, options, |spec, properties, compiled| {
                in_batches(spec, options, properties, compiled, (batch, ends), store)
            })?;
        Ok(Folded { value, flow, numbers: first..first + count, report })
    }
}

impl<S, T, F, M, A, O, G, const N: usize, const P: usize> MapEach<'_, S, T, F, M, A, G, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
    M: Solver,
    A: EnsembleAlgorithm,
    O: Send,
    G: Fn(Trajectory<'_, S, T, N, P>) -> O + Sync,
{
    /// Sets the number of trajectories with results in memory at a time.
    ///
    /// See [`SolveEach::batch_size`].
    pub fn batch_size(self, trajectories: usize) -> Self {
        MapEach { each: self.each.batch_size(trajectories), ..self }
    }

    /// Returns the outputs of all trajectories, in order.
    ///
    /// If the solve is cancelled, the vector ends before the first unfinished trajectory.
    ///
    /// # Errors
    /// The errors of [`solve`](EnsembleProblem::solve).
    pub fn collect(self) -> Result<Vec<O>, SolveError> {
        self.fold(Vec::new(), Vec::push).map(|folded| folded.value)
    }

    /// Passes each output to `fold`, in the order of the trajectories.
    ///
    /// # Errors
    /// The errors of [`solve`](EnsembleProblem::solve).
    pub fn fold<C: Send>(
        self,
        init: C,
        mut fold: impl FnMut(&mut C, O) + Send,
    ) -> Result<Folded<C>, SolveError> {
        let MapEach { each, output } = self;
        each.folded(Ends::Late, init, &mut |threads, solution, solved, value| {
            outputs(threads, solved, &|i| output(solution.trajectory(i)))
                .for_each(|output| fold(value, output));
            (solved, ControlFlow::Continue(()))
        })
    }

    /// Passes outputs to `fold`, in order, until it returns [`ControlFlow::Break`].
    ///
    /// See [`SolveEach::try_fold`].
    ///
    /// # Errors
    /// The errors of [`solve`](EnsembleProblem::solve).
    pub fn try_fold<C: Send, B: Send>(
        self,
        init: C,
        mut fold: impl FnMut(&mut C, O) -> ControlFlow<B> + Send,
    ) -> Result<Folded<C, B>, SolveError> {
        let MapEach { each, output } = self;
        each.folded(Ends::Early, init, &mut |threads, solution, solved, value| {
            let outputs = outputs(threads, solved, &|i| output(solution.trajectory(i)));
            until_break(outputs, |output| fold(value, output))
        })
    }
}

/// Passes a batch to a user's closure: its threads, solution, number of finished trajectories, and
/// the accumulator.
type FoldBatch<'a, C, B, S, T, const N: usize, const P: usize> = dyn FnMut(
        EvaluationThreads,
        &EnsembleSolution<S, T, N, P>,
        usize,
        &mut C,
    ) -> (usize, ControlFlow<B>)
    + Send
    + 'a;

/// Calls `fold` until it returns `Break`. Returns also the number of calls.
fn until_break<V, B>(
    values: impl Iterator<Item = V>,
    mut fold: impl FnMut(V) -> ControlFlow<B>,
) -> (usize, ControlFlow<B>) {
    let mut count = 0;
    for value in values {
        count += 1;
        let flow = fold(value);
        if flow.is_break() {
            return (count, flow);
        }
    }
    (count, ControlFlow::Continue(()))
}

/// Returns `output(i)` for each `i` below `n`, in order.
///
/// Threads compute parts of many outputs, so that the loop of threads is compiled once for all
/// types of outputs.
fn outputs<O: Send>(
    threads: EvaluationThreads,
    n: usize,
    output: &(dyn Fn(usize) -> O + Sync),
) -> impl Iterator<Item = O> + use<O> {
    let len = n.div_ceil(256).clamp(1, 1024);
    let mut parts = Vec::new();
    parts.resize_with(n.div_ceil(len), || Mutex::new(Vec::new()));
    threads.each(parts.len(), &|k| {
        let computed = (k * len..n.min((k + 1) * len)).map(output).collect();
        *parts[k].lock().unwrap_or_else(PoisonError::into_inner) = computed;
    });
    parts.into_iter().flat_map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Whether the consumer of a solve may end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// The consumer may need few trajectories.
    Early,
    /// The consumer needs all trajectories.
    Late,
}

/// A batch of a solve.
struct Batch<'a, T> {
    inputs: PreparedSolve<T>,
    results: &'a mut RawResults<T>,
    /// The number of trajectories of the solve before this batch.
    earlier: usize,
    /// The number of trajectories before the first unfinished one.
    solved: usize,
    threads: EvaluationThreads,
}

/// Receives the batches of a solve.
type Store<'a, T> = dyn FnMut(Batch<'_, T>) -> Result<ControlFlow<()>, SolveError> + Send + 'a;

each_precision! {
    /// Solves an ensemble in batches.
    ///
    /// Returns the index of the first trajectory in the whole ensemble, and the report.
    fn in_batches<'a, T>(
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        properties: &'a Properties,
        compiled: Compiled<'a, T>,
        sizes: (Option<usize>, Ends),
        store: &'a mut Store<'a, T>,
    ) -> Result<(u64, RunReport), SolveError> = batched, batched;
}

/// Solves an ensemble in ranges of trajectories, and these in batches.
fn batched<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    (batch, ends): (Option<usize>, Ends),
    store: &mut Store<'_, T>,
) -> Result<(u64, RunReport), SolveError> {
    let sizes = RangeSizes::new(ensemble, compiled.0, batch);
    let sizes = if ends == Ends::Early { sizes.growing() } else { sizes };
    let mut first = None;
    let each = &mut |inputs: &PreparedSolve<T>, threads, solve: SolveRange<'_, T>| {
        let first = *first.get_or_insert(inputs.inputs.first);
        let batch = sizes.batch.unwrap_or_else(|| inputs.layout().batch::<T>());
        let flow = ControlFlow::Continue(());
        let mut sink = EachBatch { inputs, threads, batch, first, flow, store };
        solve(&mut sink)?;
        Ok(sink.flow)
    };
    let report = ranges::each_range(ensemble, options, properties, compiled, sizes, each)?;
    Ok((first.unwrap_or_default(), report))
}

/// A sink that passes batches on, with their inputs.
struct EachBatch<'a, 'b, T> {
    inputs: &'a PreparedSolve<T>,
    threads: EvaluationThreads,
    batch: usize,
    /// The index of the first trajectory of the solve.
    first: u64,
    flow: ControlFlow<()>,
    store: &'a mut Store<'b, T>,
}

impl<T: Scalar> ResultSink<T> for EachBatch<'_, '_, T> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let inputs =
            PreparedSolve { options: self.inputs.options.clone(), inputs: batch.to_inputs()? };
        let is_cancelled = |&i: &usize| results.code(i) == ReturnCode::Cancelled;
        let solved = (0..batch.len()).find(is_cancelled).unwrap_or(batch.len());
        let earlier = (batch.numbers().start - self.first) as usize;
        let threads = self.threads;
        self.flow = (self.store)(Batch { inputs, results, earlier, solved, threads })?;
        if solved < batch.len() {
            self.flow = ControlFlow::Break(());
        }
        Ok(self.flow)
    }
}
