//! Ensembles of initial value problems.

use crate::lane::Scalar;
use crate::problem::ode::{Numbers, OdeProblem};
use crate::problem::options::TimeList;
use crate::problem::samples::Samples;
use crate::problem::shard::Shard;
use crate::problem::sweep::{Axis, Sweep};
use crate::system::System;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Many problems of one system that differ in initial states, parameters and time spans.
///
/// [`solve`](Self::solve) returns an [`EnsembleSolution`](crate::EnsembleSolution) with the
/// trajectories in the same order.
///
/// ```
/// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
/// # use ode_core::{methods::Tsit5, system::System};
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
/// let ensemble = EnsembleProblem::new(problem).over(&[[0.1], [0.2], [0.3]]);
/// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default().saveat(1.0))?;
/// assert_eq!((solution.len(), solution.all_states().shape()[2]), (3, 2));
/// for trajectory in &solution {
///     println!("{:?} ends at {:?}", trajectory.p(), trajectory.final_state());
/// }
/// # Ok(())
/// # }
/// ```
///
/// These methods set the number of trajectories and their differences, alone or combined:
///
/// | | trajectories | differ by |
/// |---|---|---|
/// | [`over`](Self::over), [`over_u0`](Self::over_u0) | one for each row | rows of parameters, of initial states |
/// | [`grid`](Self::grid) | one for each combination | the values along each axis |
/// | [`trajectories`](Self::trajectories) and [`sample`](Self::sample) | the given number | distributions and other rules |
/// | [`trajectories`](Self::trajectories) and [`vary`](Self::vary) | the given number | a function of the index |
#[derive(Clone, Debug)]
pub struct EnsembleProblem<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> {
    pub(crate) problem: OdeProblem<S, T, N, P>,
    /// The number of trajectories that the user set, if any.
    pub(crate) trajectories: Option<usize>,
    pub(crate) sweep: Sweep<T, N, P>,
    pub(crate) samples: Option<Samples>,
    pub(crate) vary: F,
    pub(crate) tstops: Option<OwnStops<S, T, N, P>>,
    pub(crate) shard: Shard,
}

/// The [`Vary`] of an ensemble without [`vary`](EnsembleProblem::vary): changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unvaried;

/// A rule that makes the problem of trajectory `i` from the base problem.
///
/// Functions of a problem and an index implement this trait.
#[diagnostic::on_unimplemented(
    message = "this does not compute the problems of an ensemble",
    label = "expected a function of a problem and an index, as in \
             `|problem, i| problem.with_p([i as f64])`",
    note = "several threads call the function; for random numbers see `EnsembleProblem::sample`"
)]
pub trait Vary<S: System<N, P>, T: Scalar, const N: usize, const P: usize>: Sync {
    /// Whether problems may differ, so that the ensemble needs a number of trajectories.
    #[doc(hidden)]
    const VARIES: bool = true;

    /// Returns the problem of trajectory `i`.
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P>;
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Vary<S, T, N, P> for Unvaried {
    const VARIES: bool = false;

    fn problem(&self, base: OdeProblem<S, T, N, P>, _: usize) -> OdeProblem<S, T, N, P> {
        base
    }
}

impl<S, T, F, const N: usize, const P: usize> Vary<S, T, N, P> for F
where
    S: System<N, P>,
    T: Scalar,
    F: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
{
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P> {
        self(base, i)
    }
}

/// The [`Vary`] of an ensemble after [`cast`](EnsembleProblem::cast).
///
/// The rule for numbers of precision `T` is called, and its result is rounded.
#[derive(Clone, Copy, Debug)]
pub struct InPrecision<F, T> {
    vary: F,
    precision: PhantomData<fn() -> T>,
}

impl<S, T, U, F, const N: usize, const P: usize> Vary<S, U, N, P> for InPrecision<F, T>
where
    S: System<N, P>,
    T: Scalar,
    U: Scalar,
    F: Vary<S, T, N, P>,
{
    const VARIES: bool = F::VARIES;

    fn problem(&self, base: OdeProblem<S, U, N, P>, i: usize) -> OdeProblem<S, U, N, P> {
        self.vary.problem(base.cast(), i).cast()
    }
}

/// The functions that [`EnsembleProblem::vary`] accepts.
///
/// The functions take a problem and an index, and return a problem. Several threads call them, so
/// they are [`Sync`].
#[diagnostic::on_unimplemented(
    message = "this does not compute the problem of each trajectory",
    label = "expected a function of a problem and an index that several threads can call",
    note = "the function cannot use a `Cell`, a `RefCell`, an `Rc` or a generator of random \
            numbers from outside",
    note = "draw all rows before, with any generator, and pass them to `over(&rows)` instead; or \
            use the row of the index: `|problem, i| problem.with_p(rows[i])`"
)]
pub trait ProblemOfEach<S: System<N, P>, T: Scalar, const N: usize, const P: usize>:
    Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync
{
}

