//! Places: where the trajectories of an ensemble are integrated.

use crate::ensemble::pull::PullTask;
use crate::ensemble::pulled::{RawCotangents, RawGradients};
use crate::ensemble::ranks::Ranks;
use crate::ensemble::task::{Compiled, Everything, Task};
use crate::error::SolveError;
use crate::lane::each_precision;
use crate::problem::columns::Columns;
use crate::problem::settings::Settings;
use crate::solution::{RawResults, ResultSink, RunReport};
use crate::workers::Workers;
use std::sync::Arc;

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
/// `docs/extending.md` shows a place of one's own. A wrapper of another place forwards all functions by
/// [`delegate_backend!`](crate::delegate_backend), since those with defaults would be lost otherwise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where an ensemble is solved",
    label = "expected `EnsembleThreads`, `EnsembleSerial` or `EnsembleGpuKernel::all()?`",
    note = "`EnsembleThreads` takes all cores and SIMD lanes, `.threads(n)` fewer",
    note = "`EnsembleGpuKernel::all()` is a `Result`, since there may be no GPU: write `?` behind it"
)]
pub trait EnsembleAlgorithm {
    /// What it needs compiled of a task. [`Everything`](crate::ensemble::task::Everything) is always right.
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

    /// Whether the place can solve the first trajectories while the problems of later ones are
    /// evaluated on the threads of rayon's current pool: it does not occupy these threads while it
    /// [waits](crate::problem::columns::Column::get) for numbers of a column.
    fn begins_early(&self) -> bool {
        false
    }

    /// Whether the place draws by itself the quantities that
    /// [`EnsembleProblem::sample`](crate::EnsembleProblem::sample) has rules for, where nothing else reads
    /// them. Such a [`Column`](crate::problem::columns::Column) has no numbers in memory: lanes draw them
    /// where they take trajectories, kernels have the text for it, and
    /// [`get`](crate::problem::columns::Column::get) draws one. The bits are the same.
    fn draws_samples(&self) -> bool {
        false
    }

    /// The processes that make sums over trajectories together with this one, as those of a training
    /// are; by default there are no others.
    fn ranks(&self) -> Option<&dyn Ranks> {
        None
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

    /// Integrates the trajectories of `columns` in `f32`, and pulls derivatives back to their
    /// initial states and parameters, all into `results` and `gradients`, which have the lengths for
    /// that.
    ///
    /// # Errors
    /// [`SolveError::NoGradients`], unless a place has an implementation of its own; and as
    /// [`single`](Self::single).
    fn pull_single(
        &self,
        task: &dyn PullTask<f32>,
        settings: &Settings<f32>,
        columns: &Columns<f32>,
        cotangents: &RawCotangents<'_, f32>,
        pulled: (&mut RawResults<f32>, &mut RawGradients<f32>),
    ) -> Result<RunReport, SolveError> {
        let _ = (task, settings, columns, cotangents, pulled);
        Err(SolveError::NoGradients)
    }

    /// The same in `f64`.
    ///
    /// # Errors
    /// As [`pull_single`](Self::pull_single).
    fn pull_double(
        &self,
        task: &dyn PullTask<f64>,
        settings: &Settings<f64>,
        columns: &Columns<f64>,
        cotangents: &RawCotangents<'_, f64>,
        pulled: (&mut RawResults<f64>, &mut RawGradients<f64>),
    ) -> Result<RunReport, SolveError> {
        let _ = (task, settings, columns, cotangents, pulled);
        Err(SolveError::NoGradients)
    }
}

/// The functions [`pull_single`](EnsembleAlgorithm::pull_single) and
/// [`pull_double`](EnsembleAlgorithm::pull_double) of a place, by a method of its own that is generic
/// over the precision, as [`both_precisions!`](crate::both_precisions) makes those of solves.
#[macro_export]
macro_rules! both_pulls {
    ($function:ident) => {
        $crate::both_pulls! { @ $function pull_single: f32, pull_double: f64 }
    };
    (@ $function:ident $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::pull::PullTask<$T>,
            settings: &$crate::problem::settings::Settings<$T>,
            columns: &$crate::problem::columns::Columns<$T>,
            cotangents: &$crate::ensemble::pulled::RawCotangents<'_, $T>,
            pulled: (
                &mut $crate::RawResults<$T>,
                &mut $crate::ensemble::pulled::RawGradients<$T>,
            ),
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            self.$function(task, settings, columns, cotangents, pulled)
        }
    )* };
}

/// The functions [`single`](EnsembleAlgorithm::single) and [`double`](EnsembleAlgorithm::double) of a
/// place, by a method of its own that is generic over the precision, `fn name<T: Scalar>(&self, task:
/// &dyn Task<T>, …)`:
///
/// ```
/// # use ode_core::ensemble::task::{Everything, Task};
/// # use ode_core::problem::{columns::Columns, settings::Settings};
/// # use ode_core::{EnsembleAlgorithm, ResultSink, RunReport, SolveError, lane::Scalar};
/// struct Nowhere;
///
/// impl Nowhere {
///     fn solve<T: Scalar>(
///         &self,
///         _: &dyn Task<T>,
///         _: &Settings<T>,
///         _: &Columns<T>,
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
            settings: &$crate::problem::settings::Settings<$T>,
            columns: &$crate::problem::columns::Columns<$T>,
            sink: &mut dyn $crate::ResultSink<$T>,
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            self.$function(task, settings, columns, sink)
        }
    )* };
}

