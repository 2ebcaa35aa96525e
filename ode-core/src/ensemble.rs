//! Where trajectories run: ensemble algorithms, and those of the CPU.

use crate::controller;
use crate::error::SolveError;
use crate::feed::{CpuFeed, Results};
use crate::inputs::Inputs;
use crate::integrate;
use crate::lane::{Real, Scalar};
use crate::methods::{Method, stepper};
use crate::options::SolveOptions;
use crate::problem::{EnsembleProblem, OdeProblem, Vary};
use crate::simd::{self, InstructionSet, Program};
use crate::solution::{Backend, EnsembleSolution, OdeSolution, RawResults, Timings};
use crate::solver::Solver;
use crate::system::System;
use core::marker::PhantomData;
use rayon::prelude::*;
use std::time::Instant;

/// Runs a chunk by one of the four programs for it. A macro, because each way to run it takes four
/// types, and a function generic over the way would compile both for each algorithm.
macro_rules! solve_chunk {
    ($T:ty, $S:ty, $M:ty, [$N:ident, $P:ident, $K:ident], $inputs:expr, $results:expr, $schedule:expr, $run:expr) => {{
        let (inputs, mut results, schedule) = ($inputs, $results, $schedule);
        let results = &mut results;
        macro_rules! solve {
            ($adaptive:literal, $save:literal) => {{
                let marker = PhantomData::<($S, $M)>;
                let chunk = Chunk::<$T, $S, $M, $N, $P, $K, $adaptive, $save> {
                    inputs,
                    results,
                    schedule,
                    marker,
                };
                ($run)(chunk)
            }};
        }
        match (inputs.adaptive, inputs.save.slots() > 0) {
            (true, true) => solve!(true, true),
            (true, false) => solve!(true, false),
            (false, true) => solve!(false, true),
            (false, false) => solve!(false, false),
        }
    }};
}
/// A place where the trajectories of an ensemble are integrated.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where an ensemble is solved",
    label = "expected `EnsembleThreads::new()`, `EnsembleSerial` or `EnsembleGpuKernel::new()`",
    note = "`EnsembleThreads::new()` takes all cores and SIMD lanes, `.threads(n)` fewer"
)]
pub trait EnsembleAlgorithm {
    /// Integrates all trajectories of `inputs`.
    ///
    /// # Errors
    /// If results do not fit into memory, or the place fails.
    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>;
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Solves all trajectories by `method`, where `algorithm` says.
    ///
    /// A trajectory that fails does not fail the solve: its
    /// [`code`](EnsembleSolution::code) says what happened, and the others are what they would be
    /// without it.
    ///
    /// # Errors
    /// If the question is malformed, or the place fails.
    pub fn solve<M, A, const K: usize>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<EnsembleSolution<S, T, N, P>, SolveError>
    where
        M: Solver<K>,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let inputs = Inputs::new(self, options, &method.properties(options, N, S::MASS)?)?;
        let setup = begin.elapsed().as_secs_f64();
        let raw = method.integrate::<T, S, A, N, P>(&algorithm, &inputs)?;
        let mut solution = EnsembleSolution::new(inputs, raw);
        solution.set_times(setup, begin.elapsed().as_secs_f64());
        Ok(solution)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// Solves this one problem by `method`, on the calling thread.
    ///
    /// # Errors
    /// If the question is malformed. A failure on the way is the solution's
    /// [`code`](OdeSolution::code).
    pub fn solve<M, const K: usize>(
        self,
        method: M,
        options: &SolveOptions,
    ) -> Result<OdeSolution<S, T, N, P>, SolveError>
    where
        M: Solver<K>,
    {
        let ensemble = EnsembleProblem::new(self);
        Ok(OdeSolution::new(ensemble.solve(method, EnsembleSerial, options)?))
    }
}

/// One trajectory after the other, on the calling thread: the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnsembleSerial;

