//! Problems: one initial value problem, and an ensemble of them.

pub mod columns;
pub(crate) mod controller;
pub mod inputs;
pub(crate) mod options;
pub mod settings;
pub(crate) mod sweep;

pub use controller::Controller;

use crate::lane::Scalar;
use crate::problem::options::TimeList;
use crate::problem::sweep::Sweep;
use crate::system::System;
use core::ops::{Range, RangeInclusive};
use std::fmt;
use std::sync::Arc;

/// Anything that can be converted to `N` numbers of precision `T`: an array of them, or the `State`
/// or `Parameters` of a system that is a module, and every other type that implements
/// `Into<[T; N]>`.
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
/// `N` is the number of states and `P` the number of parameters. The precision of the numbers,
/// `f32` or `f64`, is the precision of the solve. A time span with `t1 < t0` is integrated
/// backwards. Problems are values: fields can be changed, and `with_u0`, `with_p` and `with_tspan`
/// give changed copies.
///
/// ```
/// # use ode_core::{EnsembleSerial, OdeProblem, SolveError, SolveOptions, methods::Tsit5, system::System};
/// # fn of<S: System<2, 1>>(decay: S) -> Result<(), SolveError> {
/// let problem = OdeProblem::new(decay, [1.0, 0.0], 0.0..=10.0, [0.3]);
/// let solution = problem.solve(Tsit5, &SolveOptions::default().tolerance(1e-8))?;
/// println!("{:?} with {}", solution.final_state(), solution.code());
/// let faster = problem.with_p([3.0]).solve(Tsit5, &SolveOptions::default())?;
/// # Ok(())
/// # }
/// ```
///
/// A NaN or an infinity among the numbers is an error of the solve,
/// [`SolveError::NonFinite`](crate::SolveError::NonFinite) or
/// [`SolveError::TimeSpan`](crate::SolveError::TimeSpan).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeProblem<S, T, const N: usize, const P: usize> {
    pub(crate) system: S,
    /// The state at `t0`.
    pub u0: [T; N],
    /// Beginning of the time span.
    pub t0: T,
    /// End of the time span.
    pub t1: T,
    /// Parameters of the right-hand side.
    pub p: [T; P],
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// The problem of `system` from `u0` at the beginning of `tspan`, with parameters `p`: arrays,
    /// or the `State` and `Parameters` of a system that is a module, which are [`Numbers`] too.
    /// There `State { prey: 10.0, predators: 5.0 }` stands for `[10.0, 5.0]`, here and in every
    /// other place that takes such numbers; `.into()` and `State::from` convert both ways.
    #[must_use]
    pub fn new(
        system: S,
        u0: impl Numbers<T, N>,
        tspan: impl TimeSpan<T>,
        p: impl Numbers<T, P>,
    ) -> Self {
        let (t0, t1) = tspan.ends();
        OdeProblem { system, u0: u0.numbers(), t0, t1, p: p.numbers() }
    }

    /// The system of equations.
    #[must_use]
    pub fn system(&self) -> S {
        self.system
    }

    /// A copy of the problem with another initial state.
    #[must_use]
    pub fn with_u0(self, u0: impl Numbers<T, N>) -> Self {
        OdeProblem { u0: u0.numbers(), ..self }
    }

    /// A copy of the problem with other parameters.
    #[must_use]
    pub fn with_p(self, p: impl Numbers<T, P>) -> Self {
        OdeProblem { p: p.numbers(), ..self }
    }

    /// A copy of the problem on another time span.
    #[must_use]
    pub fn with_tspan(self, tspan: impl TimeSpan<T>) -> Self {
        let (t0, t1) = tspan.ends();
        OdeProblem { t0, t1, ..self }
    }
}

/// Many problems of one system that differ in initial states, parameters and time spans.
///
/// How many trajectories there are and how they differ is said by one of three ways, or a
/// combination:
///
/// | | trajectories | differ by |
/// |---|---|---|
/// | [`over`](Self::over), [`over_u0`](Self::over_u0) | one for each row | rows of parameters, of initial states |
/// | [`grid`](Self::grid) | one for each combination | the values along each axis |
/// | [`trajectories`](Self::trajectories) and [`vary`](Self::vary) | as said | a function of the index |
///
/// [`solve`](Self::solve) gives an [`EnsembleSolution`](crate::EnsembleSolution), in which
/// trajectories have the same order.
///
/// ```
/// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
/// # use ode_core::{methods::Tsit5, system::System};
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
/// let ensemble = EnsembleProblem::new(problem).over(&[[0.1], [0.2], [0.3]]);
/// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default().saveat(1.0))?;
/// assert_eq!((solution.len(), solution.states().shape()[2]), (3, 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct EnsembleProblem<S, T, F, const N: usize, const P: usize> {
    pub(crate) problem: OdeProblem<S, T, N, P>,
    pub(crate) trajectories: usize,
    pub(crate) sweep: Sweep<T, N, P>,
    pub(crate) vary: F,
    pub(crate) tstops: Option<OwnStops<S, T, N, P>>,
}

/// The [`Vary`] of an ensemble for which [`vary`](EnsembleProblem::vary) was not called: it changes
/// nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unvaried;

/// A rule that makes the problem of trajectory `i` from that of the ensemble. Functions of a
/// problem and an index implement it.
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

/// The functions that [`EnsembleProblem::tstops`] accepts: of a problem and an index, with a
/// [list](TimeList) of times as their result.
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
    /// The system of equations of all trajectories.
    #[must_use]
    pub fn system(&self) -> S {
        self.problem.system
    }

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
    /// It is called once for each `i`, in any order and from several threads, so it should depend
    /// on `i` alone, and cannot borrow one random generator: seed one with `i`, or draw the
    /// parameters before and hand them to [`over`](Self::over). A second `vary` takes the place of
    /// the first; rows and axes of a sweep are put into the problem before.
    #[must_use]
    pub fn vary<G>(self, vary: G) -> EnsembleProblem<S, T, G, N, P>
    where
        G: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
    {
        let EnsembleProblem { problem, trajectories, sweep, tstops, .. } = self;
        EnsembleProblem { problem, trajectories, sweep, vary, tstops }
    }

    /// Gives each trajectory its own times to stop at, in addition to those of
    /// [`SolveOptions::tstops`](crate::SolveOptions::tstops()). They may be in any order, and those
    /// outside the time span are left out. `times(problem, i)` is called once for each trajectory,
    /// with the problem that [`vary`](Self::vary) made, and gives a [list](TimeList): an array, a
    /// vector or an iterator.
    ///
    /// Lists may be empty. Even if all of them are, right-hand sides that depend on the time are
    /// told times strictly within the span, as between all stops: the last bits may differ from
    /// those of a solve without.
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

/// A function that gives the times to stop at of each trajectory.
type StopsOf<S, T, const N: usize, const P: usize> =
    dyn Fn(&OdeProblem<S, T, N, P>, usize) -> Vec<T> + Send + Sync;

/// The function that [`EnsembleProblem::tstops`] was given.
#[derive(Clone)]
pub(crate) struct OwnStops<S, T, const N: usize, const P: usize>(Arc<StopsOf<S, T, N, P>>);

impl<S, T, const N: usize, const P: usize> OwnStops<S, T, N, P> {
    /// The times to stop at of trajectory `i`, whose problem is `problem`.
    pub(crate) fn of(&self, problem: &OdeProblem<S, T, N, P>, i: usize) -> Vec<T> {
        (self.0)(problem, i)
    }
}

impl<S, T, const N: usize, const P: usize> fmt::Debug for OwnStops<S, T, N, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnStops")
    }
}
