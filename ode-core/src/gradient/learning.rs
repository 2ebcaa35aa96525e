//! The loss of an ensemble as a function of the learnt quantities.

use crate::ensemble::EnsembleAlgorithm;
use crate::error::SolveError;
use crate::gradient::ensemble::EnsembleGradient;
use crate::gradient::sum;
use crate::lane::Scalar;
use crate::methods::Differentiable;
use crate::problem::options::SolveOptions;
use crate::problem::{EnsembleProblem, Numbers, OdeProblem, TimeSpan, Vary};
use crate::solution::{ReturnCode, check_index};
use crate::system::quantities::{Quantities, quantities};
use crate::system::{Learn, Loss};
use core::fmt;
use sealed::{Sealed, Sums};
use std::sync::Arc;

/// The loss of an ensemble as a function of its module's `Theta`, the learnt quantities.
///
/// The loss is the sum of the module's `#[loss]` over all saved times of all trajectories. This
/// example computes a module's loss and its gradient:
///
/// ```
/// # use ode_core::gradient::EnsembleLoss;
/// # use ode_core::{EnsembleThreads, SolveError, SolveOptions, methods::Tsit5};
/// # use ode_core::system::{Learn, Loss};
/// # fn of<S>(system: S, items: Vec<S::Item>, theta: [f64; 2]) -> Result<(), SolveError>
/// # where S: Learn<1, 1, 2, 1> + Loss<1, 1> {
/// let loss = EnsembleLoss::new(system, 0.0..=1.0, items);
/// let options = SolveOptions::default().saveat(0.1).tolerance(1e-8);
/// let gradient = loss.gradient(Tsit5, EnsembleThreads, &options, theta)?;
/// println!("{} {:?}", gradient.loss, gradient.theta);
/// println!("{} of {} trajectories failed", gradient.failed, loss.len());
/// # Ok(())
/// # }
/// ```
///
/// Each trajectory has an `Item`, its data. The module's `initial` and `parameters` compute the
/// trajectory's problem from its `Item` and `Theta`. `docs/gradients.md` has an example of a
/// module.
///
/// `N`, `P`, `K` and `I` are the numbers of states, of parameters, of learnt quantities and of the
/// data of a trajectory.
#[derive(Clone)]
pub struct EnsembleLoss<S, T, const N: usize, const P: usize, const K: usize, const I: usize> {
    system: S,
    span: (T, T),
    items: Arc<[[f64; I]]>,
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize> fmt::Debug
    for EnsembleLoss<S, T, N, P, K, I>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnsembleLoss").field("items", &self.items.len()).finish_non_exhaustive()
    }
}