#[diagnostic::do_not_recommend]
impl<S, T, F, const N: usize, const P: usize> ProblemOfEach<S, T, N, P> for F
where
    S: System<N, P>,
    T: Scalar,
    F: Fn(OdeProblem<S, T, N, P>, usize) -> OdeProblem<S, T, N, P> + Sync,
{
}

/// The functions that [`EnsembleProblem::tstops`] accepts.
///
/// The functions take a problem and an index, and return a [list](TimeList) of times.
#[diagnostic::on_unimplemented(
    message = "this does not compute the stop times of each trajectory",
    label = "expected a function of a problem and an index, as in `|problem, i| [problem.p[0]]`",
    note = "if all trajectories have the same times, use an option: \
            `SolveOptions::default().tstops([1.0])`",
    note = "the problem stores the function, and several threads call it: write `move`, so that it \
            owns its captured values"
)]
pub trait StopsOfEach<S: System<N, P>, T: Scalar, L, const N: usize, const P: usize>:
    Fn(&OdeProblem<S, T, N, P>, usize) -> L + Send + Sync + 'static
{
}

#[diagnostic::do_not_recommend]
impl<S, T, L, F, const N: usize, const P: usize> StopsOfEach<S, T, L, N, P> for F
where
    S: System<N, P>,
    T: Scalar,
    F: Fn(&OdeProblem<S, T, N, P>, usize) -> L + Send + Sync + 'static,
{
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize>
    EnsembleProblem<S, T, Unvaried, N, P>
{
    /// Creates an ensemble of one trajectory.
    ///
    /// [`trajectories`](Self::trajectories) sets the number of trajectories, and
    /// [`vary`](Self::vary) their differences. [`over`](Self::over) and [`grid`](Self::grid) set
    /// both by data.
    #[must_use]
    pub fn new(problem: OdeProblem<S, T, N, P>) -> Self {
        let (sweep, shard) = (Sweep::default(), Shard::WHOLE);
        EnsembleProblem {
            problem,
            trajectories: None,
            sweep,
            samples: None,
            vary: Unvaried,
            tstops: None,
            shard,
        }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// Returns the system of equations of all trajectories.
    #[must_use]
    pub fn system(&self) -> S {
        self.problem.system
    }

    /// Converts the ensemble to the precision `U`.
    ///
    /// The problem, the rows and the axes are rounded to the nearest numbers. Functions that the
    /// ensemble already has keep their precision: their arguments and results are numbers of `T`,
    /// and the results are rounded.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
    /// let ensemble = EnsembleProblem::new(problem)
    ///     .trajectories(1000)
    ///     .vary(|problem, i| problem.with_p([0.001 * i as f64]))
    ///     .cast::<f32>();
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default())?;
    /// let ends: ndarray::ArrayView2<'_, f32> = solution.final_states();
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cast<U: Scalar>(self) -> EnsembleProblem<S, U, InPrecision<F, T>, N, P> {
        let EnsembleProblem { problem, trajectories, sweep, samples, vary, tstops, shard } = self;
        EnsembleProblem {
            problem: problem.cast(),
            trajectories,
            sweep: sweep.cast(),
            samples,
            vary: InPrecision { vary, precision: PhantomData },
            tstops: tstops.map(OwnStops::cast),
            shard,
        }
    }

    /// Sets the number of trajectories.
    ///
    /// Rows and axes set the number themselves. If this number differs from theirs, the solve
    /// returns [`SolveError::Sweep`](crate::SolveError::Sweep).
    #[must_use]
    pub fn trajectories(self, trajectories: usize) -> Self {
        EnsembleProblem { trajectories: Some(trajectories), ..self }
    }

    /// Makes the problem of trajectory `i` by `vary(problem, i)`.
    ///
    /// The function may change the initial state, the parameters and the time span. Set the number
    /// of trajectories by [`trajectories`](Self::trajectories), rows or axes; otherwise a solve
    /// returns [`SolveError::HowMany`](crate::SolveError::HowMany).
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
    /// # fn of<S: System<3, 3, Parameters<f64> = [f64; 3]>>(problem: OdeProblem<S, f64, 3, 3>) {
    /// let ensemble = EnsembleProblem::new(problem).trajectories(1000).vary(|mut problem, i| {
    ///     problem.p[1] = 0.028 * i as f64;
    ///     problem
    /// });
    /// # }
    /// ```
    ///
    /// Several threads call the function, in any order, once for each `i` and more than once for
    /// some. So the result must depend on `i` alone, and the function cannot borrow one random
    /// generator; [`sample`](Self::sample) draws random numbers. The function receives the problem
    /// after the rows and axes of a sweep, and then the samples, are applied. A second `vary`
    /// replaces the first.
    #[must_use]
    pub fn vary<G>(self, vary: G) -> EnsembleProblem<S, T, G, N, P>
    where
        G: ProblemOfEach<S, T, N, P>,
    {
        let EnsembleProblem { problem, trajectories, sweep, samples, tstops, shard, .. } = self;
        EnsembleProblem { problem, trajectories, sweep, samples, vary, tstops, shard }
    }

    /// Samples parameters and components of the initial state by rules, such as distributions.
    ///
    /// Set the number of trajectories by [`trajectories`](Self::trajectories), rows or axes;
    /// otherwise a solve returns [`SolveError::HowMany`](crate::SolveError::HowMany).
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
    /// use ode_core::{Normal, Samples, Uniform};
    /// # fn of<S: System<3, 3>>(problem: OdeProblem<S, f64, 3, 3>) {
    /// let ensemble = EnsembleProblem::new(problem).trajectories(1 << 22).sample(
    ///     Samples::seed(42)
    ///         .p("rho", Uniform(0.0, 28.0))
    ///         .u0("x", Normal { mean: 1.0, sd: 0.1 }),
    /// );
    /// # }
    /// ```
    ///
    /// Samples replace the values of rows. Rows and axes of a sweep are applied before the samples,
    /// and [`vary`](Self::vary) receives the sampled problem. A second call replaces the first.
    ///
    /// The values have the same bits on every backend and in every [shard](Self::shard). The values
    /// are drawn in `f64` and rounded to the precision of the solve. So the values of an ensemble
    /// that is [cast](Self::cast) to `f32` are the nearest to the values of the ensemble in `f64`.
    ///
    /// # Errors of the solve
    ///
    /// | | cause |
    /// |---|---|
    /// | [`SolveError::Axis`](crate::SolveError::Axis) | the system has no such name, or an index is out of range |
    /// | [`SolveError::Rule`](crate::SolveError::Rule), [`SolveError::RuleOrder`](crate::SolveError::RuleOrder), [`SolveError::NoChoice`](crate::SolveError::NoChoice) | the numbers of a rule make no distribution |
    /// | [`SolveError::SampledTwice`](crate::SolveError::SampledTwice) | a quantity is sampled twice, or is on an axis of a grid |
    /// | [`SolveError::Design`](crate::SolveError::Design) | there are more trajectories or quantities than the design has |
    #[must_use]
    pub fn sample(self, samples: Samples) -> Self {
        EnsembleProblem { samples: Some(samples), ..self }
    }

    /// Adds times to stop at for each trajectory.
    ///
    /// The trajectory also stops at the times of
    /// [`SolveOptions::tstops`](crate::SolveOptions::tstops()). The times may be in any order, and
    /// times outside the time span are ignored. `times(problem, i)` is called once for each
    /// trajectory, with the problem that [`vary`](Self::vary) made. The function returns a
    /// [list](TimeList): an array, a vector or an iterator.
    ///
    /// Lists may be empty. Even if all lists are empty, right-hand sides that depend on the time
    /// are evaluated strictly within the span, as between all stops. So the last bits may differ
    /// from a solve without this call.
    ///
    /// ```
    /// # use ode_core::EnsembleProblem;
    /// # fn of<S, F, const N: usize, const P: usize>(
    /// #     ensemble: EnsembleProblem<S, f64, F, N, P>,
    /// # ) -> EnsembleProblem<S, f64, F, N, P>
    /// # where S: ode_core::system::System<N, P, Parameters<f64> = [f64; P]> {
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
        let times =
            move |problem: &OdeProblem<S, T, N, P>, i: usize| times(problem, i).into_times();
        EnsembleProblem { tstops: Some(OwnStops(Arc::new(times))), ..self }
    }

    /// Solves one shard of the ensemble, instead of all trajectories.
    ///
    /// The shard is a pair `(rank, size)`, or the [`Shard`] that the
    /// [launcher](Shard::from_launcher) assigned to this process. A second call replaces the first.
    ///
    /// Of `n` trajectories, shard `rank` has the indices `n * rank / of .. n * (rank + 1) / of`.
    /// Rows, axes, samples, [`vary`](Self::vary) and [`tstops`](Self::tstops) receive these indices
    /// of the whole ensemble. The results equal the results of the whole solve, bit for bit. The
    /// exception is a lockstep backend, such as
    /// [`EnsembleCpuArray`](struct@crate::EnsembleCpuArray): each shard is a lockstep solve of its
    /// own, so its steps and its last digits depend on the number of shards.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, Shard, SolveOptions};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), Box<dyn std::error::Error>>
    /// # where S: System<2, 1, Parameters<f64> = [f64; 1]> {
    /// let shard = Shard::from_launcher()?;
    /// eprintln!("{shard}"); // shard 3 of 8 (Slurm, local rank 1)
    /// let ensemble = EnsembleProblem::new(problem)
    ///     .trajectories(1000)
    ///     .vary(|problem, i| problem.with_p([0.001 * i as f64]))
    ///     .shard(shard);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default())?;
    /// println!("{:?}", solution.numbers()); // 375..500
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If there are more shards than trajectories, some shards are empty. An empty shard has an
    /// empty solution and no error, so that a process with nothing to do ends well. An empty
    /// ensemble is an error in every shard.
    ///
    /// In the solution, indices count from the first trajectory of the shard.
    /// [`numbers`](crate::EnsembleSolution::numbers) and
    /// [`Trajectory::number`](crate::Trajectory::number) return the indices in the whole ensemble.
    /// A shard of a grid is not a grid: its [`shape`](crate::EnsembleSolution::shape) is its number
    /// of trajectories, and it has no [`axes`](crate::EnsembleSolution::axes). Only a shard with
    /// all trajectories keeps both. Arrays of saved values fit the longest trajectory of the shard,
    /// so their second axis may be shorter than in the whole solution.
    ///
    /// If `rank` is not below `of`, the solve returns
    /// [`SolveError::Shard`](crate::SolveError::Shard).
    #[must_use]
    pub fn shard(self, shard: impl Into<Shard>) -> Self {
        EnsembleProblem { shard: shard.into(), ..self }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// Makes one trajectory for each row of parameters.
    ///
    /// Rows are arrays, or the `Parameters` of a system that is a module. For random parameters of
    /// any other generator than [`sample`](Self::sample), draw the rows first.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
    /// # fn of<S: System<3, 2>>(problem: OdeProblem<S, f64, 3, 2>) {
    /// let rows = vec![[0.5, 1.0], [0.6, 1.0], [0.7, 1.1]];
    /// let ensemble = EnsembleProblem::new(problem).over(&rows);
    /// # }
    /// ```
    ///
    /// If a row contains a NaN, such as a failed measurement, its trajectory ends at its beginning
    /// with [`ReturnCode::NonFinite`](crate::ReturnCode::NonFinite), and no other trajectory is
    /// affected. The same holds for initial states, for grids, for results of
    /// [`vary`](Self::vary()), and for time spans that are not finite. If the base problem has such
    /// a number and all trajectories take it from there, the solve returns
    /// [`SolveError::NonFinite`](crate::SolveError::NonFinite) or
    /// [`SolveError::TimeSpan`](crate::SolveError::TimeSpan). An infinite parameter may mean
    /// "never": `f64::INFINITY` as the time of a dose.
    #[must_use]
    pub fn over<R: Numbers<T, P> + Clone>(mut self, rows: &[R]) -> Self {
        self.sweep.p = Some(rows.iter().map(|row| row.clone().into_numbers()).collect());
        self
    }

    /// Makes one trajectory for each initial state.
    ///
    /// Rows are arrays, or the `State` of a system that is a module. Together with
    /// [`over`](Self::over), row `i` of both makes trajectory `i`.
    #[must_use]
    pub fn over_u0<R: Numbers<T, N> + Clone>(mut self, rows: &[R]) -> Self {
        self.sweep.u0 = Some(rows.iter().map(|row| row.clone().into_numbers()).collect());
        self
    }

    /// Makes one trajectory for each combination of the values along the axes.
    ///
    /// The last axis varies fastest, as in an array of the grid's shape.
    /// [`final_states_on_grid`](crate::EnsembleSolution::final_states_on_grid) and similar methods
    /// return arrays with one dimension for each axis.
    ///
    /// ```
    /// # use ode_core::{Axis, EnsembleProblem, OdeProblem, system::System};
    /// # fn of<S: System<3, 2>>(problem: OdeProblem<S, f64, 3, 2>) {
    /// let rates = [0.1, 0.2, 0.3];
    /// let grid = EnsembleProblem::new(problem)
    ///     .grid([Axis::p("rate", rates), Axis::u0("dose", (1..=100).map(f64::from))]);
    /// # }
    /// ```
    ///
    /// # Errors of the solve
    ///
    /// [`SolveError::Axis`](crate::SolveError::Axis) if the system has no such name or an index is
    /// out of range. [`SolveError::AxisTwice`](crate::SolveError::AxisTwice) if two axes have the
    /// same quantity.
    #[must_use]
    pub fn grid(mut self, axes: impl IntoIterator<Item = Axis>) -> Self {
        self.sweep.axes = axes.into_iter().collect();
        self
    }
}

/// A function that returns the times to stop at of one trajectory.
type StopsOf<S, T, const N: usize, const P: usize> =
    dyn Fn(&OdeProblem<S, T, N, P>, usize) -> Vec<T> + Send + Sync;

/// The function passed to [`EnsembleProblem::tstops`].
#[derive(Clone)]
pub(crate) struct OwnStops<S, T, const N: usize, const P: usize>(Arc<StopsOf<S, T, N, P>>)
where
    S: System<N, P>,
    T: Scalar;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OwnStops<S, T, N, P> {
    /// Converts the function to the precision `U`.
    fn cast<U: Scalar>(self) -> OwnStops<S, U, N, P> {
        let times = move |problem: &OdeProblem<S, U, N, P>, i: usize| {
            self.of(&problem.cast(), i).into_iter().map(|t| U::narrow(t.widen())).collect()
        };
        OwnStops(Arc::new(times))
    }

    /// Returns the times to stop at of trajectory `i` with this `problem`.
    pub(crate) fn of(&self, problem: &OdeProblem<S, T, N, P>, i: usize) -> Vec<T> {
        (self.0)(problem, i)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> fmt::Debug
    for OwnStops<S, T, N, P>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnStops")
    }
}
