//! Training: gradient after gradient.

use crate::ensemble::EnsembleAlgorithm;
use crate::error::SolveError;
use crate::gradient::checkpoint::{Best, Checkpoint, State};
use crate::gradient::lbfgs::Lbfgs;
use crate::gradient::learning::EnsembleLoss;
use crate::gradient::optimiser::{Adam, AdamW, Evaluation, Optimiser, Sgd};
use crate::lane::Scalar;
use crate::methods::Differentiable;
use crate::problem::Numbers;
use crate::problem::options::SolveOptions;
use crate::random::{Network, permuted, philox4x32};
use crate::system::quantities::Quantities;
use crate::system::{Learn, Loss};
use core::fmt;
use core::ops::ControlFlow;
use std::path::PathBuf;

/// What makes the loss of an ensemble small: an [`Optimiser`], and for how long.
///
/// ```
/// # use ode_core::gradient::{EnsembleLoss, Train};
/// # use ode_core::{EnsembleThreads, SolveError, SolveOptions, methods::Tsit5};
/// # use ode_core::system::{Learn, Loss};
/// # fn of<S>(loss: EnsembleLoss<S, f64, 1, 1, 2, 1>) -> Result<(), SolveError>
/// # where S: Learn<1, 1, 2, 1> + Loss<1, 1> {
/// let options = SolveOptions::default().saveat(0.1).tolerance(1e-8);
/// let trained = Train::new(&loss, [3.0, 1.0])
///     .adam(0.1)
///     .iterations(100)
///     .on_step(|step| println!("{} {}", step.iteration, step.loss))
///     .run(Tsit5, EnsembleThreads, &options)?;
/// println!("{:?} {}", trained.theta, trained.loss);
/// # Ok(())
/// # }
/// ```
///
/// All arithmetic is in a fixed order, so that a training has the same bits in every place.
#[must_use]
pub struct Train<'e, S, T, const N: usize, const P: usize, const K: usize, const I: usize>
where
    S: Learn<N, P, K, I>,
{
    loss: &'e EnsembleLoss<S, T, N, P, K, I>,
    theta: [f64; K],
    optimiser: Box<dyn Optimiser + 'e>,
    iterations: usize,
    minibatch: Option<usize>,
    seed: u64,
    checkpoint: Option<PathBuf>,
    on_step: Option<OnStep<'e, S::Theta>>,
}

type OnStep<'e, Q> = Box<dyn FnMut(&Progress<Q>) -> ControlFlow<()> + 'e>;

impl<S, T, const N: usize, const P: usize, const K: usize, const I: usize> fmt::Debug
    for Train<'_, S, T, N, P, K, I>
where
    S: Learn<N, P, K, I>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Train")
            .field("optimiser", &self.optimiser)
            .field("iterations", &self.iterations)
            .field("minibatch", &self.minibatch)
            .field("checkpoint", &self.checkpoint)
            .finish_non_exhaustive()
    }
}

/// A gradient of a training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<Q> {
    /// How many there were before.
    pub iteration: usize,
    /// The loss, of the minibatch if there is one.
    pub loss: f64,
    /// Where it was computed.
    pub theta: Q,
    /// The derivatives of the loss.
    pub gradient: Q,
    /// The number of trajectories that failed, and count for nothing.
    pub failed: usize,
}

/// The result of a training.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trained<Q> {
    /// The best point among those whose gradients were computed: that with the fewest failed
    /// trajectories, and among such the one with the least loss. With minibatches each loss is the one of its
    /// minibatch, so the best point may be one whose minibatch is easy, and [`last`](Self::last) is often better.
    pub theta: Q,
    /// The loss there: with minibatches that of one minibatch. [`EnsembleLoss::gradient`] computes the loss of all
    /// trajectories at a point.
    pub loss: f64,
    /// The number of trajectories that failed there.
    pub failed: usize,
    /// The loss of each iteration.
    pub losses: Vec<f64>,
    /// The point that the last step led to.
    pub last: Q,
    /// Whether the optimiser found no better point, and ended the training. [`Lbfgs`] does so.
    pub converged: bool,
}

