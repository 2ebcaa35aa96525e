//! Training runs: iterations of a gradient and an optimiser step.

use crate::ensemble::EnsembleAlgorithm;
use crate::error::SolveError;
use crate::gradient::checkpoint::{Best, Checkpoint, State};
use crate::gradient::lbfgs::Lbfgs;
use crate::gradient::learning::{EnsembleLoss, Objective};
use crate::gradient::optimiser::{Adam, AdamW, Evaluation, Optimiser, Sgd};
use crate::lane::Scalar;
use crate::methods::Differentiable;
use crate::problem::Numbers;
use crate::problem::options::SolveOptions;
use crate::random::{PermutationKeys, permuted, philox4x32};
use crate::system::{Learn, Loss};
use core::fmt;
use core::ops::ControlFlow;
use std::path::PathBuf;

/// Configuration of a training run: the loss, an [`Optimiser`] and its limits.
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
/// All arithmetic is in a fixed order, so a training run gives the same bits on every backend.
#[must_use]
pub struct Train<'e, L: Objective> {
    loss: &'e L,
    theta: Vec<f64>,
    optimiser: Box<dyn Optimiser + 'e>,
    iterations: usize,
    minibatch: Option<usize>,
    seed: u64,
    checkpoint: Option<PathBuf>,
    on_step: Option<OnStep<'e, L::Theta>>,
}

type OnStep<'e, Q> = Box<dyn FnMut(&Progress<Q>) -> ControlFlow<()> + 'e>;

impl<L: Objective> fmt::Debug for Train<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Train")
            .field("optimiser", &self.optimiser)
            .field("iterations", &self.iterations)
            .field("minibatch", &self.minibatch)
            .field("checkpoint", &self.checkpoint)
            .finish_non_exhaustive()
    }
}

/// The data of one iteration of a training run, for a callback.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<Q> {
    /// The number of iterations before this one.
    pub iteration: usize,
    /// The loss, of the minibatch if there is one.
    pub loss: f64,
    /// The point of the loss and gradient.
    pub theta: Q,
    /// The derivatives of the loss.
    pub gradient: Q,
    /// The number of trajectories that failed, which do not contribute.
    pub failed: usize,
}

/// The result of a training run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trained<Q> {
    /// The best point with a computed gradient.
    ///
    /// The best point has the fewest failed trajectories, and among such points the least loss.
    /// With minibatches each loss belongs to one minibatch, so the best point may belong to an
    /// easy minibatch, and [`last`](Self::last) is often better.
    pub theta: Q,
    /// The loss at the best point; with minibatches, the loss of one minibatch.
    ///
    /// [`EnsembleLoss::gradient`] computes the loss of all trajectories at a point.
    pub loss: f64,
    /// The number of trajectories that failed at the best point.
    pub failed: usize,
    /// The loss of each iteration.
    pub losses: Vec<f64>,
    /// The point after the last step.
    pub last: Q,
    /// Whether the optimiser ended the run because it found no better point, as [`Lbfgs`] does.
    pub converged: bool,
}

/// A return value of a callback: `()` and [`ControlFlow::Continue`] continue, `Break` stops.
pub trait IntoFlow {
    /// Returns whether to continue.
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
    Train<'e, EnsembleLoss<S, T, N, P, K, I>>
where
    S: Learn<N, P, K, I> + Loss<N, P>,
    T: Scalar,
{
    /// Creates a training run that begins at `theta`.
    ///
    /// By default it has 100 iterations of [`Adam`] with steps of 0.01, each over all trajectories.
    pub fn new(loss: &'e EnsembleLoss<S, T, N, P, K, I>, theta: impl Numbers<f64, K>) -> Self {
        Train {
            loss,
            theta: theta.into_numbers().to_vec(),
            optimiser: Box::new(Adam::new(0.01)),
            iterations: 100,
            minibatch: None,
            seed: 0,
            checkpoint: None,
            on_step: None,
        }
    }
}

impl<'e, L: Objective> Train<'e, L> {
    /// Sets the optimiser. If it has a memory of earlier steps, the run continues from it.
    pub fn optimiser(self, optimiser: impl Optimiser + 'e) -> Self {
        Train { optimiser: Box::new(optimiser), ..self }
    }

    /// Uses [`Adam`] with steps of this size.
    pub fn adam(self, rate: f64) -> Self {
        self.optimiser(Adam::new(rate))
    }

    /// Uses [`AdamW`] with steps of this size.
    pub fn adam_w(self, rate: f64) -> Self {
        self.optimiser(AdamW::new(rate))
    }

    /// Uses [`Sgd`] with steps of this size.
    pub fn sgd(self, rate: f64) -> Self {
        self.optimiser(Sgd::new(rate))
    }