/// When a lane whose trajectory has ended takes the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The library's choice: [`Refill`](Schedule::Refill) for adaptive steps, unless all trajectories
    /// run at once, otherwise [`Static`](Schedule::Static).
    #[default]
    Auto,
    /// When all lanes beside it have ended too. Best where all trajectories take equally many
    /// steps.
    Static,
    /// As soon as that pays: taking a trajectory holds up the lanes beside it.
    Refill,
}

/// All threads, each with SIMD lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct EnsembleThreads {
    threads: Option<usize>,
    instructions: Option<InstructionSet>,
    schedule: Schedule,
    batch: Option<usize>,
}

impl EnsembleThreads {
    /// As many threads as rayon's pool has, the best instruction set of the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this many threads instead of rayon's current pool.
    pub fn threads(self, threads: usize) -> Self {
        EnsembleThreads { threads: Some(threads), ..self }
    }

    /// Uses the lanes of this instruction set instead of the best one. One that the machine lacks
    /// is replaced by the baseline.
    pub fn instructions(self, instructions: InstructionSet) -> Self {
        EnsembleThreads { instructions: Some(instructions), ..self }
    }

    /// Sets the schedule.
    pub fn schedule(self, schedule: Schedule) -> Self {
        EnsembleThreads { schedule, ..self }
    }

    /// Gives a thread this many trajectories at a time; at least 1.
    pub fn batch(self, trajectories: usize) -> Self {
        EnsembleThreads { batch: Some(trajectories.max(1)), ..self }
    }
}

impl EnsembleAlgorithm for EnsembleSerial {
    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let begin = Instant::now();
        let mut raw = allocate::<T, N>(inputs, "scalar".to_string(), 1)?;
        for results in chunks::<T, N>(&mut raw, inputs.trajectories) {
            solve_chunk!(T, S, M, [N, P, K], inputs, results, Schedule::Refill, simd::run_scalar);
        }
        raw.timings.solve = begin.elapsed().as_secs_f64();
        Ok(raw)
    }
}

impl EnsembleAlgorithm for EnsembleThreads {
    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let begin = Instant::now();
        let isa = self.instructions.unwrap_or_else(InstructionSet::best);
        let schedule = match self.schedule {
            Schedule::Auto if inputs.adaptive => Schedule::Refill,
            Schedule::Auto => Schedule::Static,
            chosen => chosen,
        };
        let run = || {
            let threads = rayon::current_num_threads();
            let mut raw = allocate::<T, N>(inputs, format!("{isa:?}").to_lowercase(), threads)?;
            let batch = self.batch.unwrap_or_else(|| batch_size(inputs.trajectories, threads));
            chunks::<T, N>(&mut raw, batch).into_par_iter().for_each(|results| {
                solve_chunk!(T, S, M, [N, P, K], inputs, results, schedule, |chunk| simd::run(
                    isa, chunk
                ));
            });
            Ok(raw)
        };
        let mut raw = match self.threads {
            None => run(),
            Some(threads) => match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
                Ok(pool) => pool.install(run),
                Err(error) => Err(SolveError::Backend(std::sync::Arc::new(error))),
            },
        }?;
        raw.timings.solve = begin.elapsed().as_secs_f64();
        Ok(raw)
    }
}

/// Trajectories that a thread takes at a time: enough that the lanes which run dry at the end of a
/// batch do not count, and several batches for each thread, so that all finish together.
fn batch_size(trajectories: usize, threads: usize) -> usize {
    (trajectories / (threads * 8)).clamp(512, 8192)
}

fn allocate<T: Scalar, const N: usize>(
    inputs: &Inputs<T>,
    instructions: String,
    threads: usize,
) -> Result<RawResults<T>, SolveError> {
    let n = inputs.trajectories;
    Ok(RawResults {
        finals: zeros(N, n)?,
        saved: zeros(inputs.saved_numbers(), n)?,
        codes: zeros(1, n)?,
        steps: zeros(1, n)?,
        rejected: zeros(1, n)?,
        backend: Backend::Cpu { instructions, threads },
        timings: Timings::default(),
    })
}

