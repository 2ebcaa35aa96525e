//! Where trajectories run: ensemble algorithms, and those of the CPU.

pub(crate) mod choice;
mod feed;
pub(crate) mod host;
mod outlined;
pub(crate) mod pieces;
#[doc(hidden)]
pub mod solver;
pub mod task;
pub(crate) mod workers;

pub use pieces::room;

use crate::ensemble::host::{Facts, Place};
use crate::ensemble::solver::Solver;
use crate::ensemble::task::{Compiled, Task};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::problem::columns::Columns;
use crate::problem::inputs::{Inputs, Workers};
use crate::problem::options::SolveOptions;
use crate::problem::settings::Settings;
use crate::problem::{EnsembleProblem, OdeProblem, Vary};
use crate::solution::{Collect, EnsembleSolution, OdeSolution, ResultSink, RunReport};
use crate::system::System;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A place where the trajectories of an ensemble are integrated. References, boxes and `Arc`s of
/// places are places, so a program may choose its place at run time:
///
/// ```
/// use ode_core::{EnsembleAlgorithm, EnsembleSerial, EnsembleThreads};
///
/// fn place(threads: usize) -> Box<dyn EnsembleAlgorithm> {
///     match threads {
///         1 => Box::new(EnsembleSerial),
///         count => Box::new(EnsembleThreads::new().threads(count)),
///     }
/// }
/// ```
///
/// `docs/extending.md` shows a place of one's own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where an ensemble is solved",
    label = "expected `EnsembleThreads`, `EnsembleSerial` or `EnsembleGpuKernel::all()?`",
    note = "`EnsembleThreads` takes all cores and SIMD lanes, `.threads(n)` fewer",
    note = "`EnsembleGpuKernel::all()` is a `Result`, since there may be no GPU: write `?` behind it"
)]
pub trait EnsembleAlgorithm {
    /// What it needs compiled of a task. [`Everything`](task::Everything) is always right.
    type Compiled: Compiled
    where
        Self: Sized;

    /// Calls `make`, which evaluates the ensemble's problems, once, where this place has threads
    /// for that; by default on those of rayon's current pool.
    ///
    /// # Errors
    /// If the place has no threads.
    fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
        make(Workers::Pool);
        Ok(())
    }

    /// Integrates the trajectories of `columns` in `f32`, and hands the results to `sink`, block by
    /// block and in order, until there are no more or it has [enough](ResultSink::store).
    ///
    /// # Errors
    /// If results do not fit into memory, or the place or `sink` fails.
    fn single(
        &self,
        task: &dyn Task<f32>,
        settings: &Settings<f32>,
        columns: &Columns<f32>,
        sink: &mut dyn ResultSink<f32>,
    ) -> Result<RunReport, SolveError>;

    /// Integrates the trajectories of `columns` in `f64`, as [`single`](Self::single) does.
    ///
    /// # Errors
    /// As [`single`](Self::single).
    fn double(
        &self,
        task: &dyn Task<f64>,
        settings: &Settings<f64>,
        columns: &Columns<f64>,
        sink: &mut dyn ResultSink<f64>,
    ) -> Result<RunReport, SolveError>;
}

