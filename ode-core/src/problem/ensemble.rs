//! Many initial value problems.

use crate::lane::Scalar;
use crate::problem::ode::{Numbers, OdeProblem};
use crate::problem::options::TimeList;
use crate::problem::part::Part;
use crate::problem::samples::Samples;
use crate::problem::sweep::{Axis, Sweep};
use crate::system::System;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Many problems of one system that differ in initial states, parameters and time spans.
///
/// How many trajectories there are and how they differ is said by one of these ways, or a
/// combination:
///
/// | | trajectories | differ by |
/// |---|---|---|
/// | [`over`](Self::over), [`over_u0`](Self::over_u0) | one for each row | rows of parameters, of initial states |
/// | [`grid`](Self::grid) | one for each combination | the values along each axis |
/// | [`trajectories`](Self::trajectories) and [`sample`](Self::sample) | as said | distributions and other rules |
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
/// assert_eq!((solution.len(), solution.all_states().shape()[2]), (3, 2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct EnsembleProblem<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> {
    pub(crate) problem: OdeProblem<S, T, N, P>,
    /// The number that was asked for, if it was.
    pub(crate) trajectories: Option<usize>,
    pub(crate) sweep: Sweep<T, N, P>,
    pub(crate) samples: Option<Samples>,
    pub(crate) vary: F,
    pub(crate) tstops: Option<OwnStops<S, T, N, P>>,
    pub(crate) part: Part,
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
    note = "it is called from several threads; for random numbers see `EnsembleProblem::sample`"
)]
pub trait Vary<S: System<N, P>, T: Scalar, const N: usize, const P: usize>: Sync {
    /// Whether problems may differ, so that their number is to be said.
    #[doc(hidden)]
    const VARIES: bool = true;

    /// The problem of trajectory `i`.
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

/// The [`Vary`] of an ensemble after [`cast`](EnsembleProblem::cast): one for numbers of precision
/// `T`, which are rounded afterwards.
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

/// The functions that [`EnsembleProblem::vary`] accepts: of a problem and an index, with a problem
/// as their result. Several threads call them, so they are [`Sync`].
#[diagnostic::on_unimplemented(
    message = "this does not make the problem of each trajectory",
    label = "expected a function of a problem and an index that several threads can call",
    note = "it cannot use a `Cell`, a `RefCell`, an `Rc` or a generator of random numbers from outside",
    note = "draw rows before, with any generator, and pass them to `over(&rows)` instead; or take \
            the row of the index: `|problem, i| problem.with_p(rows[i])`"
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

/// The functions that [`EnsembleProblem::tstops`] accepts: of a problem and an index, with a
/// [list](TimeList) of times as their result.
#[diagnostic::on_unimplemented(
    message = "this does not give the times at which each trajectory stops",
    label = "expected a function of a problem and an index, as in `|problem, i| [problem.p[0]]`",
    note = "times that are the same for all trajectories are an option: `SolveOptions::default().tstops([1.0])`",
    note = "it is called from several threads and kept: with `move` it takes what it uses along"
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
    /// An ensemble of one trajectory; say how many with [`trajectories`](Self::trajectories), and
    /// how they differ with [`vary`](Self::vary); or both by data, with [`over`](Self::over) or
    /// [`grid`](Self::grid).
    #[must_use]
    pub fn new(problem: OdeProblem<S, T, N, P>) -> Self {
        let (sweep, part) = (Sweep::default(), Part::WHOLE);
        EnsembleProblem {
            problem,
            trajectories: None,
            sweep,
            samples: None,
            vary: Unvaried,
            tstops: None,
            part,
        }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// The system of equations of all trajectories.
    #[must_use]
    pub fn system(&self) -> S {
        self.problem.system
    }

    /// The same ensemble in the precision `U`: the problem, the rows and the axes are rounded to
    /// the nearest numbers. Functions that were given before keep their precision: they get and
    /// give numbers of `T`, and what they give is rounded.
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
        let EnsembleProblem { problem, trajectories, sweep, samples, vary, tstops, part } = self;
        EnsembleProblem {
            problem: problem.cast(),
            trajectories,
            sweep: sweep.cast(),
            samples,
            vary: InPrecision { vary, precision: PhantomData },
            tstops: tstops.map(OwnStops::cast),
            part,
        }
    }

