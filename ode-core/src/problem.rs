//! Problems: one initial value problem, and an ensemble of them.

use crate::lane::Scalar;
use crate::options::TimeList;
use crate::sweep::Sweep;
use crate::system::System;
use core::ops::{Range, RangeInclusive};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// What gives `N` numbers of precision `T`: an array of them, or the `State` or `Parameters` of a
/// system that is a module, and whatever else converts into such an array by `Into`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not {N} numbers of the precision of the problem",
    label = "expected `[{T}; {N}]`, or the `State` or `Parameters` of the system's module"
)]
pub trait Numbers<T, const N: usize> {
    /// The numbers, in the order of their declaration.
    fn numbers(self) -> [T; N];
}

#[diagnostic::do_not_recommend]
impl<X: Into<[T; N]>, T, const N: usize> Numbers<T, N> for X {
    fn numbers(self) -> [T; N] {
        self.into()
    }
}

/// A time span: `0.0..=10.0`, `0.0..10.0` or `(0.0, 10.0)`, all of which mean the same. The end may
/// lie before the beginning.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time span of `{T}`",
    label = "write floats of the precision of the problem: `0.0..=10.0`"
)]
pub trait TimeSpan<T> {
    /// The beginning and the end.
    fn ends(self) -> (T, T);
}

impl<T> TimeSpan<T> for RangeInclusive<T> {
    fn ends(self) -> (T, T) {
        self.into_inner()
    }
}

impl<T> TimeSpan<T> for Range<T> {
    fn ends(self) -> (T, T) {
        (self.start, self.end)
    }
}

impl<T> TimeSpan<T> for (T, T) {
    fn ends(self) -> (T, T) {
        self
    }
}

/// An initial value problem `u' = f(u, p, t)`, `u(t0) = u0`, on `[t0, t1]`.
///
/// The precision of its numbers, `f32` or `f64`, is the precision of the solve. A time span with
/// `t1 < t0` is integrated backwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeProblem<S, T, const N: usize, const P: usize> {
    system: PhantomData<S>,
    /// Initial state.
    pub u0: [T; N],
    /// Beginning of the time span.
    pub t0: T,
    /// End of the time span.
    pub t1: T,
    /// Parameters.
    pub p: [T; P],
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// The problem of `system` from `u0` at the beginning of `tspan`, with parameters `p`: arrays, or
    /// the `State` and `Parameters` of a system that is a module, which are [`Numbers`] too. There
    /// `State { prey: 10.0, predators: 5.0 }` stands for `[10.0, 5.0]`, here and in every other place
    /// that takes such numbers; `.into()` and `State::from` convert both ways.
    #[must_use]
    pub fn new(
        _system: S,
        u0: impl Numbers<T, N>,
        tspan: impl TimeSpan<T>,
        p: impl Numbers<T, P>,
    ) -> Self {
        let (t0, t1) = tspan.ends();
        OdeProblem { system: PhantomData, u0: u0.numbers(), t0, t1, p: p.numbers() }
    }

    /// The same problem from another initial state.
    #[must_use]
    pub fn with_u0(self, u0: impl Numbers<T, N>) -> Self {
        OdeProblem { u0: u0.numbers(), ..self }
    }

    /// The same problem with other parameters.
    #[must_use]
    pub fn with_p(self, p: impl Numbers<T, P>) -> Self {
        OdeProblem { p: p.numbers(), ..self }
    }

    /// The same problem on another time span.
    #[must_use]
    pub fn with_tspan(self, tspan: impl TimeSpan<T>) -> Self {
        let (t0, t1) = tspan.ends();
        OdeProblem { t0, t1, ..self }
    }
}

/// Many problems that differ in numbers only.
#[derive(Clone, Debug)]
pub struct EnsembleProblem<S, T, F, const N: usize, const P: usize> {
    pub(crate) problem: OdeProblem<S, T, N, P>,
    pub(crate) trajectories: usize,
    pub(crate) sweep: Sweep<T, N, P>,
    pub(crate) vary: F,
    pub(crate) tstops: Option<OwnStops<S, T, N, P>>,
}

/// What [`EnsembleProblem::new`] varies: nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unvaried;

/// Makes trajectory `i`'s problem from the ensemble's. Implemented by functions of both.
#[diagnostic::on_unimplemented(
    message = "this does not make the problems of an ensemble",
    label = "expected a function of a problem and an index, as in \
             `|problem, i| problem.with_p([i as f64])`",
    note = "it is called from several threads: draw random numbers before, into a `Vec`, and take \
            those of index `i`"
)]
pub trait Vary<S, T, const N: usize, const P: usize>: Sync {
    /// The problem of trajectory `i`.
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P>;
}

impl<S: Sync, T: Sync, const N: usize, const P: usize> Vary<S, T, N, P> for Unvaried {
    fn problem(&self, base: OdeProblem<S, T, N, P>, _: usize) -> OdeProblem<S, T, N, P> {
        base
    }
}

impl<S, T, F, const N: usize, const P: usize> Vary<S, T, N, P> for F
where
    F: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
{
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P> {
        self(base, i)
    }
}