/// The functions of a place that another one does the work of. All are forwarded, so that the wrapper
/// loses nothing that the place inside can do: neither gradients, ranks and samples that are drawn
/// where they are needed, nor what a later release adds.
///
/// `delegate_backend!(wrapper => wrapper.0)` forwards everything. `solve = name` and `pull = name` name
/// methods of the wrapper, generic over the precision, that make solves and gradients instead, as
/// [`both_precisions!`](crate::both_precisions) and [`both_pulls!`](crate::both_pulls) do. These methods
/// reach the place inside by [`solve_with`](crate::ensemble::solve_with) and
/// [`pull_back_with`](crate::ensemble::pull_back_with).
///
/// ```
/// # use ode_core::ensemble::{solve_with, task::Task};
/// # use ode_core::problem::{columns::Columns, settings::Settings};
/// # use ode_core::{EnsembleAlgorithm, ResultSink, RunReport, SolveError, lane::Scalar};
/// /// Prints the number of trajectories.
/// struct Logged<A>(A);
///
/// impl<A: EnsembleAlgorithm> Logged<A> {
///     fn solve<T: Scalar>(
///         &self,
///         task: &dyn Task<T>,
///         settings: &Settings<T>,
///         columns: &Columns<T>,
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
            make: &mut (dyn FnMut($crate::Workers) + Send),
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
            settings: &$crate::problem::settings::Settings<$T>,
            columns: &$crate::problem::columns::Columns<$T>,
            sink: &mut dyn $crate::ResultSink<$T>,
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            let $this = self;
            ($inner).$name(task, settings, columns, sink)
        }
    )* };
    (@ pulls $this:ident $inner:expr, $($name:ident: $T:ident),*) => { $(
        fn $name(
            &self,
            task: &dyn $crate::ensemble::pull::PullTask<$T>,
            settings: &$crate::problem::settings::Settings<$T>,
            columns: &$crate::problem::columns::Columns<$T>,
            cotangents: &$crate::ensemble::pulled::RawCotangents<'_, $T>,
            pulled: (
                &mut $crate::RawResults<$T>,
                &mut $crate::ensemble::pulled::RawGradients<$T>,
            ),
        ) -> ::core::result::Result<$crate::RunReport, $crate::SolveError> {
            let $this = self;
            ($inner).$name(task, settings, columns, cotangents, pulled)
        }
    )* };
}

/// Implements [`EnsembleAlgorithm`] for pointers to places.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty, $compiled:ty;)*) => { $(
        impl<$($generics)*> EnsembleAlgorithm for $pointer {
            type Compiled = $compiled;
            crate::delegate_backend!(pointer => **pointer);
        }
    )* };
}
// What a place behind a `dyn` needs is not known, and boxes and `Arc`s are there to have one.
pointers! {
    [A: EnsembleAlgorithm] &A, A::Compiled;
    [] &dyn EnsembleAlgorithm, Everything;
    [] &(dyn EnsembleAlgorithm + Send + Sync), Everything;
    [A: EnsembleAlgorithm + ?Sized] Box<A>, Everything;
    [A: EnsembleAlgorithm + ?Sized] Arc<A>, Everything;
}

each_precision! {
    /// Solves trajectories in a place, by [`single`](EnsembleAlgorithm::single) or by
    /// [`double`](EnsembleAlgorithm::double), whichever is for this precision.
    ///
    /// # Errors
    /// Those of the place, and of numbers that do not fit the task.
    pub fn solve_with<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn Task<T>,
        settings: &'a Settings<T>,
        columns: &'a Columns<T>,
        sink: &'a mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> = single, double;
}

each_precision! {
    /// Pulls derivatives back in a place, by [`pull_single`](EnsembleAlgorithm::pull_single) or by
    /// [`pull_double`](EnsembleAlgorithm::pull_double), whichever is for this precision.
    ///
    /// # Errors
    /// As [`solve_with`], and [`SolveError::NoGradients`].
    pub fn pull_back_with<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn PullTask<T>,
        settings: &'a Settings<T>,
        columns: &'a Columns<T>,
        cotangents: &'a RawCotangents<'a, T>,
        pulled: (&'a mut RawResults<T>, &'a mut RawGradients<T>),
    ) -> Result<RunReport, SolveError> = pull_single, pull_double;
}

macro_rules! pulled {
    ($($precision:ident: $T:ident;)*) => { $(
        fn $precision(
            place: &dyn EnsembleAlgorithm,
            task: &dyn PullTask<$T>,
            settings: &Settings<$T>,
            columns: &Columns<$T>,
            cotangents: &RawCotangents<'_, $T>,
            pulled: (&mut RawResults<$T>, &mut RawGradients<$T>),
        ) -> Result<RunReport, SolveError> {
            task.shape().check(settings, columns)?;
            place.$precision(task, settings, columns, cotangents, pulled)
        }
    )* };
}
pulled! {
    pull_single: f32;
    pull_double: f64;
}

macro_rules! checked {
    ($($precision:ident: $T:ident;)*) => { $(
        fn $precision(
            place: &dyn EnsembleAlgorithm,
            task: &dyn Task<$T>,
            settings: &Settings<$T>,
            columns: &Columns<$T>,
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