// For `f64` alone, so that literals have a type.
impl<S, const N: usize, const P: usize, const K: usize, const I: usize>
    EnsembleLoss<S, f64, N, P, K, I>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
{
    /// Creates the loss of one trajectory for each of `items`, over this time span, in `f64`.
    ///
    /// An item may be an array of the numbers of `Item` in their order, such as a row of a file.
    /// [`cast`](Self::cast) converts the loss to `f32`.
    pub fn new(
        system: S,
        tspan: impl TimeSpan<f64>,
        items: impl IntoIterator<Item: Into<S::Item>>,
    ) -> Self {
        let items = items.into_iter().map(|item| item.into().to_numbers()).collect();
        EnsembleLoss { system, span: tspan.into_ends(), items }
    }
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize>
    EnsembleLoss<S, T, N, P, K, I>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
    T: Scalar,
{
    /// Converts the loss to solves in the precision `U`.
    ///
    /// Learnt quantities, sums over trajectories and the derivatives of `initial` and `parameters`
    /// stay `f64`.
    #[must_use]
    pub fn cast<U: Scalar>(self) -> EnsembleLoss<S, U, N, P, K, I> {
        let to = |x: T| U::narrow(x.widen());
        let EnsembleLoss { system, span: (t0, t1), items } = self;
        EnsembleLoss { system, span: (to(t0), to(t1)), items }
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are no trajectories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the loss of the trajectories with these indices alone: a minibatch.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn of(&self, numbers: &[usize]) -> Self {
        for number in numbers {
            check_index(*number, "loss", self.len());
        }
        let items = numbers.iter().map(|number| self.items[*number]).collect();
        EnsembleLoss { system: self.system, span: self.span, items }
    }

    /// Returns the ensemble with this loss at `theta`, to solve it and inspect its trajectories.
    pub fn ensemble(
        &self,
        theta: impl Numbers<f64, K>,
    ) -> EnsembleProblem<S, T, Learnt<S, K, I>, N, P> {
        let learnt =
            Learnt { system: self.system, theta: theta.into_numbers(), items: self.items.clone() };
        let (t0, t1) = self.span;
        let (u0, p) = (quantities([T::default(); N]), quantities([T::default(); P]));
        let base = OdeProblem { system: self.system, u0, t0, t1, p };
        let EnsembleProblem { problem, sweep, samples, tstops, shard, .. } =
            EnsembleProblem::new(base);
        let trajectories = Some(self.len());
        EnsembleProblem { problem, trajectories, sweep, samples, vary: learnt, tstops, shard }
    }

    /// Computes the loss at `theta` and its gradient.
    ///
    /// Failed trajectories do not contribute; [`failed`](LossGradient::failed) is their
    /// number. The order of sums over trajectories depends only on their number, so loss and
    /// gradient have the same bits on every backend.
    ///
    /// # Errors
    /// The errors of [`EnsembleProblem::pull_back`], [`SolveError::NoItems`], and
    /// [`SolveError::Cancelled`] if a [watch](crate::EnsembleWatched) cancelled the solve.
    pub fn gradient<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        theta: impl Numbers<f64, K>,
    ) -> Result<LossGradient<S, T, N, P, K, I>, SolveError>
    where
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        self.check_items()?;
        let theta = theta.into_numbers();
        let (each, rows) = self.rows(method, &algorithm, options, theta, sum::BLOCK)?;
        let at = Learnt { system: self.system, theta, items: self.items.clone() };
        let Sums { loss, theta, failed } = Sums::of(rows, K);
        Ok(LossGradient { loss, theta: Self::quantities(&theta), failed, each, at })
    }

    /// Refuses a loss without items.
    fn check_items(&self) -> Result<(), SolveError> {
        if self.is_empty() { Err(SolveError::NoItems) } else { Ok(()) }
    }

    /// Computes the gradients of all trajectories and nodes of their summation tree.
    ///
    /// A node is a row of sums over `unit` trajectories: the loss, its derivatives with respect to
    /// the learnt quantities, and the number of failed trajectories.
    fn rows<M, A>(
        &self,
        method: M,
        algorithm: &A,
        options: &SolveOptions,
        theta: [f64; K],
        unit: usize,
    ) -> Result<(EnsembleGradient<T, N, P>, Vec<f64>), SolveError>
    where
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        let each = self.ensemble(theta).gradient(method, algorithm, options)?;
        let is_unsolved = |i: &usize| each.code(*i) == ReturnCode::Cancelled;
        let unsolved = (0..each.len()).filter(is_unsolved).count();
        if unsolved > 0 {
            return Err(SolveError::Cancelled { unsolved, trajectories: each.len() });
        }
        let at = Learnt { system: self.system, theta, items: self.items.clone() };
        let put = |i: usize, sums: &mut [f64]| {
            if each.code(i).is_success() {
                sums[0] += each.losses()[i].widen();
                let of = at.of(&each, i);
                sums[1..=K].iter_mut().zip(of).for_each(|(sum, number)| *sum += number);
            } else {
                sums[1 + K] += 1.0;
            }
        };
        let mut rows = Vec::new();
        let count = Sums::count(K);
        algorithm
            .capabilities()
            .evaluate(&mut |threads| rows = sum::nodes(threads, each.len(), unit, count, &put))?;
        Ok((each, rows))
    }
}