/// Implements [`EnsembleAlgorithm`] for pointers to places.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty, $compiled:ty;)*) => { $(
        impl<$($generics)*> EnsembleAlgorithm for $pointer {
            type Compiled = $compiled;
            pointers!(@);
        }
    )* };
    (@) => {
        fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
            (**self).prepare(make)
        }

        fn single(
            &self,
            task: &dyn Task<f32>,
            settings: &Settings<f32>,
            columns: &Columns<f32>,
            sink: &mut dyn ResultSink<f32>,
        ) -> Result<RunReport, SolveError> {
            (**self).single(task, settings, columns, sink)
        }

        fn double(
            &self,
            task: &dyn Task<f64>,
            settings: &Settings<f64>,
            columns: &Columns<f64>,
            sink: &mut dyn ResultSink<f64>,
        ) -> Result<RunReport, SolveError> {
            (**self).double(task, settings, columns, sink)
        }
    };
}
// What a place behind a `dyn` needs is not known, and boxes and `Arc`s are there to have one.
pointers! {
    [A: EnsembleAlgorithm] &A, A::Compiled;
    [] &dyn EnsembleAlgorithm, task::Everything;
    [] &(dyn EnsembleAlgorithm + Send + Sync), task::Everything;
    [A: EnsembleAlgorithm + ?Sized] Box<A>, task::Everything;
    [A: EnsembleAlgorithm + ?Sized] Arc<A>, task::Everything;
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Solves all trajectories by `method` in the place `algorithm`:
    /// [`EnsembleThreads`](struct@EnsembleThreads), [`EnsembleSerial`] or `EnsembleGpuKernel`. All
    /// of them give the same bits.
    ///
    /// A trajectory that fails does not fail the solve: its
    /// [`code`](EnsembleSolution::code) says what happened, and the others are what they would be
    /// without it.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
    /// let ensemble = EnsembleProblem::new(problem).trajectories(1000).vary(|mut problem, i| {
    ///     problem.p[0] = 0.001 * i as f64;
    ///     problem
    /// });
    /// let options = SolveOptions::default().tolerance(1e-6).saveat([1.0, 2.0]);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &options)?;
    /// assert_eq!(solution.states().shape(), [1000, 2, 2]); // trajectory, save, component
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SolveError`]: if the problem or the options are invalid, the results do not fit into
    /// memory, or the place fails.
    pub fn solve<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<EnsembleSolution<S, T, N, P>, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let mut sink = Collect::default();
        let (inputs, run) = self.integrate(method, algorithm, options, &mut sink)?;
        let system = self.problem.system;
        let mut solution = EnsembleSolution::new(system, inputs, sink.into_results(), run)?;
        solution.set_axes(T::named(self.sweep.axes(), &Facts::of(&system)));
        solution.set_total_time(begin.elapsed().as_secs_f64());
        Ok(solution)
    }

    /// Solves as [`solve`](Self::solve) does, and hands the results to `sink`, a block of
    /// trajectories at a time, instead of keeping them in memory.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// # use ode_core::problem::columns::ColumnRange;
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, RawResults, ResultSink, SolveError};
    /// # use ode_core::{SolveOptions, Unvaried, methods::Tsit5, system::System};
    /// /// The sum of the first component of all final states.
    /// struct Sum(f64);
    ///
    /// impl ResultSink<f64> for Sum {
    ///     fn block(&self) -> u64 {
    ///         10_000
    ///     }
    ///
    ///     fn store(
    ///         &mut self,
    ///         block: ColumnRange<'_, f64>,
    ///         results: &mut RawResults<f64>,
    ///     ) -> Result<ControlFlow<()>, SolveError> {
    ///         self.0 += results.finals[..block.len()].iter().sum::<f64>();
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    /// }
    ///
    /// # fn of<S: System<2, 1>>(
    /// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
    /// # ) -> Result<(), SolveError> {
    /// let mut sum = Sum(0.0);
    /// ensemble.solve_into(Tsit5, EnsembleThreads, &SolveOptions::default(), &mut sum)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`solve`](Self::solve), and what the sink returns.
    pub fn solve_into<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let (_, mut run) = self.integrate(method, algorithm, options, sink)?;
        run.timings.total = begin.elapsed().as_secs_f64();
        Ok(run)
    }

    /// The inputs of a solve, whose results `sink` got.
    fn integrate<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<(Inputs<T>, RunReport), SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let begin = Instant::now();
        let properties = method.properties(options, N, S::MASS)?;
        let mut made = None;
        algorithm.prepare(&mut |workers| {
            made = Some(Inputs::by(workers, self, options, &properties));
        })?;
        let mut inputs = made.unwrap_or_else(|| Err(SolveError::NotPrepared))?;
        let setup = begin.elapsed().as_secs_f64();
        let system = self.problem.system;
        let place: Place<'_, T> = &|settings, columns, sink| {
            method.integrate::<T, S, A::Compiled, N, P>(system, &algorithm, settings, columns, sink)
        };
        let mut run = T::into_sink(&mut inputs, place, sink)?;
        run.timings.setup = setup;
        Ok((inputs, run))
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// Solves this one problem by `method`, on the calling thread.
    ///
    /// # Errors
    /// [`SolveError`]: if the problem or the options are invalid. A failure during the integration
    /// is the solution's [`code`](OdeSolution::code) instead.
    pub fn solve<M>(
        self,
        method: M,
        options: &SolveOptions,
    ) -> Result<OdeSolution<S, T, N, P>, SolveError>
    where
        M: Solver,
    {
        let ensemble = EnsembleProblem::new(self);
        Ok(OdeSolution::new(ensemble.solve(method, EnsembleSerial, options)?))
    }
}

/// Solves one trajectory after the other in scalar arithmetic, on the calling thread and no other.
/// It is the reference for the bits of all other places, and the fastest place for one or two
/// trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnsembleSerial;

/// When a lane whose trajectory has ended takes the next one from the work queue. It changes the
/// time of a solve, and no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The library's choice: [`Refill`](Schedule::Refill) for adaptive steps, unless all
    /// trajectories run at once, otherwise [`Static`](Schedule::Static).
    #[default]
    Auto,
    /// When all lanes of the same registers or warp have ended too. Best where all trajectories
    /// take equally many steps.
    Static,
    /// As soon as it pays: while one lane takes a trajectory, the lanes beside it wait.
    Refill,
}

/// Solves on all threads of the CPU, in SIMD lanes on each: the instruction set is chosen at run
/// time.
///
/// `EnsembleThreads` by itself is `EnsembleThreads::new()`. The ensemble's problems are evaluated
/// and its trajectories integrated by rayon's current pool, or by a pool of its own after
/// [`threads`](EnsembleThreads::threads).
///
/// ```
/// use ode_core::EnsembleThreads;
///
/// let all_cores = EnsembleThreads;
/// let four_threads = EnsembleThreads::new().threads(4);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct EnsembleThreads {
    own: Option<Arc<OwnThreads>>,
    instructions: Option<InstructionSet>,
    schedule: Schedule,
    batch: Option<usize>,
}

