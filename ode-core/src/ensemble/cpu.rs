//! The backends of the CPU.

use crate::ensemble::algorithm::{Capabilities, EnsembleAlgorithm, EvaluationPool, Evaluator};
use crate::ensemble::batches::{chunk_size, each_batch, lanes};
use crate::ensemble::chunk::{Chunk, ChunkCutter};
use crate::ensemble::raw_gradients::GradientSlices;
use crate::ensemble::request::{AdjointJob, Request, RequestVisitor, SolveJob};
use crate::ensemble::schedule::Schedule;
use crate::ensemble::task::{In, Lanes, OneLane};
use crate::ensemble::work_queue::Divisible;
use crate::ensemble::worker::CpuTask;
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::solution::{Backend, RunReport, Timings};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A backend that solves one trajectory after the other on the calling thread.
///
/// It computes in scalar arithmetic. This backend is the reference for the bits of all others, and
/// the fastest one for one or two trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnsembleSerial;

/// A backend that solves on all threads of the CPU, in the SIMD lanes of each.
///
/// `EnsembleThreads` by itself is `EnsembleThreads::new()`.
///
/// ```
/// # use ode_core::{EnsembleProblem, OdeProblem, SolveError, methods::Tsit5, system::System};
/// use ode_core::{EnsembleThreads, SolveOptions};
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
///
/// let ensemble = EnsembleProblem::new(problem).over(&[[0.1], [0.2], [0.3]]);
/// let options = SolveOptions::default();
/// let all_cores = ensemble.solve(Tsit5, EnsembleThreads, &options)?;
///
/// let four_threads = EnsembleThreads::new().threads(4);
/// let same_bits = ensemble.solve(Tsit5, &four_threads, &options)?;
/// assert_eq!(all_cores.final_states(), same_bits.final_states());
/// # Ok(())
/// # }
/// ```
///
/// The instruction set is chosen at run time. Rayon's current pool evaluates the ensemble's
/// problems and integrates the trajectories; after [`threads`](EnsembleThreads::threads) a pool
/// that belongs to this value does.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct EnsembleThreads {
    own: Option<Arc<OwnThreads>>,
    pub(super) instructions: Option<InstructionSet>,
    schedule: Schedule,
    batch: Option<usize>,
}

/// [`EnsembleThreads::new()`] as a constant, for use as a name like `EnsembleSerial` and methods.
// The documentation lists the name once, as the struct.
#[doc(hidden)]
#[allow(non_upper_case_globals)]
pub const EnsembleThreads: EnsembleThreads = EnsembleThreads::new();

/// A pool with a chosen number of threads, which the first solve starts and later ones reuse.
#[derive(Debug)]
struct OwnThreads {
    count: usize,
    pool: OnceLock<Result<ThreadPool, Arc<ThreadPoolBuildError>>>,
}

impl EnsembleThreads {
    /// Returns a backend on rayon's current pool with the machine's best instruction set.
    pub const fn new() -> Self {
        EnsembleThreads { own: None, instructions: None, schedule: Schedule::Auto, batch: None }
    }

    /// Uses this many threads of its own instead of rayon's current pool.
    ///
    /// 0 is the number of cores. The first solve starts the threads, and they end with the last
    /// clone of this value: to solve more than once, keep the value and pass `&threads`. If the
    /// number exceeds both 1024 and the number of cores, a solve fails with
    /// [`SolveError::TooManyThreads`].
    pub fn threads(self, threads: usize) -> Self {
        let own = OwnThreads { count: threads, pool: OnceLock::new() };
        EnsembleThreads { own: Some(Arc::new(own)), ..self }
    }

    /// Runs `work` on the threads of this backend.
    pub(super) fn install<R: Send>(
        &self,
        work: impl FnOnce() -> R + Send,
    ) -> Result<R, SolveError> {
        let (mut work, mut result) = (Some(work), None);
        EvaluationPool::install(self, &mut || result = work.take().map(|work| work()))?;
        Ok(result.unwrap_or_else(|| unreachable!("the closure runs once")))
    }

