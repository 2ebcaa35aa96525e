//! The trait of backends, which integrate the trajectories of an ensemble.

use crate::ensemble::checked_sink::CheckedSink;
use crate::ensemble::ranks::Ranks;
use crate::ensemble::request::{Job, Request, SolveJob};
use crate::ensemble::task::{CompiledLanes, Everything};
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::{Scalar, each_precision};
use crate::memory::PageLock;
use crate::solution::RunReport;
use crate::watch::{SolveWatch, Watch};
use core::fmt;
use std::sync::Arc;

/// A backend, which integrates the trajectories of an ensemble.
///
/// References, boxes and `Arc`s of backends are backends, so a program may choose its backend at
/// run time:
///
/// ```
/// use ode_core::{EnsembleAlgorithm, EnsembleSerial, EnsembleThreads};
///
/// fn backend(threads: usize) -> Box<dyn EnsembleAlgorithm> {
///     match threads {
///         1 => Box::new(EnsembleSerial),
///         count => Box::new(EnsembleThreads::new().threads(count)),
///     }
/// }
/// ```
///
/// A wrapper forwards both functions to its inner backend, and so forwards everything:
///
/// ```
/// use ode_core::ensemble::{Capabilities, Request};
/// use ode_core::{EnsembleAlgorithm, RunReport, SolveError};
///
/// /// Prints the number of trajectories.
/// struct Logged<A>(A);
///
/// impl<A: EnsembleAlgorithm> EnsembleAlgorithm for Logged<A> {
///     type Compiled = A::Compiled;
///
///     fn capabilities(&self) -> Capabilities<'_> {
///         self.0.capabilities()
///     }
///
///     fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
///         println!("{} trajectories", request.trajectories());
///         self.0.run(request)
///     }
/// }
/// ```
///
/// `docs/extending.md` shows how to write a backend.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a backend for ensembles",
    label = "expected `EnsembleThreads`, `EnsembleSerial` or `EnsembleGpuKernel::all()?`",
    note = "`EnsembleThreads` uses all cores and SIMD lanes, and `.threads(n)` fewer cores",
    note = "`EnsembleGpuKernel::all()` is a `Result`, because there may be no GPU: write `?` after \
            it"
)]
pub trait EnsembleAlgorithm {
    /// The parts of a task that the backend needs compiled.
    ///
    /// [`Everything`](crate::ensemble::task::Everything) is always right.
    type Compiled: CompiledLanes
    where
        Self: Sized;

    /// Returns the capabilities of the backend besides running requests.
    fn capabilities(&self) -> Capabilities<'_>;

    /// Runs a request: a forward solve or an adjoint, in one of the precisions.
    ///
    /// # Errors
    /// If the results do not fit into memory, or if the backend or the sink of results fails.
    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError>;
}

/// The capabilities of a backend besides running requests.
///
/// The default has none: rayon's current pool evaluates the ensemble's problems before the solve.
#[derive(Clone, Copy, Default)]
pub struct Capabilities<'a> {
    /// The threads that evaluate the ensemble's problems.
    pub evaluation: Evaluator<'a>,
    /// Whether the backend can solve while later problems are still being evaluated.
    ///
    /// The problems are evaluated on the threads of rayon's current pool. Such a backend does not
    /// occupy these threads while it [waits](crate::problem::inputs::Input::get) for values of an
    /// input.
    pub begins_early: bool,
    /// The device that reads the inputs of a solve that begins early.
    ///
    /// It reads page-locked memory directly. `None` if the backend has no use for such memory.
    pub page_lock: Option<&'a dyn PageLock>,
    /// Whether the backend itself draws sampled inputs.
    ///
    /// These are the quantities with rules of
    /// [`EnsembleProblem::sample`](crate::EnsembleProblem::sample), if nothing else reads them.
    /// Such an input (a [`Input`](crate::problem::inputs::Input)) has no values in memory: lanes
    /// draw a value when they take a trajectory, kernels contain the code for it, and
    /// [`get`](crate::problem::inputs::Input::get) draws one value. The bits are the same.
    pub draws_samples: bool,
    /// Whether the trajectories of a batch influence each other, as in lockstep.
    ///
    /// The bits of a trajectory then depend on the other trajectories of its batch. Several
    /// processes cannot solve the ensemble of such a backend together.
    pub couples_trajectories: bool,
    /// The processes that compute sums over trajectories together with this one.
    ///
    /// A training run computes such sums. `None` if there are no other processes.
    pub ranks: Option<&'a dyn Ranks>,
    /// The watch of the backend's solves; only
    /// [`EnsembleWatched`](crate::EnsembleWatched) has one.
    ///
    /// Each solve gives its backend a [`SolveWatch`](crate::SolveWatch) in the resolved options.
    pub watch: Option<&'a Watch>,
}

/// The threads that evaluate the problems of an ensemble.
#[derive(Clone, Copy, Default)]
pub enum Evaluator<'a> {
    /// The calling thread alone.
    Caller,
    /// The threads of rayon's current pool.
    #[default]
    Pool,
    /// A pool of the backend's own.
    Own(&'a dyn EvaluationPool),
}