    /// Uses [`Lbfgs`], which needs all trajectories in each iteration.
    pub fn lbfgs(self) -> Self {
        self.optimiser(Lbfgs::new())
    }

    /// Computes at most this many gradients; a step follows each.
    ///
    /// A [`checkpoint`](Self::checkpoint) with at least as many iterations computes none. The
    /// result then contains all iterations of the checkpoint, also those beyond this number.
    ///
    /// `iterations(0)` without a checkpoint computes no loss: [`Trained::loss`] is NaN, and the
    /// points are the initial one.
    pub fn iterations(self, iterations: usize) -> Self {
        Train { iterations, ..self }
    }

    /// Computes each gradient from this many trajectories only, at least 1.
    ///
    /// The minibatches follow a random permutation of all trajectories; each pass over them has
    /// another permutation.
    pub fn minibatch(self, trajectories: usize) -> Self {
        Train { minibatch: Some(trajectories), ..self }
    }

    /// Sets the seed of the permutations of minibatches; 0 by default.
    pub fn seed(self, seed: u64) -> Self {
        Train { seed, ..self }
    }

    /// Stores the state of the run in a file, from which a later run continues.
    ///
    /// The same program, run again, continues at the last stored state, and the result has the same
    /// bits. More [`iterations`](Self::iterations) continue a run that has ended.
    ///
    /// The file is written after steps, at most once per second, and at the end. Each write
    /// replaces the file atomically, so a killed program leaves a complete file. A run with another
    /// system, method, options, items, initial point, optimiser or order of trajectories is an
    /// error. The backend may differ, since all backends give the same bits. If several processes
    /// train together, all of them read the file, and one writes it.
    pub fn checkpoint(self, file: impl Into<PathBuf>) -> Self {
        Train { checkpoint: Some(file.into()), ..self }
    }

    /// Calls `watch` after each gradient and before the step.
    ///
    /// The callback may return [`ControlFlow::Break`](core::ops::ControlFlow::Break) to end the run
    /// there.
    pub fn on_step<F: IntoFlow>(
        self,
        mut watch: impl FnMut(&Progress<L::Theta>) -> F + 'e,
    ) -> Self {
        Train { on_step: Some(Box::new(move |progress| watch(progress).into_flow())), ..self }
    }

