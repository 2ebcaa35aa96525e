//! The trait of backends, which integrate the trajectories of an ensemble.

use crate::ensemble::adjoint::AdjointTask;
use crate::ensemble::ranks::Ranks;
use crate::ensemble::raw_gradients::{RawCotangents, RawGradients};
use crate::ensemble::task::{CompiledLanes, Everything, Task};
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::each_precision;
use crate::problem::inputs::Inputs;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::{RawResults, ResultSink, RunReport};
use std::sync::Arc;

/// A backend, which integrates the trajectories of an ensemble.
///
/// References, boxes and `Arc`s of backends are backends, so a program may choose its backend at
/// run time:
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
/// `docs/extending.md` shows how to write a backend. A wrapper of another backend forwards all
/// functions by [`delegate_backend!`](crate::delegate_backend): a function with a default that the
/// wrapper does not forward loses the implementation of the inner backend.
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

    /// Calls `make`, which evaluates the ensemble's problems, once.
    ///
    /// `make` runs on the threads that the backend has for this purpose, by default rayon's current
    /// pool.
    ///
    /// # Errors
    /// If the backend cannot start its threads.
    fn prepare(&self, make: &mut (dyn FnMut(EvaluationThreads) + Send)) -> Result<(), SolveError> {
        make(EvaluationThreads::Pool);
        Ok(())
    }

    /// Returns whether the backend can solve while later problems are still being evaluated.
    ///
    /// The problems are evaluated on the threads of rayon's current pool. A backend that returns
    /// `true` does not occupy these threads while it [waits](crate::problem::inputs::Input::get)
    /// for values of an input.
    fn begins_early(&self) -> bool {
        false
    }

    /// Returns whether the backend itself draws sampled inputs.
    ///
    /// These are the quantities with rules of
    /// [`EnsembleProblem::sample`](crate::EnsembleProblem::sample), if nothing else reads them.
    /// Such an input (a [`Input`](crate::problem::inputs::Input)) has no values in memory: lanes
    /// draw a value when they take a trajectory, kernels contain the code for it, and
    /// [`get`](crate::problem::inputs::Input::get) draws one value. The bits are the same.
    fn draws_samples(&self) -> bool {
        false
    }

    /// Returns the processes that compute sums over trajectories together with this one.
    ///
    /// A training run computes such sums. By default there are no other processes.
    fn ranks(&self) -> Option<&dyn Ranks> {
        None
    }

    /// Integrates the trajectories of `columns` in `f32` and passes the results to `sink`.
    ///
    /// The results arrive batch by batch and in order, until there are no more trajectories or the
    /// sink has [enough](ResultSink::store).
    ///
    /// # Errors
    /// If the results do not fit into memory, or if the backend or `sink` fails.
    fn single(
        &self,
        task: &dyn Task<f32>,
        settings: &ResolvedOptions<f32>,
        columns: &Inputs<f32>,
        sink: &mut dyn ResultSink<f32>,
    ) -> Result<RunReport, SolveError>;

    /// Integrates trajectories in `f64`, as [`single`](Self::single) does in `f32`.
    ///
    /// # Errors
    /// The errors of [`single`](Self::single).
    fn double(
        &self,
        task: &dyn Task<f64>,
        settings: &ResolvedOptions<f64>,
        columns: &Inputs<f64>,
        sink: &mut dyn ResultSink<f64>,
    ) -> Result<RunReport, SolveError>;

    /// Integrates the trajectories of `columns` in `f32` and pulls derivatives back.
    ///
    /// The derivatives are those with respect to initial states and parameters. All trajectories go
    /// into `results` and `gradients`, whose arrays have the required lengths.
    ///
    /// # Errors
    /// [`SolveError::NoGradients`], unless the backend overrides this function; and the errors of
    /// [`single`](Self::single).
    fn pull_single(
        &self,
        task: &dyn AdjointTask<f32>,
        settings: &ResolvedOptions<f32>,
        columns: &Inputs<f32>,
        cotangents: &RawCotangents<'_, f32>,
        outputs: (&mut RawResults<f32>, &mut RawGradients<f32>),
    ) -> Result<RunReport, SolveError> {
        let _ = (task, settings, columns, cotangents, outputs);
        Err(SolveError::NoGradients)
    }

    /// Pulls derivatives back in `f64`, as [`pull_single`](Self::pull_single) does in `f32`.
    ///
    /// # Errors
    /// The errors of [`pull_single`](Self::pull_single).
    fn pull_double(
        &self,
        task: &dyn AdjointTask<f64>,
        settings: &ResolvedOptions<f64>,
        columns: &Inputs<f64>,
        cotangents: &RawCotangents<'_, f64>,
        outputs: (&mut RawResults<f64>, &mut RawGradients<f64>),
    ) -> Result<RunReport, SolveError> {
        let _ = (task, settings, columns, cotangents, outputs);
        Err(SolveError::NoGradients)
    }
}