/// A pool of threads for the evaluation of problems.
pub trait EvaluationPool {
    /// Calls `work` once on the pool, as its current pool, and waits.
    ///
    /// # Errors
    /// If the pool cannot start its threads.
    fn install(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), SolveError>;
}

impl Capabilities<'_> {
    /// Begins the watch of a solve.
    pub(crate) fn begin_watch(&self) -> SolveWatch {
        self.watch.map_or(SolveWatch::NONE, Watch::begin)
    }

    /// Calls `make`, which evaluates the ensemble's problems, once on the threads of the backend.
    ///
    /// # Errors
    /// If the backend cannot start its threads.
    pub fn evaluate(
        &self,
        make: &mut (dyn FnMut(EvaluationThreads) + Send),
    ) -> Result<(), SolveError> {
        match self.evaluation {
            Evaluator::Caller => make(EvaluationThreads::Caller),
            Evaluator::Pool => make(EvaluationThreads::Pool),
            Evaluator::Own(pool) => return pool.install(&mut || make(EvaluationThreads::Pool)),
        }
        Ok(())
    }
}

impl fmt::Debug for Capabilities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capabilities")
            .field("evaluation", &self.evaluation)
            .field("begins_early", &self.begins_early)
            .field("page_lock", &self.page_lock.is_some())
            .field("draws_samples", &self.draws_samples)
            .field("couples_trajectories", &self.couples_trajectories)
            .field("ranks", &self.ranks.map(|ranks| (ranks.rank(), ranks.of())))
            .field("watch", &self.watch)
            .finish()
    }
}

impl fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evaluator::Caller => "Caller",
            Evaluator::Pool => "Pool",
            Evaluator::Own(_) => "Own",
        })
    }
}

/// Implements [`EnsembleAlgorithm`] for pointers to backends.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty, $compiled:ty;)*) => { $(
        impl<$($generics)*> EnsembleAlgorithm for $pointer {
            type Compiled = $compiled;

            fn capabilities(&self) -> Capabilities<'_> {
                (**self).capabilities()
            }

            fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
                (**self).run(request)
            }
        }
    )* };
}
// The needs of a backend behind a `dyn` are unknown at compile time; boxes and `Arc`s usually hold
// a `dyn`.
pointers! {
    [A: EnsembleAlgorithm] &A, A::Compiled;
    [] &dyn EnsembleAlgorithm, Everything;
    [] &(dyn EnsembleAlgorithm + Send + Sync), Everything;
    [A: EnsembleAlgorithm + ?Sized] Box<A>, Everything;
    [A: EnsembleAlgorithm + ?Sized] Arc<A>, Everything;
}

/// Runs a job on a backend, as a [`Request`] in the precision of the job, and checks its results.
///
/// A sink receives the results of all trajectories once, in order, in batches of its size, and with
/// the lengths that the job requires. An adjoint writes all its arrays, and the code of each
/// trajectory.
///
/// # Errors
/// The errors of the backend and of [`Job::check`]; [`SolveError::Results`] and
/// [`SolveError::Batch`] for wrong results.
pub fn run_job<T: Scalar>(
    backend: &dyn EnsembleAlgorithm,
    job: Job<'_, T>,
) -> Result<RunReport, SolveError> {
    // A shorter borrow of the sink, so that the backend need not live as long as the sink.
    match job {
        Job::Solve(job) => run(backend, Job::Solve(SolveJob { sink: &mut *job.sink, ..job })),
        Job::Adjoint(job) => run(backend, Job::Adjoint(job)),
    }
}

each_precision! {
    fn run<'a, T>(
        backend: &'a dyn EnsembleAlgorithm,
        job: Job<'a, T>,
    ) -> Result<RunReport, SolveError> = single, double;
}

fn single(backend: &dyn EnsembleAlgorithm, job: Job<'_, f32>) -> Result<RunReport, SolveError> {
    checked(job, &|job| backend.run(Request::Single(job)))
}

fn double(backend: &dyn EnsembleAlgorithm, job: Job<'_, f64>) -> Result<RunReport, SolveError> {
    checked(job, &|job| backend.run(Request::Double(job)))
}

/// Checks a job, runs it, and checks its results.
fn checked<T: Scalar>(
    job: Job<'_, T>,
    run: &dyn Fn(Job<'_, T>) -> Result<RunReport, SolveError>,
) -> Result<RunReport, SolveError> {
    job.check()?;
    match job {
        Job::Solve(SolveJob { task, options, inputs, sink }) => {
            let mut sink = CheckedSink::new(options, inputs, sink);
            let report = run(Job::Solve(SolveJob { task, options, inputs, sink: &mut sink }))?;
            sink.finish(&options.watch)?;
            Ok(report)
        }
        Job::Adjoint(mut job) => {
            job.unsolve();
            let report = run(Job::Adjoint(job.reborrow()))?;
            job.check_results()?;
            Ok(report)
        }
    }
}