/// `rows * n` zeros, or an error where there is no memory for them.
///
/// # Errors
/// [`SolveError::OutOfMemory`].
pub fn zeros<T: Clone + Default>(rows: usize, n: usize) -> Result<Vec<T>, SolveError> {
    let bytes = rows.saturating_mul(n).saturating_mul(size_of::<T>());
    let mut values = Vec::new();
    values
        .try_reserve_exact(rows.saturating_mul(n))
        .map_err(|_| SolveError::OutOfMemory { bytes })?;
    values.resize(rows * n, T::default());
    Ok(values)
}

/// The results cut into pieces of `batch` trajectories, each with slices of its own.
fn chunks<T, const N: usize>(raw: &mut RawResults<T>, batch: usize) -> Vec<Results<'_, T>> {
    let n = raw.codes.len();
    let codes = raw.codes.chunks_mut(batch);
    let counts = raw.steps.chunks_mut(batch).zip(raw.rejected.chunks_mut(batch));
    let mut pieces: Vec<Results<'_, T>> = codes
        .zip(counts)
        .enumerate()
        .map(|(b, (codes, (steps, rejected)))| Results {
            first: b * batch,
            finals: Vec::with_capacity(N),
            saved: Vec::new(),
            codes,
            steps,
            rejected,
        })
        .collect();
    for row in raw.finals.chunks_mut(n) {
        for (piece, part) in pieces.iter_mut().zip(row.chunks_mut(batch)) {
            piece.finals.push(part);
        }
    }
    for row in raw.saved.chunks_mut(n) {
        for (piece, part) in pieces.iter_mut().zip(row.chunks_mut(batch)) {
            piece.saved.push(part);
        }
    }
    pieces
}

/// A chunk of trajectories as a program for lanes.
struct Chunk<
    'i,
    'r,
    'a,
    T,
    S,
    M,
    const N: usize,
    const P: usize,
    const K: usize,
    const ADAPTIVE: bool,
    const SAVE: bool,
> {
    inputs: &'i Inputs<T>,
    results: &'r mut Results<'a, T>,
    schedule: Schedule,
    marker: PhantomData<(S, M)>,
}

impl<
    T,
    S,
    M,
    const N: usize,
    const P: usize,
    const K: usize,
    const ADAPTIVE: bool,
    const SAVE: bool,
> Program<T> for Chunk<'_, '_, '_, T, S, M, N, P, K, ADAPTIVE, SAVE>
where
    T: Scalar,
    S: System<N, P>,
    M: Method<K>,
{
    type Output = ();
    const VECTORS: usize = simd::vectors(N);

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(self) {
        let inputs = self.inputs;
        let number = |number: T| R::lit(number.widen());
        let single = |number| <R::Single as Real>::lit(f64::from(number));
        let abstol = core::array::from_fn(|d| number(inputs.abstol(d)));
        let steps = [inputs.dt, inputs.dtmin, inputs.dtmax.unwrap_or_default()];
        let options = integrate::options::<R, N>(
            stepper::tolerances::<R, N>(abstol, number(inputs.reltol)),
            steps.map(number),
            inputs.dtmax.is_some(),
            controller::law::<R>(inputs.law.map(single)),
            controller::law::<R>(inputs.stiff_law.map(single)),
            inputs.law_kind,
            <R::Bits as crate::lane::Bits>::lit(inputs.max_steps),
        );
        let n = self.results.codes.len();
        // Statically scheduled, the lanes get one trajectory each, and then the next group.
        let group = if self.schedule == Schedule::Static { R::LANES } else { n };
        let mut from = 0;
        while from < n {
            let to = n.min(from + group);
            let mut feed = CpuFeed::<S, T>::new(inputs, &mut *self.results, from..to);
            integrate::integrate::<R, S, M, _, N, P, K, ADAPTIVE, SAVE>(&mut feed, &options);
            from = to;
        }
    }
}