    /// Uses the lanes of this instruction set instead of the best one.
    ///
    /// If the machine lacks the instruction set, the baseline replaces it.
    pub fn instructions(self, instructions: InstructionSet) -> Self {
        EnsembleThreads { instructions: Some(instructions), ..self }
    }

    /// Sets when lanes take the next trajectory; see [`Schedule`].
    pub fn schedule(self, schedule: Schedule) -> Self {
        EnsembleThreads { schedule, ..self }
    }

    /// Sets the number of trajectories that a thread takes at a time, at least 1.
    ///
    /// By default the library chooses a number such that all threads have work.
    pub fn batch(self, trajectories: usize) -> Self {
        EnsembleThreads { batch: Some(trajectories.max(1)), ..self }
    }
}

/// Solves a chunk by `run`, until it is finished or the solve is cancelled.
fn solve_chunk<T: Scalar>(
    cutter: &ChunkCutter<'_>,
    settings: &ResolvedOptions<T>,
    chunk: Chunk<'_, T>,
    run: &(dyn Fn(Chunk<'_, T>) -> Result<(), SolveError> + Sync),
) -> Result<(), SolveError> {
    let rest = cutter.run(chunk, &mut |chunk| {
        let count = chunk.count();
        run(chunk)?;
        settings.watch.finished(count);
        Ok(())
    })?;
    if let Some(rest) = rest {
        rest.cancel();
    }
    Ok(())
}

impl RequestVisitor for EnsembleSerial {
    /// Solves one trajectory after the other, on the calling thread.
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let begin = Instant::now();
        let run = |Chunk { inputs, results, .. }: Chunk<'_, T>| {
            task.run(In::OneLane, settings, inputs, results, Schedule::Refill)
        };
        let cutter = ChunkCutter::new(&settings.watch, 1);
        each_batch(settings, columns, sink, &mut |batch, results| {
            let results = ResultSlices::whole(results, batch.len());
            solve_chunk(&cutter, settings, Chunk { inputs: batch, results, gradients: None }, &run)
        })?;
        Ok(report("scalar".to_string(), 1, begin))
    }

    /// Computes the gradients of one trajectory after the other, on the calling thread.
    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let AdjointJob { task, options: settings, inputs: columns, cotangents, results, gradients } =
            job;
        let begin = Instant::now();
        let n = columns.trajectories;
        let (results, gradients) =
            (ResultSlices::whole(results, n), Some(GradientSlices::whole(gradients, n)));
        let task = CpuTask::Adjoint(task, cotangents);
        let run = |mut chunk: Chunk<'_, T>| task.run(In::OneLane, settings, &mut chunk);
        let cutter = ChunkCutter::new(&settings.watch, 1);
        let whole = Chunk { inputs: columns.all(), results, gradients };
        solve_chunk(&cutter, settings, whole, &run)?;
        Ok(report("scalar".to_string(), 1, begin))
    }
}

impl EnsembleAlgorithm for EnsembleSerial {
    type Compiled = OneLane;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { evaluation: Evaluator::Caller, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

impl RequestVisitor for EnsembleThreads {
    /// Solves trajectories on threads, in lanes.
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let isa = self.instructions.unwrap_or_else(InstructionSet::best);
        let begin = Instant::now();
        let schedule = self.schedule.of_lanes(settings.adaptive);
        let run = || {
            let count = rayon::current_num_threads();
            let lanes = lanes::<T>(isa, columns.u0.len());
            let run = |Chunk { inputs, results, .. }: Chunk<'_, T>| {
                task.run(In::Lanes(isa), settings, inputs, results, schedule)
            };
            let cutter = ChunkCutter::new(&settings.watch, lanes);
            each_batch(settings, columns, sink, &mut |batch, results| {
                let size = self.batch.unwrap_or_else(|| chunk_size(batch.len(), count, lanes));
                let results = ResultSlices::whole(results, batch.len());
                let chunks = Chunk { inputs: batch, results, gradients: None }.cut(size);
                EvaluationThreads::Pool
                    .try_each_of(chunks, &|chunk| solve_chunk(&cutter, settings, chunk, &run))
            })?;
            Ok(report(format!("{isa:?}").to_lowercase(), count, begin))
        };
        self.install(run)?
    }

