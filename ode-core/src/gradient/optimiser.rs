//! Optimisers: update rules for learnt quantities.
//!
//! Their arithmetic is additions, products, quotients and square roots in a fixed order, so that
//! the numbers have the same bits on every machine.

use crate::error::SolveError;
use core::fmt::{self, Debug};
use core::ops::ControlFlow;

/// An optimisation algorithm and its state.
///
/// `Debug` prints the settings of the optimiser without its memory of earlier steps. A checkpoint
/// contains this text; a run with a different text cannot continue from it.
pub trait Optimiser: Debug + Send {
    /// Moves `theta` to the point at which the next gradient is to be computed.
    ///
    /// `found` is the loss and its gradient at `theta`. The number of entries is the same in all
    /// calls.
    ///
    /// If the optimiser can find no better point, it returns `Break`; `theta` is then the best
    /// point that it has found.
    fn step(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()>;

    /// Returns the memory of earlier steps as rows of numbers, for a checkpoint.
    fn state(&self) -> Vec<Vec<f64>>;

    /// Restores the memory from rows; returns `false` if the rows are invalid.
    ///
    /// The rows come from [`state`](Self::state) of an optimiser with the same settings.
    fn restore(&mut self, state: &[Vec<f64>]) -> bool;

    /// Returns whether the optimiser compares the losses of different points.
    ///
    /// Each loss must then include all trajectories, and minibatches are an error.
    fn compares_losses(&self) -> bool {
        false
    }

    /// Checks the settings.
    ///
    /// [`Train`](crate::gradient::Train) calls this function before the first gradient.
    ///
    /// # Errors
    /// If no training run can succeed with the settings. The optimisers of this library return
    /// [`SolveError::Training`].
    fn check(&self) -> Result<(), SolveError> {
        Ok(())
    }
}

/// A loss and its gradient at a point.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// The loss.
    pub loss: f64,
    /// The derivatives of the loss.
    pub gradient: &'a [f64],
    /// The number of trajectories that failed, which do not contribute to the loss.
    pub failed: usize,
}

/// Adam: steps that follow averages of gradients and of their squares.
///
/// D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The size of steps.
    pub rate: f64,
    /// The decay factor of the average of gradients.
    pub beta1: f64,
    /// The decay factor of the average of squared gradients.
    pub beta2: f64,
    /// The number that is added to the root of the average of squares.
    pub epsilon: f64,
    averages: Averages,
}

/// Averages of gradients and of their squares.
#[derive(Clone, Default, PartialEq)]
struct Averages {
    first: Vec<f64>,
    second: Vec<f64>,
    /// `beta1` and `beta2` to the power of the number of steps.
    powers: Option<[f64; 2]>,
}

impl Debug for Averages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl Adam {
    /// Returns Adam with steps of this size, `beta1` = 0.9, `beta2` = 0.999 and `epsilon` = 1e-8.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let averages = Averages::default();
        Adam { rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, averages }
    }
}

impl Optimiser for Adam {
    fn step(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()> {
        let gradient = found.gradient;
        let Adam { rate, beta1, beta2, epsilon, averages } = self;
        averages.first.resize(theta.len(), 0.0);
        averages.second.resize(theta.len(), 0.0);
        let [power1, power2] = averages.powers.unwrap_or([1.0; 2]);
        let powers = [power1 * *beta1, power2 * *beta2];
        averages.powers = Some(powers);
        for k in 0..theta.len() {
            let (m, v) = (&mut averages.first[k], &mut averages.second[k]);
            *m = *beta1 * *m + (1.0 - *beta1) * gradient[k];
            *v = *beta2 * *v + (1.0 - *beta2) * (gradient[k] * gradient[k]);
            let (m, v) = (*m / (1.0 - powers[0]), *v / (1.0 - powers[1]));
            theta[k] -= *rate * m / (v.sqrt() + *epsilon);
        }
        ControlFlow::Continue(())
    }

    fn state(&self) -> Vec<Vec<f64>> {
        let Averages { first, second, powers } = &self.averages;
        let powers = powers.map(Vec::from).unwrap_or_default();
        vec![first.clone(), second.clone(), powers]
    }

    fn restore(&mut self, state: &[Vec<f64>]) -> bool {
        let [first, second, powers] = state else { return false };
        let powers = <[f64; 2]>::try_from(powers.as_slice()).ok();
        self.averages = Averages { first: first.clone(), second: second.clone(), powers };
        first.len() == second.len()
    }

    fn check(&self) -> Result<(), SolveError> {
        let Adam { rate, beta1, beta2, epsilon, averages: _ } = self;
        SolveError::check_setting("the rate of Adam", *rate, f64::INFINITY)?;
        SolveError::check_setting("beta1 of Adam", *beta1, 1.0)?;
        SolveError::check_setting("beta2 of Adam", *beta2, 1.0)?;
        SolveError::check_setting("epsilon of Adam", *epsilon, f64::INFINITY)
    }
}

/// Adam with decay of the learnt quantities, decoupled from the gradient.
///
/// I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", ICLR 2019, algorithm 2.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// The optimiser for the steps by gradients.
    pub adam: Adam,
    /// The fraction of the learnt quantities that a step removes, divided by the size of steps.
    pub decay: f64,
}

