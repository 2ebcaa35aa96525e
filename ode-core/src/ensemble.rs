//! Where trajectories run: ensemble algorithms, and those of the CPU.

pub(crate) mod pieces;

pub use pieces::{room, zeros};

use crate::controller;
use crate::error::SolveError;
use crate::feed::{CpuFeed, Results};
use crate::host::Facts;
use crate::inputs::{Inputs, Workers};
use crate::integrate;
use crate::lane::{Real, Scalar};
use crate::methods::{Method, stepper};
use crate::options::SolveOptions;
use crate::outlined::Outlined;
use crate::problem::{EnsembleProblem, OdeProblem, Vary};
use crate::simd::{self, InstructionSet, Program};
use crate::solution::{EnsembleSolution, OdeSolution, RawResults};
use crate::solver::Solver;
use crate::system::System;
use core::marker::PhantomData;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Runs a chunk by one of the two programs for it. A macro, because each way to run it takes two types, and a
/// function generic over the way would compile both for each algorithm.
macro_rules! solve_chunk {
    ($T:ty, $S:ty, $M:ty, [$N:ident, $P:ident, $K:ident], $inputs:expr, $results:expr, $schedule:expr, $run:expr) => {{
        let (inputs, mut results, schedule) = ($inputs, $results, $schedule);
        let results = &mut results;
        macro_rules! solve {
            ($adaptive:literal) => {{
                let marker = PhantomData::<($S, $M)>;
                let chunk = Chunk::<$T, $S, $M, $N, $P, $K, $adaptive> {
                    inputs,
                    results,
                    schedule,
                    marker,
                };
                ($run)(chunk)
            }};
        }
        // Steps that the method does not take are not compiled: errors that are not estimated, and fixed
        // steps of a method that chooses by them, were refused before.
        if const { !<$M>::ADAPTIVE } {
            solve!(false)
        } else if const { <$M>::SWITCHES } {
            solve!(true)
        } else if inputs.adaptive {
            solve!(true)
        } else {
            solve!(false)
        }
    }};
}

/// A place where the trajectories of an ensemble are integrated. A reference to one, or a box with
/// one, is one too.
///
/// A program that chooses its place at run time implements it by a `match`:
///
/// ```
/// use ode_core::inputs::{Inputs, Workers};
/// use ode_core::lane::Scalar;
/// use ode_core::methods::Method;
/// use ode_core::system::System;
/// use ode_core::{EnsembleAlgorithm, EnsembleSerial, EnsembleThreads, RawResults, SolveError};
///
/// enum Place {
///     Serial,
///     Threads(EnsembleThreads),
/// }
///
/// impl EnsembleAlgorithm for Place {
///     fn prepare<R: Send>(
///         &self,
///         make: impl FnOnce(Workers) -> R + Send,
///     ) -> Result<R, SolveError> {
///         match self {
///             Place::Serial => EnsembleSerial.prepare(make),
///             Place::Threads(threads) => threads.prepare(make),
///         }
///     }
///
///     fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
///         &self,
///         inputs: &Inputs<T>,
///     ) -> Result<RawResults<T>, SolveError>
///     where
///         T: Scalar,
///         S: System<N, P>,
///         M: Method<K>,
///     {
///         match self {
///             Place::Serial => EnsembleSerial.integrate::<T, S, M, N, P, K>(inputs),
///             Place::Threads(threads) => threads.integrate::<T, S, M, N, P, K>(inputs),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where an ensemble is solved",
    label = "expected `EnsembleThreads`, `EnsembleSerial` or `EnsembleGpuKernel::all()?`",
    note = "`EnsembleThreads` takes all cores and SIMD lanes, `.threads(n)` fewer",
    note = "`EnsembleGpuKernel::all()` is a `Result`, since there may be no GPU: write `?` behind it"
)]
pub trait EnsembleAlgorithm {
    /// Calls `make`, which evaluates the ensemble's problems, where this place has threads for that;
    /// by default on those of rayon's current pool.
    ///
    /// # Errors
    /// If the place has no threads.
    fn prepare<R: Send>(&self, make: impl FnOnce(Workers) -> R + Send) -> Result<R, SolveError> {
        Ok(make(Workers::Pool))
    }

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

macro_rules! pointers {
    ($($pointer:ty),*) => { $(
        impl<A: EnsembleAlgorithm + ?Sized> EnsembleAlgorithm for $pointer {
            fn prepare<R: Send>(
                &self,
                make: impl FnOnce(Workers) -> R + Send,
            ) -> Result<R, SolveError> {
                (**self).prepare(make)
            }

            fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
                &self,
                inputs: &Inputs<T>,
            ) -> Result<RawResults<T>, SolveError>
            where
                T: Scalar,
                S: System<N, P>,
                M: Method<K>,
            {
                (**self).integrate::<T, S, M, N, P, K>(inputs)
            }
        }
    )* };
}
pointers!(&A, Box<A>, Arc<A>);

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
        let properties = method.properties(options, N, S::MASS)?;
        let mut inputs =
            algorithm.prepare(|workers| Inputs::by(workers, self, options, &properties))??;
        let setup = begin.elapsed().as_secs_f64();
        let raw = T::integrate(&mut inputs, &|inputs| {
            method.integrate::<T, S, A, N, P>(&algorithm, inputs)
        })?;
        let mut solution = EnsembleSolution::new(inputs, raw)?;
        solution.set_axes(T::named(self.sweep.axes(), &Facts::of::<S, N, P>()));
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

