//! Gradients of an ensemble with respect to initial states and parameters of each trajectory.

use crate::ensemble::adjoint::{AdjointSolve, AdjointTask};
use crate::ensemble::raw_gradients::{
    ExternalLoss, LossSource, RawCotangents, RawGradients, SystemLoss,
};
use crate::ensemble::{AdjointJob, EnsembleAlgorithm, Job, run_job};
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::gradient::{finite, sum};
use crate::lane::{Scalar, each_precision};
use crate::methods::Differentiable;
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::layout::Layout;
use crate::problem::options::{LogRow, SolveOptions};
use crate::problem::prepared::{Abilities, PreparedSolve};
use crate::problem::{EnsembleProblem, Vary};
use crate::solution::{RawResults, ReturnCode, RunReport, check_index};
use crate::step::properties::Properties;
use crate::system::{Loss, MassMatrix, PullBack, System};
use ndarray::{Array2, Array3, ArrayView2, Axis};
use std::time::Instant;

/// The derivatives of a loss with respect to saved states, final states, or both.
///
/// [`pull_back`](EnsembleProblem::pull_back) maps these cotangents to derivatives with respect to
/// initial states and parameters.
///
/// ```
/// use ndarray::{Array2, Array3};
/// use ode_core::gradient::Cotangents;
///
/// // Of two trajectories with three saved times and one component.
/// let by_saved = Array3::from_elem((2, 3, 1), 1.0);
/// let both = Cotangents::saved(by_saved).last(Array2::from_elem((2, 1), 0.5));
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Cotangents<T> {
    saved: Option<Array3<T>>,
    last: Option<Array2<T>>,
}

impl<T> Cotangents<T> {
    /// Creates cotangents of saved states, indexed by trajectory, save, component.
    ///
    /// [`all_states`](crate::EnsembleSolution::all_states) has the same layout.
    pub fn saved(by: Array3<T>) -> Self {
        Cotangents { saved: Some(by), last: None }
    }

    /// Adds the cotangents of final states, indexed by trajectory, component.
    ///
    /// [`final_states`](crate::EnsembleSolution::final_states) has the same layout. Cotangents of
    /// saved states, if there are any, stay.
    pub fn last(self, by: Array2<T>) -> Self {
        Cotangents { last: Some(by), ..self }
    }
}

/// Cotangents of final states alone.
impl<T> From<Array2<T>> for Cotangents<T> {
    fn from(by: Array2<T>) -> Self {
        Cotangents { saved: None, last: Some(by) }
    }
}

/// Cotangents of saved states alone.
impl<T> From<Array3<T>> for Cotangents<T> {
    fn from(by: Array3<T>) -> Self {
        Cotangents::saved(by)
    }
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Computes a vector–Jacobian product: derivatives with respect to initial states and
    /// parameters.
    ///
    /// `cotangents` are the derivatives of a loss with respect to the states that
    /// [`solve`](Self::solve) returns with the same method and options. The result contains its
    /// derivatives with respect to the initial state and the parameters of each trajectory. The
    /// function solves again, records the steps, and goes backwards through them. All backends give
    /// the same bits.
    ///
    /// A failed trajectory has derivatives of zero, and its code names the reason. Its cotangents
    /// may be NaN, as its states are, and so may cotangents of saved times that a trajectory lacks.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveError, SolveOptions, Unvaried};
    /// # use ode_core::{methods::Tsit5, system::PullBack};
    /// # fn of<S: PullBack<2, 1>>(
    /// #     ensemble: EnsembleProblem<S, f64, Unvaried, 2, 1>,
    /// # ) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().saveat(0.1).tolerance(1e-8);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &options)?;
    /// // Half the sum of squares of all saved numbers has these derivatives.
    /// let by_saved = solution.all_states().to_owned();
    /// let gradient = ensemble.pull_back(Tsit5, EnsembleThreads, &options, by_saved)?;
    /// println!("{:?} {:?}", gradient.u0(0), gradient.p(0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve); [`SolveError::Cotangents`] if the shape of an array
    /// differs from the shape of the states; [`SolveError::NonFiniteCotangent`] if a cotangent of a
    /// trajectory that succeeded is infinite or NaN; [`SolveError::NoGradientsOf`] for options
    /// without gradients.
    pub fn pull_back<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        cotangents: impl Into<Cotangents<T>>,
    ) -> Result<EnsembleGradient<T, N, P>, SolveError>
    where
        S: PullBack<N, P>,
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        self.gradients::<M, A, ExternalLoss>(method, algorithm, options, &cotangents.into())
    }

    /// Computes the system's `#[loss]` for each trajectory, and its derivatives.
    ///
    /// The loss of a trajectory is the sum over its saved times. The derivatives are those with
    /// respect to the initial state and the parameters; see [`pull_back`](Self::pull_back).
    ///
    /// # Errors
    /// The errors of [`pull_back`](Self::pull_back).
    pub fn gradient<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<EnsembleGradient<T, N, P>, SolveError>
    where
        S: Loss<N, P>,
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        self.gradients::<M, A, SystemLoss>(method, algorithm, options, &Cotangents::default())
    }

    fn gradients<M, A, L>(
        &self,
        _: M,
        algorithm: A,
        options: &SolveOptions,
        cotangents: &Cotangents<T>,
    ) -> Result<EnsembleGradient<T, N, P>, SolveError>
    where
        S: PullBack<N, P>,
        M: Differentiable,
        A: EnsembleAlgorithm,
        L: LossSource<S, N, P>,
    {
        let task = AdjointSolve::<S, M, L, A::Compiled, N, P>::new(self.problem.system);
        refuse_mass::<S, N>()?;
        let how = How { properties: M::DEFINED, own: !L::GIVEN };
        let request = (&self.spec(), options, &how);
        let (results, gradients, run) = gradients(request, &algorithm, &task, cotangents)?;
        Ok(EnsembleGradient { results, gradients, run })
    }
}

