//! Code of the host that depends on the precision alone, compiled in this crate.
//!
//! A generic function is compiled by the crate that says for which types. What knows the system is
//! compiled with the user's, and so would be all that it calls and that is generic over the
//! precision: again in each program, which is a quarter of the time that a small one takes. So such
//! functions are called by methods of [`Host`], which `f32` and `f64` implement here. What they
//! need of the system and of closures comes as data ([`Facts`], [`Asked`]) and by `dyn` calls, each
//! for the work of many trajectories: [`Problems`] to set up, [`Task`] for a chunk.

use crate::ensemble::task::Task;
use crate::ensemble::{EnsembleAlgorithm, pieces};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::methods::Properties;
use crate::problem::columns::Columns;
use crate::problem::inputs::{Inputs, Workers};
use crate::problem::options::SolveOptions;
use crate::problem::settings::Settings;
use crate::problem::sweep::{self, Axis, Sizes};
use crate::problem::{EnsembleProblem, OdeProblem, Vary};
use crate::solution::{ResultSink, RunReport};
use crate::system::System;
use core::fmt;
use core::ops::Range;

/// Integrates trajectories by a method in some place.
pub(crate) type Place<'a, T> =
    &'a dyn Fn(&Settings<T>, &Columns<T>, &mut dyn ResultSink<T>) -> Result<RunReport, SolveError>;

/// A precision. See the [module](self).
pub trait Host: Sized {
    /// [`Inputs::by`].
    fn inputs(
        workers: Workers,
        asked: &Asked<'_, Self>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Inputs<Self>, SolveError>;

    /// The axes of a grid, each by its name in the system; an index that is none stays one.
    fn named(axes: &[Axis<Self>], system: &Facts) -> Vec<Axis<Self>>;

    /// Has `place` hand the results of all trajectories to `sink`.
    fn into_sink(
        inputs: &mut Inputs<Self>,
        place: Place<'_, Self>,
        sink: &mut dyn ResultSink<Self>,
    ) -> Result<RunReport, SolveError>;

    /// Integrates trajectories in a place: by that of its two functions which is for this
    /// precision.
    fn at(
        place: &dyn EnsembleAlgorithm,
        task: &dyn Task<Self>,
        settings: &Settings<Self>,
        columns: &Columns<Self>,
        sink: &mut dyn ResultSink<Self>,
    ) -> Result<RunReport, SolveError>
    where
        Self: Scalar;
}

macro_rules! host {
    ($($T:ident: $function:ident),*) => { $(
        impl Host for $T {
            fn inputs(
                workers: Workers,
                asked: &Asked<'_, $T>,
                options: &SolveOptions,
                method: &Properties,
            ) -> Result<Inputs<$T>, SolveError> {
                Inputs::of(workers, asked, options, method)
            }

            fn named(axes: &[Axis<$T>], system: &Facts) -> Vec<Axis<$T>> {
                sweep::named(axes, system)
            }

            fn into_sink(
                inputs: &mut Inputs<$T>,
                place: Place<'_, $T>,
                sink: &mut dyn ResultSink<$T>,
            ) -> Result<RunReport, SolveError> {
                pieces::integrate(inputs, place, sink)
            }

            fn at(
                place: &dyn EnsembleAlgorithm,
                task: &dyn Task<$T>,
                settings: &Settings<$T>,
                columns: &Columns<$T>,
                sink: &mut dyn ResultSink<$T>,
            ) -> Result<RunReport, SolveError> {
                task.shape().check(settings, columns)?;
                place.$function(task, settings, columns, sink)
            }
        }
    )* };
}
host!(f32: single, f64: double);

/// The properties of a system as values, without its type.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub(crate) name: &'static str,
    pub(crate) states: &'static [&'static str],
    pub(crate) parameters: &'static [&'static str],
    pub(crate) observables: usize,
    /// Whether the system has a mass matrix.
    pub(crate) mass: bool,
    pub(crate) time_breaks: &'static [f64],
    /// Whether there are times to stop at that depend on parameters.
    pub(crate) parameter_breaks: bool,
}

impl Facts {
    pub(crate) fn of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> Self {
        let info = system.info();
        Facts {
            name: info.name,
            states: info.states,
            parameters: info.parameters,
            observables: S::OBSERVABLES,
            mass: S::MASS,
            time_breaks: info.time_breaks,
            parameter_breaks: !info.parameter_breaks.is_empty(),
        }
    }
}

/// What a solve reads of an ensemble, without the type of its system.
pub struct Asked<'a, T> {
    pub(crate) system: Facts,
    pub(crate) trajectories: usize,
    /// The initial state of the problem that all others are made from.
    pub(crate) u0: &'a [T],
    /// The parameters of the ensemble's problem.
    pub(crate) p: &'a [T],
    pub(crate) sweep: Sizes,
    pub(crate) axes: &'a [Axis<T>],
    /// Whether trajectories have times of their own to stop at.
    pub(crate) stops: bool,
    pub(crate) problems: &'a dyn Problems<T>,
}

impl<T: fmt::Debug> fmt::Debug for Asked<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("system", &self.system).finish_non_exhaustive()
    }
}

/// The problems of an ensemble. A problem is a row of numbers: the initial state, the parameters,
/// the beginning and the end of the time span.
pub(crate) trait Problems<T>: Sync {
    /// Writes the problems of trajectories `range`, one row after the other. The axes are those of
    /// the ensemble, each with the index of its component.
    fn write(&self, axes: &[(&Axis<T>, usize)], range: Range<usize>, rows: &mut [T]);

    /// Calls `put` for the times at which the right-hand side changes its form by the parameters of
    /// `row`.
    fn breaks(&self, row: &[T], put: &mut dyn FnMut(f64));

    /// The times to stop at that trajectory `i`, whose problem is `row`, has of its own.
    fn stops(&self, row: &[T], i: usize) -> Vec<T>;
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// The data that a solve reads of the ensemble.
    pub(crate) fn asked(&self) -> Asked<'_, T> {
        Asked {
            system: Facts::of(&self.problem.system),
            trajectories: self.trajectories,
            u0: &self.problem.u0,
            p: &self.problem.p,
            sweep: self.sweep.sizes(),
            axes: self.sweep.axes(),
            stops: self.tstops.is_some(),
            problems: self,
        }
    }
}

impl<S, T, F, const N: usize, const P: usize> Problems<T> for EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    fn write(&self, axes: &[(&Axis<T>, usize)], range: Range<usize>, rows: &mut [T]) {
        for (i, row) in range.zip(rows.chunks_exact_mut(N + P + 2)) {
            let problem = self.sweep.problem(axes, self.problem, i);
            let OdeProblem { u0, p, t0, t1, .. } = self.vary.problem(problem, i);
            row[..N].copy_from_slice(&u0);
            row[N..N + P].copy_from_slice(&p);
            row[N + P..].copy_from_slice(&[t0, t1]);
        }
    }

    fn breaks(&self, row: &[T], put: &mut dyn FnMut(f64)) {
        let p: [f64; P] = core::array::from_fn(|d| row[N + d].widen());
        self.problem.system.parameter_breaks(&p, put);
    }

    fn stops(&self, row: &[T], i: usize) -> Vec<T> {
        let Some(own) = &self.tstops else { return Vec::new() };
        let u0: [T; N] = core::array::from_fn(|d| row[d]);
        let p: [T; P] = core::array::from_fn(|d| row[N + d]);
        let tspan = (row[N + P], row[N + P + 1]);
        own.of(&self.problem.with_u0(u0).with_p(p).with_tspan(tspan), i)
    }
}