    /// Trains by `method` on the backend `algorithm`.
    ///
    /// # Errors
    /// The errors of [`EnsembleLoss::gradient`];
    /// * [`SolveError::Training`] for a setting that cannot succeed, such as a negative rate or a
    ///   first point with a NaN;
    /// * [`SolveError::Minibatch`] for minibatches with an optimiser that compares losses;
    /// * [`SolveError::Checkpoint`] for a file that cannot be read or written, is damaged, or
    ///   belongs to another run;
    /// * [`SolveError::Cancelled`] if a [watch](crate::EnsembleWatched) cancelled the first gradient;
    ///   a later cancellation ends the run with the best point so far;
    /// * [`SolveError::NothingLearnt`] if all trajectories of all iterations failed;
    /// * an error of the backend on each of several processes, if these differ in their runs, which
    ///   they compare before the first step.
    pub fn run<M, A>(
        mut self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
    ) -> Result<Trained<L::Theta>, SolveError>
    where
        M: Differentiable,
        A: EnsembleAlgorithm,
    {
        let identity = self.identity(M::DEFINED.name, options);
        if let Some(ranks) = algorithm.capabilities().ranks {
            let mut whole = identity.clone();
            whole.push(("iterations", self.iterations.to_string()));
            whole.push(("checkpoint", self.checkpoint.is_some().to_string()));
            ranks.agree(Ok(&whole))?;
        }
        self.check()?;
        let checkpoint =
            self.checkpoint.as_ref().map(|file| Checkpoint::new(file.clone(), &identity));
        let state = self.begun(checkpoint.as_ref());
        let mut state = match algorithm.capabilities().ranks {
            // Each process has read its own file.
            Some(ranks) if checkpoint.is_some() => {
                let has = state.as_ref().map(|state| [("checkpoint", state.fingerprint())]);
                ranks.agree(
                    has.as_ref().map(<[_; 1]>::as_slice).map_err(|error| (*error).clone()),
                )?;
                state?
            }
            _ => state?,
        };
        // All processes have the same state; one of them writes it.
        let writes = algorithm.capabilities().ranks.is_none_or(|ranks| ranks.rank() == 0);
        let mut checkpoint = checkpoint.filter(|_| writes);
        while state.losses.len() < self.iterations && !state.converged {
            let iteration = state.losses.len();
            let batch = self.batch(iteration);
            let loss = batch.as_ref().unwrap_or(self.loss);
            let found = match loss.sums(method, &algorithm, options, &state.theta) {
                Err(SolveError::Cancelled { .. }) if state.best.is_some() => break,
                found => found?,
            };
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
                theta: L::quantities(&state.theta),
                gradient: L::quantities(&found.theta),
                failed,
            };
            let flow = self.on_step.as_mut().map(|watch| watch(&progress));
            if flow.is_some_and(|flow| flow.is_break()) {
                // The checkpoint holds the point before the step, since the step is still to be
                // taken.
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

    /// Refuses settings with which no training succeeds.
    fn check(&self) -> Result<(), SolveError> {
        for (&value, &setting) in self.theta.iter().zip(L::names()) {
            if !value.is_finite() {
                let must = "a training begins at a `Theta` of finite numbers";
                return Err(SolveError::Training { setting, value, must });
            }
        }
        self.optimiser.check()?;
        if self.minibatch == Some(0) {
            let (setting, must) = ("the size of minibatches", "it must be at least 1");
            return Err(SolveError::Training { setting, value: 0.0, must });
        }
        if self.minibatch.is_some_and(|size| size < self.loss.trajectories())
            && self.optimiser.compares_losses()
        {
            return Err(SolveError::Minibatch);
        }
        Ok(())
    }

    /// Returns the initial state, or the state of the checkpoint.
    fn begun(&mut self, checkpoint: Option<&Checkpoint>) -> Result<State, SolveError> {
        if let Some(checkpoint) = checkpoint
            && let Some(kept) = checkpoint.read()?
        {
            if kept.theta.len() != self.theta.len() || !self.optimiser.restore(&kept.memory) {
                return Err(checkpoint.damaged().into());
            }
            return Ok(kept);
        }
        Ok(State {
            theta: self.theta.clone(),
            best: None,
            losses: Vec::new(),
            converged: false,
            memory: Vec::new(),
        })
    }

    /// Writes the checkpoint if it is due, or if this is the `last` time.
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

    /// Returns the names and values that distinguish this run from others.
    fn identity(
        &self,
        method: &'static str,
        options: &SolveOptions,
    ) -> Vec<(&'static str, String)> {
        let [system, precision] = L::types();
        let mut entries = vec![
            ("odes training", env!("CARGO_PKG_VERSION").to_owned()),
            ("system", system.to_owned()),
            ("method", method.to_owned()),
            ("precision", precision.to_owned()),
        ];
        entries.extend(options.entries());
        entries.extend([
            ("trajectories", self.loss.fingerprint()),
            ("beginning", format!("{:?}", self.theta)),
            ("optimiser", format!("{:?}", self.optimiser)),
            ("minibatch", format!("{:?}, seed {}", self.minibatch, self.seed)),
        ]);
        entries
    }

    /// Returns the loss of the minibatch of an iteration; `None` if it contains all trajectories.
    fn batch(&self, iteration: usize) -> Option<L> {
        let (all, size) = (self.loss.trajectories(), self.minibatch?);
        if size >= all {
            return None;
        }
        // A pass leaves out a rest that does not fill a minibatch.
        let passes = all / size;
        let (pass, within) = (iteration / passes, iteration % passes);
        let order = order(self.seed, pass as u64, all);
        let numbers: Vec<usize> = (within * size..(within + 1) * size).map(order).collect();
        Some(self.loss.minibatch(&numbers))
    }

    /// Returns the result of a run; an error if no trajectory ever had a loss.
    fn trained(&self, state: State) -> Result<Trained<L::Theta>, SolveError> {
        let State { theta, best, losses, converged, .. } = state;
        let none = || Best { failed: 0, loss: f64::NAN, theta: theta.clone() };
        let best = best.unwrap_or_else(none);
        // All iterations have the same number of trajectories, and the best one has the fewest
        // failures.
        let each = self
            .minibatch
            .map_or(self.loss.trajectories(), |size| size.min(self.loss.trajectories()));
        if !losses.is_empty() && best.failed >= each {
            return Err(SolveError::NothingLearnt { trajectories: each, iterations: losses.len() });
        }
        Ok(Trained {
            theta: L::quantities(&best.theta),
            loss: best.loss,
            failed: best.failed,
            losses,
            last: L::quantities(&theta),
            converged,
        })
    }
}

/// Returns a random permutation of `0..n`, for this seed and pass.
fn order(seed: u64, pass: u64, n: usize) -> impl Fn(usize) -> usize {
    let half = |number: u64, upper: bool| if upper { number >> 32 } else { number & 0xffff_ffff };
    let key = [half(seed, false), half(seed, true)];
    let words =
        |block: u64| philox4x32::<f64>([half(pass, false), half(pass, true), block, 0], key);
    let [first, second] = [words(0), words(1)];
    let keys = core::array::from_fn(|i| if i < 4 { first[i] } else { second[i - 4] });
    let network = PermutationKeys::new(n as u64, keys);
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
