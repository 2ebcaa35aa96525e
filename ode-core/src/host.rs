//! Code of the host that depends on the precision alone, compiled in this crate.
//!
//! A generic function is compiled by the crate that says for which types. What knows the system is compiled
//! with the user's, and so would be all that it calls and that is generic over the precision: again in each
//! program, which is a quarter of the time that a small one takes. So such functions are called by methods of
//! [`Host`], which `f32` and `f64` implement here. What they need of the system and of closures comes as data
//! ([`Facts`], [`Asked`]) and by `dyn` calls, each for the work of many trajectories: [`Problems`] to set up,
//! [`Integrate`] for a chunk.

use crate::ensemble::{EnsembleThreads, Schedule, pieces};
use crate::error::SolveError;
use crate::feed::Results;
use crate::inputs::{Inputs, Workers};
use crate::lane::Scalar;
use crate::methods::Properties;
use crate::options::SolveOptions;
use crate::problem::{EnsembleProblem, OdeProblem, Vary};
use crate::simd::InstructionSet;
use crate::solution::RawResults;
use crate::sweep::{self, Axis, Sizes};
use crate::system::System;
use core::fmt;
use core::ops::Range;

/// Integrates a chunk, by the schedule that the place has chosen.
pub(crate) type Integrate<'a, T> = &'a (dyn Fn(Results<'_, T>, Schedule) + Sync);

/// Integrates all trajectories by a method in some place.
pub(crate) type Place<'a, T> = &'a dyn Fn(&Inputs<T>) -> Result<RawResults<T>, SolveError>;

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

    /// The results of all trajectories by `place`, which is asked twice where how many ends of steps are
    /// saved is not known before.
    fn integrate(
        inputs: &mut Inputs<Self>,
        place: Place<'_, Self>,
    ) -> Result<RawResults<Self>, SolveError>;

    /// That of the two functions which is for this precision.
    fn by_precision(
        inputs: &Inputs<Self>,
        place: &dyn ByPrecision,
    ) -> Result<RawResults<Self>, SolveError>;

    /// The results of all trajectories, on the calling thread.
    fn serially(
        inputs: &Inputs<Self>,
        integrate: Integrate<'_, Self>,
    ) -> Result<RawResults<Self>, SolveError>;

    /// The same on `threads`, in the lanes of `instructions`.
    fn on_threads(
        threads: &EnsembleThreads,
        instructions: InstructionSet,
        inputs: &Inputs<Self>,
        integrate: Integrate<'_, Self>,
    ) -> Result<RawResults<Self>, SolveError>;
}

/// A place of another crate, whose code is compiled there for both precisions.
pub trait ByPrecision {
    /// Integrates all trajectories of `inputs`.
    ///
    /// # Errors
    /// As [`EnsembleAlgorithm::integrate`](crate::EnsembleAlgorithm::integrate).
    fn single(&self, inputs: &Inputs<f32>) -> Result<RawResults<f32>, SolveError>;

    /// The same.
    ///
    /// # Errors
    /// As [`single`](Self::single).
    fn double(&self, inputs: &Inputs<f64>) -> Result<RawResults<f64>, SolveError>;
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

            fn integrate(
                inputs: &mut Inputs<$T>,
                place: Place<'_, $T>,
            ) -> Result<RawResults<$T>, SolveError> {
                pieces::integrate(inputs, place)
            }

            fn by_precision(
                inputs: &Inputs<$T>,
                place: &dyn ByPrecision,
            ) -> Result<RawResults<$T>, SolveError> {
                place.$function(inputs)
            }

            fn serially(
                inputs: &Inputs<$T>,
                integrate: Integrate<'_, $T>,
            ) -> Result<RawResults<$T>, SolveError> {
                pieces::serially(inputs, integrate)
            }

            fn on_threads(
                threads: &EnsembleThreads,
                instructions: InstructionSet,
                inputs: &Inputs<$T>,
                integrate: Integrate<'_, $T>,
            ) -> Result<RawResults<$T>, SolveError> {
                pieces::on_threads(threads, instructions, inputs, integrate)
            }
        }
    )* };
}
host!(f32: single, f64: double);

/// What is known of a system at run time, whatever its type.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub(crate) name: &'static str,
    pub(crate) states: &'static [&'static str],
    pub(crate) parameters: &'static [&'static str],
    pub(crate) observables: usize,
    /// Whether it has a mass matrix.
    pub(crate) mass: bool,
    pub(crate) time_breaks: &'static [f64],
    /// Whether there are any that depend on parameters.
    pub(crate) parameter_breaks: bool,
}

impl Facts {
    pub(crate) fn of<S: System<N, P>, const N: usize, const P: usize>() -> Self {
        Facts {
            name: S::NAME,
            states: &S::STATES,
            parameters: &S::PARAMETERS,
            observables: S::OBSERVABLES.len(),
            mass: S::MASS,
            time_breaks: S::TIME_BREAKS,
            parameter_breaks: !S::PARAMETER_BREAKS.is_empty(),
        }
    }
}

/// An ensemble, whatever its system.
pub struct Asked<'a, T> {
    pub(crate) system: Facts,
    pub(crate) trajectories: usize,
    /// The initial state of the problem that all others are made from.
    pub(crate) u0: &'a [T],
    /// Its parameters.
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

/// The problems of an ensemble. A problem is a row of numbers: the initial state, the parameters, the
/// beginning and the end of the time span.
pub(crate) trait Problems<T>: Sync {
    /// Writes the problems of trajectories `range`, one row after the other. The axes are those of the
    /// ensemble, each with the index of its component.
    fn write(&self, axes: &[(&Axis<T>, usize)], range: Range<usize>, rows: &mut [T]);

    /// Calls `put` for the times at which the right-hand side changes its form by the parameters of `row`.
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
    /// What a solve reads of it.
    pub(crate) fn asked(&self) -> Asked<'_, T> {
        Asked {
            system: Facts::of::<S, N, P>(),
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
        S::parameter_breaks(&p, put);
    }

    fn stops(&self, row: &[T], i: usize) -> Vec<T> {
        let Some(own) = &self.tstops else { return Vec::new() };
        let u0: [T; N] = core::array::from_fn(|d| row[d]);
        let p: [T; P] = core::array::from_fn(|d| row[N + d]);
        let tspan = (row[N + P], row[N + P + 1]);
        own.of(&self.problem.with_u0(u0).with_p(p).with_tspan(tspan), i)
    }
}