    /// Computes the gradients of trajectories on threads, in lanes.
    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let AdjointJob { task, options: settings, inputs: columns, cotangents, results, gradients } =
            job;
        let isa = self.instructions.unwrap_or_else(InstructionSet::best);
        let begin = Instant::now();
        let run = || {
            let count = rayon::current_num_threads();
            let (all, lanes) = (columns.all(), lanes::<T>(isa, columns.u0.len()));
            let size = self.batch.unwrap_or_else(|| chunk_size(all.len(), count, lanes));
            let (results, gradients) = (
                ResultSlices::whole(results, all.len()),
                Some(GradientSlices::whole(gradients, all.len())),
            );
            let task = CpuTask::Adjoint(task, cotangents);
            let run = |mut chunk: Chunk<'_, T>| task.run(In::Lanes(isa), settings, &mut chunk);
            let cutter = ChunkCutter::new(&settings.watch, lanes);
            let chunks = Chunk { inputs: all, results, gradients }.cut(size);
            EvaluationThreads::Pool
                .try_each_of(chunks, &|chunk| solve_chunk(&cutter, settings, chunk, &run))?;
            Ok(report(format!("{isa:?}").to_lowercase(), count, begin))
        };
        self.install(run)?
    }
}

/// The evaluation of problems calls closures without a result, which are compiled once.
impl EvaluationPool for EnsembleThreads {
    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), SolveError> {
        let Some(own) = &self.own else {
            work();
            return Ok(());
        };
        SolveError::check_threads(own.count)?;
        let pool = own.pool.get_or_init(|| {
            ThreadPoolBuilder::new().num_threads(own.count).build().map_err(Arc::new)
        });
        match pool {
            Ok(pool) => {
                pool.install(work);
                Ok(())
            }
            Err(error) => Err(SolveError::Backend(error.clone())),
        }
    }
}

impl EnsembleAlgorithm for EnsembleThreads {
    type Compiled = Lanes;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { evaluation: Evaluator::Own(self), ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

pub(super) fn report(instructions: String, threads: usize, begin: Instant) -> RunReport {
    let timings = Timings { solve: begin.elapsed(), ..Timings::default() };
    RunReport::new(Backend::Cpu { instructions, threads }, timings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first solve starts the requested threads, later ones reuse them, and they also evaluate
    /// problems.
    #[test]
    fn own_threads_are_kept() {
        let threads = EnsembleThreads.threads(3);
        let ids = |threads: &EnsembleThreads| {
            let mut found = (0, Vec::new());
            let prepared = threads.capabilities().evaluate(&mut |threads| {
                assert_eq!(threads, EvaluationThreads::Pool);
                let each = rayon::broadcast(|_| std::thread::current().id());
                found = (rayon::current_num_threads(), each);
            });
            prepared.unwrap();
            found
        };
        let (count, first) = ids(&threads);
        assert_eq!(count, 3);
        assert_eq!(ids(&threads).1, first);
        assert_eq!(ids(&threads.clone().batch(7)).1, first);
    }

    #[test]
    fn serial_stays_on_its_thread() {
        let here = std::thread::current().id();
        let mut found = None;
        let prepared = EnsembleSerial
            .capabilities()
            .evaluate(&mut |threads| found = Some((threads, std::thread::current().id())));
        prepared.unwrap();
        assert_eq!(found, Some((EvaluationThreads::Caller, here)));
    }
}