/// A loss that [`Train`](crate::gradient::Train) minimises: an [`EnsembleLoss`].
///
/// Code that is generic over systems uses the trait as its bound.
///
/// ```
/// use ode_core::gradient::{Objective, Train};
///
/// /// The settings of all trainings of a project.
/// fn ours<L: Objective>(train: Train<'_, L>) -> Train<'_, L> {
///     train.adam_w(0.01).iterations(500).minibatch(64)
/// }
/// ```
pub trait Objective: Sealed<Learnt = Self::Theta> {
    /// The learnt quantities: the module's `Theta`.
    type Theta;
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize> Objective
    for EnsembleLoss<S, T, N, P, K, I>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
    T: Scalar,
{
    type Theta = S::Theta;
}

mod sealed {
    use crate::ensemble::EnsembleAlgorithm;
    use crate::error::SolveError;
    use crate::methods::Differentiable;
    use crate::problem::options::SolveOptions;

    /// The functions of an objective that a training run calls.
    pub trait Sealed: Sized {
        /// The learnt quantities.
        type Learnt;

        /// Returns the learnt quantities with these numbers.
        fn quantities(numbers: &[f64]) -> Self::Learnt;

        /// Returns the names of the learnt quantities.
        fn names() -> &'static [&'static str];

        /// Returns the names of the types of the system and of the precision.
        fn types() -> [&'static str; 2];

        /// Returns the number of trajectories.
        fn trajectories(&self) -> usize;

        /// Returns the number of trajectories and a hash of their time span and data.
        fn fingerprint(&self) -> String;

        /// Returns the loss of the trajectories with these indices alone.
        fn minibatch(&self, indices: &[usize]) -> Self;

        /// Computes the loss at `theta` and its gradient on all processes of the backend together.
        fn sums<M, A>(
            &self,
            method: M,
            algorithm: &A,
            options: &SolveOptions,
            theta: &[f64],
        ) -> Result<Sums, SolveError>
        where
            M: Differentiable,
            A: EnsembleAlgorithm;
    }

    /// The parts of a gradient that a training run needs.
    #[derive(Clone, Debug)]
    pub struct Sums {
        /// The loss.
        pub loss: f64,
        /// The derivatives of the loss with respect to the learnt quantities.
        pub theta: Vec<f64>,
        /// The number of trajectories that failed.
        pub failed: usize,
    }
}

impl Sums {
    /// Returns the number of elements of a row: a loss, `learnt` derivatives, a count of failures.
    fn count(learnt: usize) -> usize {
        learnt + 2
    }

    /// Adds rows of sums.
    fn of(rows: Vec<f64>, learnt: usize) -> Self {
        let mut sums = sum::pairwise(rows, Self::count(learnt));
        let failed = sums[1 + learnt] as usize;
        sums.truncate(1 + learnt);
        let loss = sums.remove(0);
        Sums { loss, theta: sums, failed }
    }
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize> Sealed
    for EnsembleLoss<S, T, N, P, K, I>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
    T: Scalar,
{
    type Learnt = S::Theta;

    fn quantities(numbers: &[f64]) -> S::Theta {
        S::Theta::from_numbers(core::array::from_fn(|k| numbers[k]))
    }

    fn names() -> &'static [&'static str] {
        const { &S::NAMES }
    }

    fn types() -> [&'static str; 2] {
        [core::any::type_name::<S>(), core::any::type_name::<T>()]
    }

    fn trajectories(&self) -> usize {
        self.len()
    }

    fn minibatch(&self, indices: &[usize]) -> Self {
        self.of(indices)
    }

    fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let span = [self.span.0.widen(), self.span.1.widen()];
        for number in self.items.iter().flatten().chain(&span) {
            hasher.update(&number.to_le_bytes());
        }
        format!("{} {}", self.len(), hasher.finalize().to_hex())
    }