    /// Sets the number of trajectories. Data that vary give it themselves; another one beside them
    /// is [`SolveError::Sweep`](crate::SolveError::Sweep) when a solve begins.
    #[must_use]
    pub fn trajectories(self, trajectories: usize) -> Self {
        EnsembleProblem { trajectories: Some(trajectories), ..self }
    }

    /// Makes the problem of trajectory `i` by `vary(problem, i)`, which may change the initial
    /// state, the parameters and the time span. Say how many there are by
    /// [`trajectories`](Self::trajectories), rows or axes; otherwise a solve is
    /// [`SolveError::HowMany`](crate::SolveError::HowMany).
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
    /// It is called for each `i`, in any order and from several threads, and for some more than
    /// once, so it should depend on `i` alone, and cannot borrow one random generator:
    /// [`sample`](Self::sample) draws random numbers. A second `vary` takes the place of the first;
    /// rows and axes of a sweep, and then samples, are put into the problem before.
    #[must_use]
    pub fn vary<G>(self, vary: G) -> EnsembleProblem<S, T, G, N, P>
    where
        G: ProblemOfEach<S, T, N, P>,
    {
        let EnsembleProblem { problem, trajectories, sweep, samples, tstops, part, .. } = self;
        EnsembleProblem { problem, trajectories, sweep, samples, vary, tstops, part }
    }

    /// Gives parameters and components of the initial state values by rules, random ones among them.
    /// Say how many trajectories there are by [`trajectories`](Self::trajectories), rows or axes;
    /// otherwise a solve is [`SolveError::HowMany`](crate::SolveError::HowMany).
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
    /// Rows and axes of a sweep are put into the problem before, and a value of a row is replaced;
    /// [`vary`](Self::vary) gets the sampled problem. A second call replaces the first.
    ///
    /// The values have the same bits in every place and in every [part](Self::part). They are `f64`
    /// and are rounded to the precision of the solve, so that those of an ensemble that is
    /// [cast](Self::cast) to `f32` are the nearest to those of the one in `f64`.
    ///
    /// When a solve begins, a name that the system does not have or an index out of range is
    /// [`SolveError::Axis`](crate::SolveError::Axis), numbers that make no distribution are
    /// [`SolveError::Rule`](crate::SolveError::Rule),
    /// [`SolveError::RuleOrder`](crate::SolveError::RuleOrder) or
    /// [`SolveError::NoChoice`](crate::SolveError::NoChoice), a quantity that is sampled twice or is
    /// on an axis of a grid is [`SolveError::SampledTwice`](crate::SolveError::SampledTwice), and more
    /// trajectories or quantities than the design has are
    /// [`SolveError::Design`](crate::SolveError::Design).
    #[must_use]
    pub fn sample(self, samples: Samples) -> Self {
        EnsembleProblem { samples: Some(samples), ..self }
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
        let times = move |problem: &OdeProblem<S, T, N, P>, i: usize| times(problem, i).times();
        EnsembleProblem { tstops: Some(OwnStops(Arc::new(times))), ..self }
    }

    /// Solves one part of the ensemble instead of all: part `rank` of `of`, as `(rank, of)`, or the
    /// part that the [launcher](Part::from_launcher) gave this process. A second call replaces the
    /// first.
    ///
    /// Of `n` trajectories part `rank` has the numbers `n * rank / of .. n * (rank + 1) / of`. Rows,
    /// axes, samples, [`vary`](Self::vary) and [`tstops`](Self::tstops) get these numbers, those of the
    /// whole ensemble. The results are those of the whole solve, bit for bit.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, Part, SolveOptions};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), Box<dyn std::error::Error>>
    /// # where S: System<2, 1, Parameters<f64> = [f64; 1]> {
    /// let part = Part::from_launcher()?;
    /// eprintln!("{part}"); // part 3 of 8 (Slurm, local rank 1)
    /// let ensemble = EnsembleProblem::new(problem)
    ///     .trajectories(1000)
    ///     .vary(|problem, i| problem.with_p([0.001 * i as f64]))
    ///     .part(part);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default())?;
    /// println!("{:?}", solution.numbers()); // 375..500
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If there are more parts than trajectories, some parts have none. Their solution is empty, so
    /// that a process with nothing to do ends well. An empty ensemble is an error in every part.
    ///
    /// In the solution, indices count from the first trajectory of the part;
    /// [`numbers`](crate::EnsembleSolution::numbers) and
    /// [`Trajectory::number`](crate::Trajectory::number) say which these are. A part of a grid is
    /// not a grid: its [`shape`](crate::EnsembleSolution::shape) is its number of trajectories, and
    /// it has no [`axes`](crate::EnsembleSolution::axes). A part that has all trajectories is the
    /// whole. Arrays of saved values have room for the longest trajectory of the part, so that their
    /// second axis may be shorter than that of the whole.
    ///
    /// Adaptive steps depend on whether any trajectory has times to stop at. If the right-hand side
    /// has such times, and none is in this part, the problems of the others are evaluated, too, until
    /// one is found.
    ///
    /// A part that is not below the number of parts is [`SolveError::Part`](crate::SolveError::Part)
    /// when a solve begins.
    #[must_use]
    pub fn part(self, part: impl Into<Part>) -> Self {
        EnsembleProblem { part: part.into(), ..self }
    }
}