/// One trajectory after the other, on the calling thread and no other: the reference.
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
///
/// `EnsembleThreads` by itself is `EnsembleThreads::new()`. Both the ensemble's problems and its
/// trajectories are worked on by rayon's current pool, or by threads of its own, which
/// [`threads`](EnsembleThreads::threads) asks for.
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
    /// As many threads as rayon's pool has, the best instruction set of the machine.
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

    /// Runs `work` on the threads that it uses.
    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, SolveError> {
        let (mut work, mut result) = (Some(work), None);
        self.install_any(&mut || result = work.take().map(|work| work()))?;
        Ok(result.unwrap_or_else(|| unreachable!("work is done once")))
    }

    /// The same for what leaves its result itself: see [`workers`](crate::workers).
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
    fn prepare<R: Send>(&self, make: impl FnOnce(Workers) -> R + Send) -> Result<R, SolveError> {
        Ok(make(Workers::Caller))
    }

    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        T::serially(inputs, &|results, schedule| {
            solve_chunk!(T, S, M, [N, P, K], inputs, results, schedule, simd::run_scalar);
        })
    }
}

impl EnsembleAlgorithm for EnsembleThreads {
    fn prepare<R: Send>(&self, make: impl FnOnce(Workers) -> R + Send) -> Result<R, SolveError> {
        self.install(|| make(Workers::Pool))
    }

    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let isa = self.instructions.unwrap_or_else(InstructionSet::best);
        T::on_threads(self, isa, inputs, &|results, schedule| {
            solve_chunk!(T, S, M, [N, P, K], inputs, results, schedule, |chunk| simd::run(
                isa, chunk
            ));
        })
    }
}

/// Whether a step is a function of its own: not those of explicit methods with a right-hand side of next to
/// nothing, which would lose a fifth of their speed (measured, `bench/RESULTS.md`).
const fn steps_are_called<S, M, const N: usize, const P: usize, const K: usize>() -> bool
where
    S: System<N, P>,
    M: Method<K>,
{
    M::PROPERTIES.solves > 0 || M::SWITCHES || S::OPERATIONS[0].weight() >= 16
}

/// Each of some numbers in every lane.
#[inline(always)]
fn lits<R: Real, const K: usize>(numbers: [f64; K]) -> [R; K] {
    let mut lits = [R::lit(0.0); K];
    for i in 0..K {
        lits[i] = R::lit(numbers[i]);
    }
    lits
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
> {
    inputs: &'i Inputs<T>,
    results: &'r mut Results<'a, T>,
    schedule: Schedule,
    marker: PhantomData<(S, M)>,
}

impl<T, S, M, const N: usize, const P: usize, const K: usize, const ADAPTIVE: bool> Program<T>
    for Chunk<'_, '_, '_, T, S, M, N, P, K, ADAPTIVE>
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
        // By loops: functions of arrays that take a function are not inlined everywhere.
        let mut abstol = [R::lit(0.0); N];
        for d in 0..N {
            abstol[d] = R::lit(inputs.abstol(d).widen());
        }
        let steps = lits::<R, 3>([inputs.dt, inputs.dtmin, inputs.dtmax].map(T::widen));
        let options = integrate::options::<R, N>(
            stepper::tolerances::<R, N>(abstol, R::lit(inputs.reltol.widen())),
            steps,
            inputs.limited(),
            inputs.stopping,
            inputs.saved.times > 0,
            controller::law::<R>(lits::<R::Single, _>(inputs.law.map(f64::from))),
            controller::law::<R>(lits::<R::Single, _>(inputs.stiff_law.map(f64::from))),
            inputs.law_kind,
            <R::Bits as crate::lane::Bits>::lit(u64::from(inputs.max_steps)),
            inputs.guard,
        );
        let n = self.results.codes.len();
        // Statically scheduled, the lanes get one trajectory each, and then the next group.
        let group = if self.schedule == Schedule::Static { R::LANES } else { n };
        let mut from = 0;
        while from < n {
            let to = n.min(from + group);
            let mut feed = CpuFeed::<S, T>::new(inputs, &mut *self.results, from..to);
            if const { R::SLOW || steps_are_called::<S, M, N, P, K>() } {
                integrate::integrate::<R, S, Outlined<M, true>, _, N, P, K, ADAPTIVE, true>(
                    &mut feed, &options,
                );
            } else if const { R::LANES > 1 } && !feed.saves {
                // Worth a program of its own: where a step takes so little, what saves would be 5% of it.
                integrate::integrate::<R, S, Outlined<M, false>, _, N, P, K, ADAPTIVE, false>(
                    &mut feed, &options,
                );
            } else {
                integrate::integrate::<R, S, Outlined<M, false>, _, N, P, K, ADAPTIVE, true>(
                    &mut feed, &options,
                );
            }
            from = to;
        }
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
            let sum = threads.prepare(|workers| {
                assert_eq!(workers, Workers::Pool);
                let each = rayon::broadcast(|_| std::thread::current().id());
                (rayon::current_num_threads(), each)
            });
            sum.unwrap()
        };
        let (count, first) = ids(&threads);
        assert_eq!(count, 3);
        assert_eq!(ids(&threads).1, first);
        assert_eq!(ids(&threads.clone().batch(7)).1, first);
    }

    #[test]
    fn serial_stays_on_its_thread() {
        let here = std::thread::current().id();
        let workers = EnsembleSerial.prepare(|workers| (workers, std::thread::current().id()));
        assert_eq!(workers.unwrap(), (Workers::Caller, here));
    }
}