impl AdamW {
    /// Returns AdamW with steps of this size and a decay of 0.01.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        AdamW { adam: Adam::new(rate), decay: 0.01 }
    }
}

impl Optimiser for AdamW {
    fn step(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()> {
        let part = self.adam.rate * self.decay;
        theta.iter_mut().for_each(|number| *number -= part * *number);
        self.adam.step(theta, found)
    }

    fn state(&self) -> Vec<Vec<f64>> {
        self.adam.state()
    }

    fn restore(&mut self, state: &[Vec<f64>]) -> bool {
        self.adam.restore(state)
    }

    fn check(&self) -> Result<(), SolveError> {
        SolveError::check_setting("the decay of AdamW", self.decay, f64::INFINITY)?;
        self.adam.check()
    }
}

/// Gradient descent, with momentum if it is not zero.
#[derive(Clone, PartialEq)]
pub struct Sgd {
    /// The size of steps.
    pub rate: f64,
    /// The fraction of a step that the next step repeats.
    pub momentum: f64,
    velocity: Vec<f64>,
}

impl Debug for Sgd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sgd { rate, momentum, velocity: _ } = self;
        f.debug_struct("Sgd")
            .field("rate", rate)
            .field("momentum", momentum)
            .finish_non_exhaustive()
    }
}

impl Sgd {
    /// Returns gradient descent with steps of this size, without momentum.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Sgd { rate, momentum: 0.0, velocity: Vec::new() }
    }

    /// Sets the fraction of a step that the next step repeats.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Sgd { momentum, ..self }
    }
}

impl Optimiser for Sgd {
    fn step(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()> {
        self.velocity.resize(theta.len(), 0.0);
        for k in 0..theta.len() {
            self.velocity[k] = self.momentum * self.velocity[k] + found.gradient[k];
            theta[k] -= self.rate * self.velocity[k];
        }
        ControlFlow::Continue(())
    }

    fn state(&self) -> Vec<Vec<f64>> {
        vec![self.velocity.clone()]
    }

    fn restore(&mut self, state: &[Vec<f64>]) -> bool {
        let [velocity] = state else { return false };
        self.velocity.clone_from(velocity);
        true
    }

    fn check(&self) -> Result<(), SolveError> {
        SolveError::check_setting("the rate of Sgd", self.rate, f64::INFINITY)?;
        SolveError::check_setting("the momentum of Sgd", self.momentum, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::Lbfgs;

    /// The first step of Adam has its size for any gradient, within 1e-8 relative to the gradient.
    #[test]
    fn first_steps_of_adam() {
        let mut theta = [3.0, 1.0, 0.0];
        let found = Evaluation { loss: 0.0, gradient: &[7379.5, -0.5, 0.0], failed: 0 };
        assert!(Adam::new(0.1).step(&mut theta, &found).is_continue());
        for (number, expected) in theta.iter().zip([2.9, 1.1, 0.0]) {
            assert!((number - expected).abs() < 1e-8, "{theta:?}");
        }
    }

    fn all() -> [Box<dyn Optimiser>; 5] {
        [
            Box::new(Adam::new(0.1)),
            Box::new(AdamW { decay: 0.0, ..AdamW::new(0.1) }),
            Box::new(Sgd::new(0.1)),
            Box::new(Sgd::new(0.1).momentum(0.5)),
            Box::new(Lbfgs::new()),
        ]
    }

    /// One step along the gradient of a parabola with its minimum at (1, -3).
    fn step(optimiser: &mut dyn Optimiser, theta: &mut [f64; 2]) -> ControlFlow<()> {
        let [x, y] = [theta[0] - 1.0, theta[1] + 3.0];
        let (loss, gradient) = (x * x + 2.0 * y * y, [2.0 * x, 4.0 * y]);
        optimiser.step(theta, &Evaluation { loss, gradient: &gradient, failed: 0 })
    }

    #[test]
    fn a_parabola_has_its_minimum_found() {
        for mut optimiser in all() {
            let mut theta = [2.0, -1.0];
            let _ = (0..2000).try_for_each(|_| step(&mut *optimiser, &mut theta));
            let error = (theta[0] - 1.0).abs().max((theta[1] + 3.0).abs());
            assert!(error < 1e-6, "{optimiser:?} {theta:?}");
        }
    }

    /// An optimiser with the memory of another one continues as the other one does.
    #[test]
    fn memories_are_all_that_steps_depend_on() {
        for (mut one, mut fresh) in all().into_iter().zip(all()) {
            for before in 0..8 {
                let mut theta = [2.0, -1.0];
                let _ = (0..before).try_for_each(|_| step(&mut *one, &mut theta));
                assert!(fresh.restore(&one.state()), "{one:?}");
                let mut copied = theta;
                for _ in 0..5 {
                    let flows = [step(&mut *one, &mut theta), step(&mut *fresh, &mut copied)];
                    assert_eq!(flows[0], flows[1]);
                    assert_eq!(theta, copied, "{one:?} after {before}");
                }
                // The printed text contains the settings only.
                assert_eq!(format!("{one:?}"), format!("{fresh:?}"));
                assert!(!fresh.restore(&vec![Vec::new(); 99]));
            }
        }
    }
}