/// What a callback says: to go on, by giving nothing or [`ControlFlow::Continue`], or to stop.
pub trait IntoFlow {
    /// Whether to go on.
    fn into_flow(self) -> ControlFlow<()>;
}

impl IntoFlow for () {
    fn into_flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl IntoFlow for ControlFlow<()> {
    fn into_flow(self) -> ControlFlow<()> {
        self
    }
}

impl<'e, S, T, const N: usize, const P: usize, const K: usize, const I: usize>
    Train<'e, S, T, N, P, K, I>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
    T: Scalar,
{
    /// A training that begins at `theta`: 100 iterations of [`Adam`] with steps of 0.01, each of
    /// all trajectories.
    pub fn new(loss: &'e EnsembleLoss<S, T, N, P, K, I>, theta: impl Numbers<f64, K>) -> Self {
        Train {
            loss,
            theta: theta.numbers(),
            optimiser: Box::new(Adam::new(0.01)),
            iterations: 100,
            minibatch: None,
            seed: 0,
            checkpoint: None,
            on_step: None,
        }
    }

    /// Takes any optimiser. Its memory of earlier steps, if it has one, is used on.
    pub fn optimiser(self, optimiser: impl Optimiser + 'e) -> Self {
        Train { optimiser: Box::new(optimiser), ..self }
    }

    /// Takes [`Adam`] with steps of this size.
    pub fn adam(self, rate: f64) -> Self {
        self.optimiser(Adam::new(rate))
    }

    /// Takes [`AdamW`] with steps of this size.
    pub fn adam_w(self, rate: f64) -> Self {
        self.optimiser(AdamW::new(rate))
    }

    /// Takes [`Sgd`] with steps of this size.
    pub fn sgd(self, rate: f64) -> Self {
        self.optimiser(Sgd::new(rate))
    }

    /// Takes [`Lbfgs`], which needs all trajectories in each iteration.
    pub fn lbfgs(self) -> Self {
        self.optimiser(Lbfgs::new())
    }

    /// Computes this many gradients at most. There is a step after each.
    pub fn iterations(self, iterations: usize) -> Self {
        Train { iterations, ..self }
    }

    /// Computes each gradient of so many trajectories only, at least 1, in the order of a random
    /// permutation of all; each pass over all has another one.
    pub fn minibatch(self, trajectories: usize) -> Self {
        Train { minibatch: Some(trajectories), ..self }
    }

    /// Sets the seed of these permutations; 0 by default.
    pub fn seed(self, seed: u64) -> Self {
        Train { seed, ..self }
    }

    /// Keeps the training in a file, from which it goes on: the same program run again takes it up
    /// where the last one ended or was killed, and the result has the same bits. More
    /// [`iterations`](Self::iterations) continue a training that has ended.
    ///
    /// The file is written after steps, once a second at most, and at the end. It is replaced at
    /// once, so that a program that is killed leaves a whole file. A training with another system,
    /// method, options, items, beginning, optimiser or order of trajectories is refused. The place
    /// may be another one, since all give the same bits. Of several processes that train together, all
    /// read the file, and one writes it.
    pub fn checkpoint(self, file: impl Into<PathBuf>) -> Self {
        Train { checkpoint: Some(file.into()), ..self }
    }

    /// Calls `watch` after each gradient and before the step. It may give
    /// [`ControlFlow::Break`](core::ops::ControlFlow::Break) to end the training there.
    pub fn on_step<F: IntoFlow>(
        self,
        mut watch: impl FnMut(&Progress<S::Theta>) -> F + 'e,
    ) -> Self {
        Train { on_step: Some(Box::new(move |progress| watch(progress).into_flow())), ..self }
    }

    /// Trains by `method` in the place `algorithm`.
    ///
    /// # Errors
    /// As [`EnsembleLoss::gradient`]; [`SolveError::Training`] for a setting with which it cannot
    /// succeed, such as a negative rate; [`SolveError::Minibatch`] for an optimiser that compares
    /// losses, with minibatches; [`SolveError::Checkpoint`] for a file that cannot be read or
    /// written, is damaged, or is of another training; [`SolveError::NothingLearnt`] if all
    /// trajectories of all iterations failed. Several processes make sure before the first step that
    /// they train the same, and each has the place's error if they do not.
    pub fn run<M, A>(
        mut self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<Trained<S::Theta>, SolveError>
    where
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        let identity = self.identity(M::DEFINED.name, options);
        if let Some(ranks) = algorithm.ranks() {
            let mut whole = identity.clone();
            whole.push(("iterations", self.iterations.to_string()));
            whole.push(("checkpoint", self.checkpoint.is_some().to_string()));
            ranks.agree(Ok(&whole))?;
        }
        self.optimiser.check()?;
        if self.minibatch == Some(0) {
            let (setting, must) = ("the size of minibatches", "it must be at least 1");
            return Err(SolveError::Training { setting, value: 0.0, must });
        }
        if self.minibatch.is_some_and(|size| size < self.loss.len())
            && self.optimiser.compares_losses()
        {
            return Err(SolveError::Minibatch);
        }
        let checkpoint =
            self.checkpoint.as_ref().map(|file| Checkpoint::new(file.clone(), &identity));
        let state = self.begun(checkpoint.as_ref());
        let mut state = match algorithm.ranks() {
            // Each has read its own file.
            Some(ranks) if checkpoint.is_some() => {
                let has = state.as_ref().map(|state| [("checkpoint", state.fingerprint())]);
                ranks.agree(
                    has.as_ref().map(<[_; 1]>::as_slice).map_err(|error| (*error).clone()),
                )?;
                state?
            }
            _ => state?,
        };
        // Several processes have the same state, of which one writes it.
        let writes = algorithm.ranks().is_none_or(|ranks| ranks.rank() == 0);
        let mut checkpoint = checkpoint.filter(|_| writes);
        while state.losses.len() < self.iterations && !state.converged {
            let iteration = state.losses.len();
            let batch = self.batch(iteration);
            let loss = batch.as_ref().unwrap_or(self.loss);
            let theta: [f64; K] = core::array::from_fn(|k| state.theta[k]);
            let found = loss.sums(method, &algorithm, options, theta)?;
            let failed = found.failed;
            let better = state.best.as_ref().is_none_or(|best| {
                failed < best.failed || failed == best.failed && found.loss < best.loss
            });
            if better {
                let theta = state.theta.clone();
                state.best = Some(Best { failed, loss: found.loss, theta });
            }
            let progress = Progress {
                iteration,
                loss: found.loss,
                theta: S::Theta::from_numbers(theta),
                gradient: S::Theta::from_numbers(found.theta),
                failed,
            };
            let flow = self.on_step.as_mut().map(|watch| watch(&progress));
            if flow.is_some_and(|flow| flow.is_break()) {
                // The checkpoint is of the point before: the step is still to be made.
                self.keep(checkpoint.as_mut(), &mut state, true)?;
                state.losses.push(found.loss);
                return self.trained(state);
            }
            state.losses.push(found.loss);
            let found = Evaluation { loss: found.loss, gradient: &found.theta, failed };
            state.converged = self.optimiser.step(&mut state.theta, &found).is_break();
            self.keep(checkpoint.as_mut(), &mut state, false)?;
        }
        self.keep(checkpoint.as_mut(), &mut state, true)?;
        self.trained(state)
    }

    /// The state at the beginning, or that which the checkpoint has.
    fn begun(&mut self, checkpoint: Option<&Checkpoint>) -> Result<State, SolveError> {
        if let Some(checkpoint) = checkpoint
            && let Some(kept) = checkpoint.read()?
        {
            if kept.theta.len() != K || !self.optimiser.restore(&kept.memory) {
                return Err(checkpoint.damaged().into());
            }
            return Ok(kept);
        }
        Ok(State {
            theta: self.theta.to_vec(),
            best: None,
            losses: Vec::new(),
            converged: false,
            memory: Vec::new(),
        })
    }

    /// Writes the checkpoint, if there is one and it is time to, or this is the `last` time.
    fn keep(
        &self,
        checkpoint: Option<&mut Checkpoint>,
        state: &mut State,
        last: bool,
    ) -> Result<(), SolveError> {
        let Some(checkpoint) = checkpoint else { return Ok(()) };
        if checkpoint.due(last) {
            state.memory = self.optimiser.state();
            checkpoint.write(state)?;
        }
        Ok(())
    }

    /// What tells this training from others.
    fn identity(
        &self,
        method: &'static str,
        options: &SolveOptions,
    ) -> Vec<(&'static str, String)> {
        vec![
            ("odes training", env!("CARGO_PKG_VERSION").to_owned()),
            ("system", core::any::type_name::<S>().to_owned()),
            ("method", method.to_owned()),
            ("precision", core::any::type_name::<T>().to_owned()),
            ("options", format!("{options:?}")),
            ("trajectories", self.loss.fingerprint()),
            ("beginning", format!("{:?}", self.theta)),
            ("optimiser", format!("{:?}", self.optimiser)),
            ("minibatch", format!("{:?}, seed {}", self.minibatch, self.seed)),
        ]
    }

    /// The trajectories of an iteration, if these are not all.
    fn batch(&self, iteration: usize) -> Option<EnsembleLoss<S, T, N, P, K, I>> {
        let (all, size) = (self.loss.len(), self.minibatch?);
        if size >= all {
            return None;
        }
        // A pass leaves out what does not fill a batch.
        let passes = all / size;
        let (pass, within) = (iteration / passes, iteration % passes);
        let order = order(self.seed, pass as u64, all);
        let numbers: Vec<usize> = (within * size..(within + 1) * size).map(order).collect();
        Some(self.loss.of(&numbers))
    }

    /// The result that a training has led to; an error where no trajectory ever had a loss.
    fn trained(&self, state: State) -> Result<Trained<S::Theta>, SolveError> {
        let quantities =
            |numbers: &[f64]| S::Theta::from_numbers(core::array::from_fn(|k| numbers[k]));
        let State { theta, best, losses, converged, .. } = state;
        let none = || Best { failed: 0, loss: f64::NAN, theta: theta.clone() };
        let best = best.unwrap_or_else(none);
        // Each iteration has as many, and the best one has the fewest that failed.
        let each = self.minibatch.map_or(self.loss.len(), |size| size.min(self.loss.len()));
        if !losses.is_empty() && best.failed >= each {
            return Err(SolveError::NothingLearnt { trajectories: each, iterations: losses.len() });
        }
        Ok(Trained {
            theta: quantities(&best.theta),
            loss: best.loss,
            failed: best.failed,
            losses,
            last: quantities(&theta),
            converged,
        })
    }
}

/// A random permutation of `0..n`, of this seed and pass.
fn order(seed: u64, pass: u64, n: usize) -> impl Fn(usize) -> usize {
    let half = |number: u64, upper: bool| if upper { number >> 32 } else { number & 0xffff_ffff };
    let key = [half(seed, false), half(seed, true)];
    let words =
        |block: u64| philox4x32::<f64>([half(pass, false), half(pass, true), block, 0], key);
    let [first, second] = [words(0), words(1)];
    let keys = core::array::from_fn(|i| if i < 4 { first[i] } else { second[i - 4] });
    let network = Network::new(n as u64, keys);
    move |i| permuted::<f64>(i as u64, network.n, &network.powers, &network.keys) as usize
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn a_pass_has_every_trajectory_once() {
        for n in [1, 2, 7, 100, 1000] {
            let passes: Vec<Vec<usize>> =
                (0..2).map(|pass| (0..n).map(order(42, pass, n)).collect()).collect();
            for pass in &passes {
                let mut sorted = pass.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..n));
            }
            assert!(n < 7 || passes[0] != passes[1]);
        }
    }
}