impl<S: System<N, P>, T: Scalar, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P> {
    /// One trajectory for each row of parameters: arrays, or the `Parameters` of a system that is a
    /// module. This is the way for random parameters of
    /// any other generator than that of [`sample`](Self::sample), too: draw the rows first.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
    /// # fn of<S: System<3, 2>>(problem: OdeProblem<S, f64, 3, 2>) {
    /// let rows = vec![[0.5, 1.0], [0.6, 1.0], [0.7, 1.1]];
    /// let ensemble = EnsembleProblem::new(problem).over(&rows);
    /// # }
    /// ```
    ///
    /// A row with a NaN, as of a measurement that failed, is a trajectory that ends where it begins,
    /// with [`ReturnCode::NonFinite`](crate::ReturnCode::NonFinite), and harms no other. So it is on
    /// a grid, with initial states, and with what [`vary`](Self::vary()) gives, also with a time span
    /// that is not finite. What all trajectories take from the one problem is an error of the solve
    /// ([`SolveError::NonFinite`](crate::SolveError::NonFinite),
    /// [`SolveError::TimeSpan`](crate::SolveError::TimeSpan)). An infinite parameter may mean
    /// "never": `f64::INFINITY` as the time of a dose.
    #[must_use]
    pub fn over<R: Numbers<T, P> + Clone>(mut self, rows: &[R]) -> Self {
        self.sweep.p = Some(rows.iter().map(|row| row.clone().numbers()).collect());
        self
    }

    /// One trajectory for each initial state: arrays, or the `State` of a system that is a module.
    /// Together with [`over`](Self::over), row `i` of both makes trajectory `i`.
    #[must_use]
    pub fn over_u0<R: Numbers<T, N> + Clone>(mut self, rows: &[R]) -> Self {
        self.sweep.u0 = Some(rows.iter().map(|row| row.clone().numbers()).collect());
        self
    }

    /// A trajectory for each combination of the values along the axes. The last axis varies
    /// fastest, as in an array of the grid's shape:
    /// [`final_states_on_grid`](crate::EnsembleSolution::final_states_on_grid) and its like have an
    /// axis for each.
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
    /// A name that the system does not have or an index out of range is [`SolveError::Axis`](crate::SolveError::Axis), the
    /// same quantity on two axes [`SolveError::AxisTwice`](crate::SolveError::AxisTwice), when a solve begins.
    #[must_use]
    pub fn grid(mut self, axes: impl IntoIterator<Item = Axis>) -> Self {
        self.sweep.axes = axes.into_iter().collect();
        self
    }
}

/// A function that gives the times to stop at of each trajectory.
type StopsOf<S, T, const N: usize, const P: usize> =
    dyn Fn(&OdeProblem<S, T, N, P>, usize) -> Vec<T> + Send + Sync;

/// The function that [`EnsembleProblem::tstops`] was given.
#[derive(Clone)]
pub(crate) struct OwnStops<S, T, const N: usize, const P: usize>(Arc<StopsOf<S, T, N, P>>)
where
    S: System<N, P>,
    T: Scalar;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OwnStops<S, T, N, P> {
    /// The same times, in the precision `U`.
    fn cast<U: Scalar>(self) -> OwnStops<S, U, N, P> {
        let times = move |problem: &OdeProblem<S, U, N, P>, i: usize| {
            self.of(&problem.cast(), i).into_iter().map(|t| U::narrow(t.widen())).collect()
        };
        OwnStops(Arc::new(times))
    }

    /// The times to stop at of trajectory `i`, whose problem is `problem`.
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