/// [`EnsembleThreads::new()`], so that its name works as those of `EnsembleSerial` and methods do.
#[allow(non_upper_case_globals)]
pub const EnsembleThreads: EnsembleThreads = EnsembleThreads::new();

/// Threads that were asked for by number: started by the first solve, and kept for the next one.
#[derive(Debug)]
struct OwnThreads {
    count: usize,
    pool: OnceLock<Result<ThreadPool, Arc<ThreadPoolBuildError>>>,
}

impl EnsembleThreads {
    /// Takes the threads of rayon's current pool, and the best instruction set of the machine.
    pub const fn new() -> Self {
        EnsembleThreads { own: None, instructions: None, schedule: Schedule::Auto, batch: None }
    }

    /// Uses this many threads of its own instead of rayon's current pool; 0 is as many as there are
    /// cores. They are started by the first solve, and end with the last clone of this value: to
    /// solve more than once, keep it and hand over `&threads`.
    pub fn threads(self, threads: usize) -> Self {
        let own = OwnThreads { count: threads, pool: OnceLock::new() };
        EnsembleThreads { own: Some(Arc::new(own)), ..self }
    }

    /// Runs `work` on the threads of this place.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, SolveError> {
        let (mut work, mut result) = (Some(work), None);
        self.install_any(&mut || result = work.take().map(|work| work()))?;
        Ok(result.unwrap_or_else(|| unreachable!("work is done once")))
    }

    /// The same for what leaves its result itself: see [`workers`](crate::ensemble::workers).
    fn install_any(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), SolveError> {
        let Some(own) = &self.own else {
            work();
            return Ok(());
        };
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

    /// Uses the lanes of this instruction set instead of the best one. One that the machine lacks
    /// is replaced by the baseline.
    pub fn instructions(self, instructions: InstructionSet) -> Self {
        EnsembleThreads { instructions: Some(instructions), ..self }
    }

    /// Sets when lanes take the next trajectory; see [`Schedule`].
    pub fn schedule(self, schedule: Schedule) -> Self {
        EnsembleThreads { schedule, ..self }
    }

    /// Gives a thread this many trajectories at a time, at least 1. By default the library chooses,
    /// such that all threads have work.
    pub fn batch(self, trajectories: usize) -> Self {
        EnsembleThreads { batch: Some(trajectories.max(1)), ..self }
    }
}

impl EnsembleAlgorithm for EnsembleSerial {
    type Compiled = task::OneLane;

    fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
        make(Workers::Caller);
        Ok(())
    }

    fn single(
        &self,
        task: &dyn Task<f32>,
        settings: &Settings<f32>,
        columns: &Columns<f32>,
        sink: &mut dyn ResultSink<f32>,
    ) -> Result<RunReport, SolveError> {
        pieces::serially(task, settings, columns, sink)
    }

    fn double(
        &self,
        task: &dyn Task<f64>,
        settings: &Settings<f64>,
        columns: &Columns<f64>,
        sink: &mut dyn ResultSink<f64>,
    ) -> Result<RunReport, SolveError> {
        pieces::serially(task, settings, columns, sink)
    }
}

impl EnsembleAlgorithm for EnsembleThreads {
    type Compiled = task::Lanes;

    fn prepare(&self, make: &mut (dyn FnMut(Workers) + Send)) -> Result<(), SolveError> {
        self.install_any(&mut || make(Workers::Pool))
    }

    fn single(
        &self,
        task: &dyn Task<f32>,
        settings: &Settings<f32>,
        columns: &Columns<f32>,
        sink: &mut dyn ResultSink<f32>,
    ) -> Result<RunReport, SolveError> {
        pieces::on_threads(self, task, settings, columns, sink)
    }

    fn double(
        &self,
        task: &dyn Task<f64>,
        settings: &Settings<f64>,
        columns: &Columns<f64>,
        sink: &mut dyn ResultSink<f64>,
    ) -> Result<RunReport, SolveError> {
        pieces::on_threads(self, task, settings, columns, sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The threads that were asked for are started once, and do the set-up too.
    #[test]
    fn own_threads_are_kept() {
        let threads = EnsembleThreads.threads(3);
        let ids = |threads: &EnsembleThreads| {
            let mut found = (0, Vec::new());
            let prepared = threads.prepare(&mut |workers| {
                assert_eq!(workers, Workers::Pool);
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
            .prepare(&mut |workers| found = Some((workers, std::thread::current().id())));
        prepared.unwrap();
        assert_eq!(found, Some((Workers::Caller, here)));
    }
}