    // The bits equal those of `gradient`: the sums of each process are nodes of the same tree.
    fn sums<M, A>(
        &self,
        method: M,
        algorithm: &A,
        options: &SolveOptions,
        theta: &[f64],
    ) -> Result<Sums, SolveError>
    where
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        self.check_items()?;
        let theta: [f64; K] = core::array::from_fn(|k| theta[k]);
        let Some(ranks) = algorithm.capabilities().ranks else {
            return Ok(Sums::of(self.rows(method, algorithm, options, theta, sum::BLOCK)?.1, K));
        };
        let (n, rank, of) = (self.len(), ranks.rank(), ranks.of());
        let unit = sum::unit(n, of);
        let nodes = n.div_ceil(unit);
        let from = |rank: usize| n.min((nodes as u128 * rank as u128 / of as u128) as usize * unit);
        let numbers: Vec<usize> = (from(rank)..from(rank + 1)).collect();
        let rows = ranks.gathered(&theta, &mut || match numbers.is_empty() {
            true => Ok(Vec::new()),
            false => Ok(self.of(&numbers).rows(method, algorithm, options, theta, unit)?.1),
        })?;
        Ok(Sums::of(rows, K))
    }
}

/// The learnt quantities and the data of all trajectories, which determine their problems.
#[derive(Clone, Debug)]
pub struct Learnt<S, const K: usize, const I: usize> {
    system: S,
    theta: [f64; K],
    items: Arc<[[f64; I]]>,
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize> Vary<S, T, N, P>
    for Learnt<S, K, I>
where
    S: Learn<N, P, K, I>,
    T: Scalar,
{
    fn problem(&self, base: OdeProblem<S, T, N, P>, i: usize) -> OdeProblem<S, T, N, P> {
        let Learnt { system, theta, items } = self;
        let u0 = quantities(system.initial::<f64>(theta, &items[i]).map(T::narrow));
        let p = quantities(system.given::<f64>(theta, &items[i]).map(T::narrow));
        OdeProblem { u0, p, ..base }
    }
}

impl<S, const K: usize, const I: usize> Learnt<S, K, I> {
    /// Returns the derivatives of the loss of trajectory `i`.
    fn of<T: Scalar, const N: usize, const P: usize>(
        &self,
        each: &EnsembleGradient<T, N, P>,
        i: usize,
    ) -> [f64; K]
    where
        S: Learn<N, P, K, I>,
    {
        let (u, p) = (each.u0(i).map(T::widen), each.p(i).map(T::widen));
        self.system.begun::<f64>(&self.theta, &self.items[i], &u, &p)
    }
}

/// The loss of an ensemble and its gradient.
///
/// ```
/// # use ode_core::gradient::LossGradient;
/// # use ode_core::system::Learn;
/// # fn of<S: Learn<1, 1, 2, 1>>(gradient: &LossGradient<S, f64, 1, 1, 2, 1>) {
/// println!("{} {:?}", gradient.loss, gradient.theta);
/// println!("{} trajectories failed", gradient.failed);
/// println!("{:?} by the initial state", gradient.trajectories().u0(7));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LossGradient<S, T, const N: usize, const P: usize, const K: usize, const I: usize>
where
    S: Learn<N, P, K, I>,
{
    /// The loss over all trajectories that did not fail.
    pub loss: f64,
    /// The derivatives of the loss with respect to the learnt quantities.
    pub theta: S::Theta,
    /// The number of trajectories that failed, which do not contribute.
    pub failed: usize,
    each: EnsembleGradient<T, N, P>,
    at: Learnt<S, K, I>,
}

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize>
    LossGradient<S, T, N, P, K, I>
where
    S: Learn<N, P, K, I>,
    T: Scalar,
{
    /// Returns the derivatives of the loss of trajectory `i` with respect to the learnt quantities.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn of(&self, i: usize) -> S::Theta {
        check_index(i, "gradient", self.each.len());
        S::Theta::from_numbers(self.at.of(&self.each, i))
    }

    /// Returns the gradients of the trajectories with respect to their initial states and
    /// parameters.
    #[must_use]
    pub fn trajectories(&self) -> &EnsembleGradient<T, N, P> {
        &self.each
    }
}