/// Implements `pull_single` and `pull_double` of a backend by one generic method.
///
/// The method is generic over the precision and implements
/// [`pull_single`](EnsembleAlgorithm::pull_single) and
/// [`pull_double`](EnsembleAlgorithm::pull_double), as [`both_precisions!`](crate::both_precisions)
/// does for solves.
#[macro_export]
macro_rules! both_pulls {
    ($function:ident) => {
        $crate::both_pulls! { @ $function pull_single: f32, pull_double: f64 }
    };
    (@ $function:ident $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::adjoint::AdjointTask<$T>,
            settings: &$crate::problem::resolved_options::ResolvedOptions<$T>,
            columns: &$crate::problem::inputs::Inputs<$T>,
            cotangents: &$crate::ensemble::raw_gradients::RawCotangents<'_, $T>,
            outputs: (
                &mut $crate::RawResults<$T>,
                &mut $crate::ensemble::raw_gradients::RawGradients<$T>,
            ),
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            self.$function(task, settings, columns, cotangents, outputs)
        }
    )* };
}

/// Implements `single` and `double` of a backend by one generic method.
///
/// The method is generic over the precision, `fn name<T: Scalar>(&self, task: &dyn Task<T>, …)`,
/// and implements [`single`](EnsembleAlgorithm::single) and [`double`](EnsembleAlgorithm::double):
///
/// ```
/// # use ode_core::ensemble::task::{Everything, Task};
/// # use ode_core::problem::{inputs::Inputs, resolved_options::ResolvedOptions};
/// # use ode_core::{EnsembleAlgorithm, ResultSink, RunReport, SolveError, lane::Scalar};
/// struct Nowhere;
///
/// impl Nowhere {
///     fn solve<T: Scalar>(
///         &self,
///         _: &dyn Task<T>,
///         _: &ResolvedOptions<T>,
///         _: &Inputs<T>,
///         _: &mut dyn ResultSink<T>,
///     ) -> Result<RunReport, SolveError> {
///         Err(SolveError::NotPrepared)
///     }
/// }
///
/// impl EnsembleAlgorithm for Nowhere {
///     type Compiled = Everything;
///     ode_core::both_precisions!(solve);
/// }
/// ```
#[macro_export]
macro_rules! both_precisions {
    ($function:ident) => {
        $crate::both_precisions! { @ $function single: f32, double: f64 }
    };
    (@ $function:ident $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::task::Task<$T>,
            settings: &$crate::problem::resolved_options::ResolvedOptions<$T>,
            columns: &$crate::problem::inputs::Inputs<$T>,
            sink: &mut dyn $crate::ResultSink<$T>,
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            self.$function(task, settings, columns, sink)
        }
    )* };
}

/// Forwards the functions of a backend to an inner backend.
///
/// The macro forwards all functions, so the wrapper can do all that the inner backend can:
/// gradients, ranks, drawn samples, and functions that a later release adds.
///
/// `delegate_backend!(wrapper => wrapper.0)` forwards everything. `solve = name` and `pull = name`
/// name methods of the wrapper that compute solves and gradients instead. These methods are generic
/// over the precision, as for [`both_precisions!`](crate::both_precisions) and
/// [`both_pulls!`](crate::both_pulls). They call the inner backend by
/// [`solve_with`](crate::ensemble::solve_with) and
/// [`pull_back_with`](crate::ensemble::pull_back_with).
///
/// ```
/// # use ode_core::ensemble::{solve_with, task::Task};
/// # use ode_core::problem::{inputs::Inputs, resolved_options::ResolvedOptions};
/// # use ode_core::{EnsembleAlgorithm, ResultSink, RunReport, SolveError, lane::Scalar};
/// /// Prints the number of trajectories.
/// struct Logged<A>(A);
///
/// impl<A: EnsembleAlgorithm> Logged<A> {
///     fn solve<T: Scalar>(
///         &self,
///         task: &dyn Task<T>,
///         settings: &ResolvedOptions<T>,
///         columns: &Inputs<T>,
///         sink: &mut dyn ResultSink<T>,
///     ) -> Result<RunReport, SolveError> {
///         println!("{} trajectories", columns.trajectories);
///         solve_with(&self.0, task, settings, columns, sink)
///     }
/// }
///
/// impl<A: EnsembleAlgorithm> EnsembleAlgorithm for Logged<A> {
///     type Compiled = A::Compiled;
///     ode_core::delegate_backend!(logged => logged.0, solve = solve);
/// }
/// ```
#[macro_export]
macro_rules! delegate_backend {
    ($this:ident => $inner:expr) => {
        $crate::delegate_backend! { @ rest $this $inner }
        $crate::delegate_backend! { @ solves $this $inner, single: f32, double: f64 }
        $crate::delegate_backend! { @ pulls $this $inner, pull_single: f32, pull_double: f64 }
    };
    ($this:ident => $inner:expr, solve = $solve:ident) => {
        $crate::delegate_backend! { @ rest $this $inner }
        $crate::both_precisions! { $solve }
        $crate::delegate_backend! { @ pulls $this $inner, pull_single: f32, pull_double: f64 }
    };
    ($this:ident => $inner:expr, pull = $pull:ident) => {
        $crate::delegate_backend! { @ rest $this $inner }
        $crate::delegate_backend! { @ solves $this $inner, single: f32, double: f64 }
        $crate::both_pulls! { $pull }
    };
    ($this:ident => $inner:expr, solve = $solve:ident, pull = $pull:ident) => {
        $crate::delegate_backend! { @ rest $this $inner }
        $crate::both_precisions! { $solve }
        $crate::both_pulls! { $pull }
    };
    (@ rest $this:ident $inner:expr) => {
        fn prepare(
            &self,
            make: &mut (dyn FnMut($crate::EvaluationThreads) + Send),
        ) -> ::core::result::Result<(), $crate::SolveError> {
            let $this = self;
            ($inner).prepare(make)
        }

        fn begins_early(&self) -> bool {
            let $this = self;
            ($inner).begins_early()
        }

        fn draws_samples(&self) -> bool {
            let $this = self;
            ($inner).draws_samples()
        }

        fn ranks(&self) -> ::core::option::Option<&dyn $crate::ensemble::Ranks> {
            let $this = self;
            ($inner).ranks()
        }
    };
    (@ solves $this:ident $inner:expr, $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::task::Task<$T>,
            settings: &$crate::problem::resolved_options::ResolvedOptions<$T>,
            columns: &$crate::problem::inputs::Inputs<$T>,
            sink: &mut dyn $crate::ResultSink<$T>,
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            let $this = self;
            ($inner).$name(task, settings, columns, sink)
        }
    )* };
    (@ pulls $this:ident $inner:expr, $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::adjoint::AdjointTask<$T>,
            settings: &$crate::problem::resolved_options::ResolvedOptions<$T>,
            columns: &$crate::problem::inputs::Inputs<$T>,
            cotangents: &$crate::ensemble::raw_gradients::RawCotangents<'_, $T>,
            outputs: (
                &mut $crate::RawResults<$T>,
                &mut $crate::ensemble::raw_gradients::RawGradients<$T>,
            ),
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            let $this = self;
            ($inner).$name(task, settings, columns, cotangents, outputs)
        }
    )* };
}

