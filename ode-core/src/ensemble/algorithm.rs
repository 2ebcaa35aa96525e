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
/// `docs/extending.md` shows a place of one's own.
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

        fn begins_early(&self) -> bool {
            (**self).begins_early()
        }

        fn draws_samples(&self) -> bool {
            (**self).draws_samples()
        }

        fn ranks(&self) -> Option<&dyn Ranks> {
            (**self).ranks()
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

        fn pull_single(
            &self,
            task: &dyn PullTask<f32>,
            settings: &Settings<f32>,
            columns: &Columns<f32>,
            cotangents: &RawCotangents<'_, f32>,
            pulled: (&mut RawResults<f32>, &mut RawGradients<f32>),
        ) -> Result<RunReport, SolveError> {
            (**self).pull_single(task, settings, columns, cotangents, pulled)
        }

        fn pull_double(
            &self,
            task: &dyn PullTask<f64>,
            settings: &Settings<f64>,
            columns: &Columns<f64>,
            cotangents: &RawCotangents<'_, f64>,
            pulled: (&mut RawResults<f64>, &mut RawGradients<f64>),
        ) -> Result<RunReport, SolveError> {
            (**self).pull_double(task, settings, columns, cotangents, pulled)
        }
    };
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
    /// Integrates trajectories in a place, by that of its two functions which is for this
    /// precision.
    pub(crate) fn integrate_at<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn Task<T>,
        settings: &'a Settings<T>,
        columns: &'a Columns<T>,
        sink: &'a mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> = single, double;
}

each_precision! {
    /// Pulls derivatives back in a place, by that of its two functions which is for this precision.
    pub(crate) fn pull_at<'a, T>(
        place: &'a dyn EnsembleAlgorithm,
        task: &'a dyn PullTask<T>,
        inputs: (&'a Settings<T>, &'a Columns<T>),
        cotangents: &'a RawCotangents<'a, T>,
        pulled: (&'a mut RawResults<T>, &'a mut RawGradients<T>),
    ) -> Result<RunReport, SolveError> = pull_single, pull_double;
}

macro_rules! pulled {
    ($($precision:ident: $T:ident;)*) => { $(
        fn $precision(
            place: &dyn EnsembleAlgorithm,
            task: &dyn PullTask<$T>,
            (settings, columns): (&Settings<$T>, &Columns<$T>),
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