/// What [`EnsembleProblem::tstops`] accepts: functions of a problem and an index, which give a
/// [list](TimeList) of times.
#[diagnostic::on_unimplemented(
    message = "this does not give the times at which each trajectory stops",
    label = "expected a function of a problem and an index, as in `|problem, i| [problem.p[0]]`",
    note = "times that are the same for all trajectories are an option: `SolveOptions::default().tstops([1.0])`",
    note = "it is called from several threads and kept: with `move` it takes what it uses along"
)]
pub trait StopsOfEach<S, T, L, const N: usize, const P: usize>:
    Fn(&OdeProblem<S, T, N, P>, usize) -> L + Send + Sync + 'static
{
}

#[diagnostic::do_not_recommend]
impl<S, T, L, F, const N: usize, const P: usize> StopsOfEach<S, T, L, N, P> for F where
    F: Fn(&OdeProblem<S, T, N, P>, usize) -> L + Send + Sync + 'static
{
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize>
    EnsembleProblem<S, T, Unvaried, N, P>
{
    /// An ensemble of one trajectory; say how many with [`trajectories`](Self::trajectories), and
    /// how they differ with [`vary`](Self::vary); or both by data, with [`over`](Self::over) or
    /// [`grid`](Self::grid).
    #[must_use]
    pub fn new(problem: OdeProblem<S, T, N, P>) -> Self {
        let sweep = Sweep::default();
        EnsembleProblem { problem, trajectories: 1, sweep, vary: Unvaried, tstops: None }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// Sets the number of trajectories.
    #[must_use]
    pub fn trajectories(self, trajectories: usize) -> Self {
        EnsembleProblem { trajectories, ..self }
    }

    /// Makes the problem of trajectory `i` by `vary(problem, i)`, which may change the initial
    /// state, the parameters and the time span:
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
    /// # fn of<S: System<3, 3>>(problem: OdeProblem<S, f64, 3, 3>) {
    /// let ensemble = EnsembleProblem::new(problem).trajectories(1000).vary(|mut problem, i| {
    ///     problem.p[1] = 0.028 * i as f64;
    ///     problem
    /// });
    /// # }
    /// ```
    ///
    /// It is called once for each `i`, in any order and from several threads, so it should depend on
    /// `i` alone, and cannot borrow one random generator: seed one with `i`, or draw the parameters
    /// before and hand them to [`over`](Self::over). A second `vary` takes the place of the first;
    /// rows and axes of a sweep are put into the problem before.
    #[must_use]
    pub fn vary<G>(self, vary: G) -> EnsembleProblem<S, T, G, N, P>
    where
        G: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
    {
        let EnsembleProblem { problem, trajectories, sweep, tstops, .. } = self;
        EnsembleProblem { problem, trajectories, sweep, vary, tstops }
    }

    /// Gives each trajectory times of its own to stop at, beside those of
    /// [`SolveOptions::tstops`](crate::SolveOptions::tstops) and as these: in any order, those outside the
    /// time span are left out. `times(problem, i)` is called once for each trajectory, with the problem that
    /// [`vary`](Self::vary) made, and gives a [list](TimeList): an array, a vector or an iterator.
    ///
    /// Lists may be empty. Even if all of them are, right-hand sides that depend on the time are told times strictly
    /// within the span, as between all stops: the last bits may be others than those of a solve without.
    ///
    /// ```
    /// # use ode_core::EnsembleProblem;
    /// # fn of<S, F, const N: usize, const P: usize>(
    /// #     ensemble: EnsembleProblem<S, f64, F, N, P>,
    /// # ) -> EnsembleProblem<S, f64, F, N, P>
    /// # where S: ode_core::system::System<N, P> {
    /// // The last parameter is the time of a dose.
    /// ensemble.tstops(|problem, _i| [problem.p[P - 1]])
    /// # }
    /// ```
    #[must_use]
    pub fn tstops<G, L>(self, times: G) -> Self
    where
        G: StopsOfEach<S, T, L, N, P>,
        L: TimeList<T>,
    {
        let times = move |problem: &OdeProblem<S, T, N, P>, i: usize| times(problem, i).times();
        EnsembleProblem { tstops: Some(OwnStops(Arc::new(times))), ..self }
    }
}

/// A trajectory's own times to stop at.
type StopsOf<S, T, const N: usize, const P: usize> =
    dyn Fn(&OdeProblem<S, T, N, P>, usize) -> Vec<T> + Send + Sync;

/// What [`EnsembleProblem::tstops`] was given.
#[derive(Clone)]
pub(crate) struct OwnStops<S, T, const N: usize, const P: usize>(Arc<StopsOf<S, T, N, P>>);

impl<S, T, const N: usize, const P: usize> OwnStops<S, T, N, P> {
    /// Those of trajectory `i`, whose problem this is.
    pub(crate) fn of(&self, problem: &OdeProblem<S, T, N, P>, i: usize) -> Vec<T> {
        (self.0)(problem, i)
    }
}

impl<S, T, const N: usize, const P: usize> fmt::Debug for OwnStops<S, T, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnStops")
    }
}