/// Implements [`EnsembleAlgorithm`] for pointers to backends.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty, $compiled:ty;)*) => { $(
        impl<$($generics)*> EnsembleAlgorithm for $pointer {
            type Compiled = $compiled;
            crate::delegate_backend!(pointer => **pointer);
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

each_precision! {
    /// Solves trajectories by the function of a backend for this precision.
    ///
    /// The function is [`single`](EnsembleAlgorithm::single) or
    /// [`double`](EnsembleAlgorithm::double).
    ///
    /// # Errors
    /// The errors of the backend, and inputs that do not fit the task.
    pub fn solve_with<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn Task<T>,
        settings: &'a ResolvedOptions<T>,
        columns: &'a Inputs<T>,
        sink: &'a mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> = single, double;
}

each_precision! {
    /// Pulls derivatives back by the function of a backend for this precision.
    ///
    /// The function is [`pull_single`](EnsembleAlgorithm::pull_single) or
    /// [`pull_double`](EnsembleAlgorithm::pull_double).
    ///
    /// # Errors
    /// The errors of [`solve_with`], and [`SolveError::NoGradients`].
    pub fn pull_back_with<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn AdjointTask<T>,
        settings: &'a ResolvedOptions<T>,
        columns: &'a Inputs<T>,
        cotangents: &'a RawCotangents<'a, T>,
        outputs: (&'a mut RawResults<T>, &'a mut RawGradients<T>),
    ) -> Result<RunReport, SolveError> = pull_single, pull_double;
}

macro_rules! adjoints {
    ($($precision:ident: $T:ident;)*) => { $(
        fn $precision(
            place: &dyn EnsembleAlgorithm,
            task: &dyn AdjointTask<$T>,
            settings: &ResolvedOptions<$T>,
            columns: &Inputs<$T>,
            cotangents: &RawCotangents<'_, $T>,
            outputs: (&mut RawResults<$T>, &mut RawGradients<$T>),
        ) -> Result<RunReport, SolveError> {
            task.shape().check(settings, columns)?;
            place.$precision(task, settings, columns, cotangents, outputs)
        }
    )* };
}
adjoints! {
    pull_single: f32;
    pull_double: f64;
}

macro_rules! checked {
    ($($precision:ident: $T:ident;)*) => { $(
        fn $precision(
            place: &dyn EnsembleAlgorithm,
            task: &dyn Task<$T>,
            settings: &ResolvedOptions<$T>,
            columns: &Inputs<$T>,
            sink: &mut dyn ResultSink<$T>,
        ) -> Result<RunReport, SolveError> {
            task.shape().check(settings, columns)?;
            place.$precision(task, settings, columns, sink)
        }
    )* };
}
checked! {
    single: f32;
    double: f64;
}