/// Checks that a system has no mass matrix, which has no gradients.
///
/// # Errors
/// [`SolveError::NoGradientsOf`].
pub(crate) fn refuse_mass<S: MassMatrix<N>, const N: usize>() -> Result<(), SolveError> {
    if S::MASS {
        return Err(SolveError::NoGradientsOf {
            what: "systems with a mass matrix",
            instead: "multiply the equations by its inverse, if it has one",
        });
    }
    Ok(())
}

/// The properties of a method and the origin of the loss.
#[derive(Clone, Copy, Debug)]
struct How {
    properties: Properties,
    /// Whether the system itself has the loss.
    own: bool,
}

each_precision! {
    /// Returns the results and gradients of an ensemble.
    fn gradients<'a, T>(
        ensemble: (&'a EnsembleSpec<'a, T>, &'a SolveOptions, &'a How),
        algorithm: &'a dyn EnsembleAlgorithm,
        task: &'a dyn AdjointTask<T>,
        cotangents: &'a Cotangents<T>,
    ) -> Result<(RawResults<T>, RawGradients<T>, RunReport), SolveError> = evaluated, evaluated;
}

fn evaluated<T: Scalar>(
    (ensemble, options, how): (&EnsembleSpec<'_, T>, &SolveOptions, &How),
    algorithm: &dyn EnsembleAlgorithm,
    task: &dyn AdjointTask<T>,
    cotangents: &Cotangents<T>,
) -> Result<(RawResults<T>, RawGradients<T>, RunReport), SolveError> {
    let begin = Instant::now();
    let watch = algorithm.capabilities().begin_watch();
    let mut made = None;
    algorithm.capabilities().evaluate(&mut |threads| {
        made = Some(PreparedSolve::of(
            threads,
            ensemble,
            options,
            &how.properties,
            Abilities::default(),
        ));
    })?;
    let (inputs, _) = made.unwrap_or_else(|| Err(SolveError::NotPrepared))?;
    let setup = begin.elapsed();
    let PreparedSolve { options: mut settings, inputs: columns } = inputs;
    let no = |what, instead| Err(SolveError::NoGradientsOf { what, instead });
    if settings.saved.times > 0 {
        return no(
            "a loss at the ends of steps",
            "save at times, as in `saveat(0.1)`: the number of steps is not a differentiable \
             function of the learnt parameters",
        );
    }
    if ensemble.system.delayed {
        return no(
            "systems with delayed actions",
            "store the end of the delay in a mode, and declare an event at this time",
        );
    }
    if ensemble.system.jumps {
        return no(
            "systems with random jumps",
            "estimate derivatives of means by differences of solves with equal `noise_seed`: the \
             times of jumps have no derivative along a path",
        );
    }
    if ensemble.system.passages {
        return no(
            "systems with events and noise",
            "test the state by `#[after_step]`, or use a loss that does not need the event: no \
             single path shows that the probability of an event depends on the learnt parameters",
        );
    }
    let info = ensemble.system.info;
    if settings.adaptive && info.noise.is_some() {
        return no("adaptive steps of systems with noise", "use fixed steps: `fixed_step(h)`");
    }
    let has_breaks = !(info.time_breaks.is_empty() && info.parameter_breaks.is_empty());
    // Steps of systems with actions are recorded with their times.
    let times = settings.adaptive || task.action_width() > 0;
    if settings.stopping && !settings.adaptive {
        // Fixed steps do not stop at these times.
        if has_breaks || info.more_time_breaks {
            return no(
                "solves with fixed steps whose right-hand side compares or rounds the time, or \
                 contains a pulse",
                match info.noise {
                    Some(_) => "change a mode at this time, by a scheduled action (`#[at]`)",
                    None => "use adaptive steps",
                },
            );
        }
        if !times {
            return no(
                "solves with fixed steps and times to stop at",
                match info.noise {
                    Some(_) => "leave `tstops` out",
                    None => "leave `tstops` out, or use adaptive steps",
                },
            );
        }
    }
    if settings.adaptive && !options.time_breaks && has_breaks {
        return no(
            "adaptive solves that do not stop at the times at which the right-hand side changes \
             form",
            "leave `time_breaks` on: a step over such a time misses the change, and so do its \
             derivatives",
        );
    }
    let (n, shape) = (columns.trajectories, task.shape());
    let slots = columns.save.slots();
    if how.own && slots == 0 {
        return no(
            "a loss without saved times",
            "set the times of the loss, as in `saveat(0.1)`, or `saveat([t1])` for the end only",
        );
    }
    let mut raw = RawCotangents { saved: &[], last: &[], trajectories: n };
    let wrong = |what, given: &[usize], expected: Vec<usize>| {
        let given = given.to_vec();
        Err(SolveError::Cotangents { what, given, expected })
    };
    let (saved, last);
    if let Some(by) = &cotangents.saved {
        // Without a choice of components, cotangents belong to all states, saved or not.
        let chosen = settings.components.as_deref().map(|components| &components.states[..]);
        let expected = [n, slots, chosen.map_or(shape.states, <[usize]>::len)];
        if by.shape() != expected {
            return wrong("saved states", by.shape(), expected.to_vec());
        }
        // The index of the trajectory comes last.
        let by = by.view().permuted_axes([1, 2, 0]);
        saved = match chosen {
            None => by.iter().copied().collect::<Vec<T>>(),
            Some(chosen) => {
                let mut all = Array3::from_elem((slots, shape.states, n), T::default());
                for (k, &d) in chosen.iter().enumerate() {
                    all.index_axis_mut(Axis(1), d).assign(&by.index_axis(Axis(1), k));
                }
                all.into_raw_vec_and_offset().0
            }
        };
        raw.saved = &saved;
    }
    if let Some(by) = &cotangents.last {
        let expected = [n, shape.states];
        if by.shape() != expected {
            return wrong("final states", by.shape(), expected.to_vec());
        }
        last = by.view().reversed_axes().iter().copied().collect::<Vec<T>>();
        raw.last = &last;
    }
    let layout = Layout::of_adjoint(&settings, &columns);
    settings.step_slots = 0;
    settings.log = LogRow::default();
    settings.lane.log_slots = 0;
    settings.watch = watch.clone();
    let mut results = RawResults::default();
    results.fit(&layout, n)?;
    let mut gradients = RawGradients::default();
    gradients.fit(&shape, n)?;
    let job = AdjointJob {
        task,
        options: &settings,
        inputs: &columns,
        cotangents: &raw,
        results: &mut results,
        gradients: &mut gradients,
    };
    watch.begin(n, 1);
    let mut run = run_job(algorithm, Job::Adjoint(job))?;
    watch.end();
    finite::leave_out(&mut results, &mut gradients, &raw, &columns.save)?;
    run.timings.setup = setup;
    run.timings.total = begin.elapsed();
    Ok((results, gradients, run))
}

/// The gradients of all trajectories of an ensemble; failed ones have zeros.
#[derive(Clone, Debug)]
pub struct EnsembleGradient<T, const N: usize, const P: usize> {
    pub(super) results: RawResults<T>,
    pub(super) gradients: RawGradients<T>,
    pub(super) run: RunReport,
}

impl<T: Scalar, const N: usize, const P: usize> EnsembleGradient<T, N, P> {
    /// Returns the number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gradients.loss.len()
    }

    /// Returns whether there are no trajectories, as in an empty shard of an ensemble.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the loss of each trajectory; zero if cotangents were given.
    #[must_use]
    pub fn losses(&self) -> &[T] {
        &self.gradients.loss
    }

    /// Returns the sum of the losses, in a fixed order.
    #[must_use]
    pub fn loss(&self) -> f64 {
        let put = |i: usize, sums: &mut [f64]| sums[0] += self.gradients.loss[i].widen();
        sum::tree(EvaluationThreads::Caller, self.len(), 1, &put)[0]
    }

    /// Returns the derivatives with respect to the initial state of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn u0(&self, i: usize) -> [T; N] {
        check_index(i, "gradient", self.len());
        let n = self.len();
        core::array::from_fn(|d| self.gradients.u0[d * n + i])
    }

    /// Returns the derivatives with respect to the parameters of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn p(&self, i: usize) -> [T; P] {
        check_index(i, "gradient", self.len());
        let n = self.len();
        core::array::from_fn(|d| self.gradients.p[d * n + i])
    }

    /// Returns the derivatives with respect to all initial states: trajectory, component.
    #[must_use]
    pub fn all_u0(&self) -> ArrayView2<'_, T> {
        self.view(&self.gradients.u0, N)
    }

    /// Returns the derivatives with respect to all parameters: trajectory, parameter.
    #[must_use]
    pub fn all_p(&self) -> ArrayView2<'_, T> {
        self.view(&self.gradients.p, P)
    }

    fn view<'a>(&self, numbers: &'a [T], rows: usize) -> ArrayView2<'a, T> {
        let view = ArrayView2::from_shape((rows, self.len()), numbers);
        let mut view = view.unwrap_or_else(|_| unreachable!("the lengths were checked before"));
        view.swap_axes(0, 1);
        debug_assert_eq!(view.len_of(Axis(0)), self.len());
        view
    }

    /// Returns the sum of the derivatives with respect to initial states over all trajectories.
    ///
    /// The order of the additions is fixed. If all trajectories share an initial state, the sum is
    /// the derivative with respect to it.
    #[must_use]
    pub fn sum_u0(&self) -> [f64; N] {
        self.sum(|i| self.u0(i))
    }

    /// Returns the sum of the derivatives with respect to parameters over all trajectories.
    ///
    /// The order of the additions is fixed. If all trajectories share their parameters, the sum is
    /// the derivative with respect to these.
    #[must_use]
    pub fn sum_p(&self) -> [f64; P] {
        self.sum(|i| self.p(i))
    }

    fn sum<const K: usize>(&self, of: impl Fn(usize) -> [T; K] + Sync) -> [f64; K] {
        let put = |i: usize, sums: &mut [f64]| {
            sums.iter_mut().zip(of(i)).for_each(|(sum, number)| *sum += number.widen());
        };
        let sums = sum::tree(EvaluationThreads::Caller, self.len(), K, &put);
        core::array::from_fn(|k| sums[k])
    }

    /// Returns how trajectory `i` ended.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn code(&self, i: usize) -> ReturnCode {
        check_index(i, "gradient", self.len());
        self.results.code(i)
    }

    /// Returns the number of trajectories that failed, which do not contribute.
    #[must_use]
    pub fn failed(&self) -> usize {
        (0..self.len()).filter(|i| !self.code(*i).is_success()).count()
    }

    /// Returns the number of accepted steps of trajectory `i`.
    ///
    /// The derivatives go through these steps.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn accepted(&self, i: usize) -> u32 {
        check_index(i, "gradient", self.len());
        self.results.steps[i] - self.results.rejected[i]
    }

    /// Returns the backend's report: its hardware and timings.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.run
    }
}
