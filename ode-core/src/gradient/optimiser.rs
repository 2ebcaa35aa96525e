//! Optimisers: how numbers that are learnt follow gradients.
//!
//! Their arithmetic is additions, products, quotients and square roots in a fixed order, so that
//! the numbers have the same bits on every machine.

use core::fmt::Debug;

/// How numbers that are learnt follow gradients. It keeps what it remembers of earlier steps.
pub trait Optimiser: Debug + Send {
    /// Changes `theta` by this gradient. The lengths of both are the same from call to call.
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]);
}

/// Adam: steps that follow averages of gradients and of their squares.
///
/// D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The size of steps.
    pub rate: f64,
    /// How much of the average of gradients stays from step to step.
    pub beta1: f64,
    /// How much of the average of their squares stays.
    pub beta2: f64,
    /// What is added to the root of that average.
    pub epsilon: f64,
    averages: Averages,
}

/// Averages of gradients and of their squares.
#[derive(Clone, Debug, Default, PartialEq)]
struct Averages {
    first: Vec<f64>,
    second: Vec<f64>,
    /// `beta1` and `beta2` to the power of the number of steps.
    powers: Option<[f64; 2]>,
}

impl Adam {
    /// Steps of this size, with `beta1` = 0.9, `beta2` = 0.999 and `epsilon` = 1e-8.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        let averages = Averages::default();
        Adam { rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, averages }
    }
}

impl Optimiser for Adam {
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) {
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
    }
}

/// Adam with decay of what is learnt, apart from the gradient.
///
/// I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", ICLR 2019, algorithm 2.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// The steps by gradients.
    pub adam: Adam,
    /// The part of what is learnt that each step takes away, divided by the size of steps.
    pub decay: f64,
}

impl AdamW {
    /// Steps of this size, with a decay of 0.01.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        AdamW { adam: Adam::new(rate), decay: 0.01 }
    }
}

impl Optimiser for AdamW {
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) {
        let part = self.adam.rate * self.decay;
        theta.iter_mut().for_each(|number| *number -= part * *number);
        self.adam.step(theta, gradient);
    }
}

/// Steps along the gradient, with momentum if that is not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Sgd {
    /// The size of steps.
    pub rate: f64,
    /// How much of a step is made again in the next one.
    pub momentum: f64,
    velocity: Vec<f64>,
}

impl Sgd {
    /// Steps of this size, without momentum.
    #[must_use]
    pub fn new(rate: f64) -> Self {
        Sgd { rate, momentum: 0.0, velocity: Vec::new() }
    }
}

impl Optimiser for Sgd {
    fn step(&mut self, theta: &mut [f64], gradient: &[f64]) {
        self.velocity.resize(theta.len(), 0.0);
        for k in 0..theta.len() {
            self.velocity[k] = self.momentum * self.velocity[k] + gradient[k];
            theta[k] -= self.rate * self.velocity[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first step of Adam is of its size, whatever the gradient: 1e-8 relative to that.
    #[test]
    fn first_steps_of_adam() {
        let mut theta = [3.0, 1.0, 0.0];
        Adam::new(0.1).step(&mut theta, &[7379.5, -0.5, 0.0]);
        for (number, expected) in theta.iter().zip([2.9, 1.1, 0.0]) {
            assert!((number - expected).abs() < 1e-8, "{theta:?}");
        }
    }

    #[test]
    fn a_parabola_has_its_minimum_found() {
        let optimisers: [Box<dyn Optimiser>; 4] = [
            Box::new(Adam::new(0.1)),
            Box::new(AdamW { decay: 0.0, ..AdamW::new(0.1) }),
            Box::new(Sgd::new(0.1)),
            Box::new(Sgd { momentum: 0.5, ..Sgd::new(0.1) }),
        ];
        for mut optimiser in optimisers {
            let mut theta = [2.0, -1.0];
            for _ in 0..2000 {
                let gradient = [2.0 * (theta[0] - 1.0), 4.0 * (theta[1] + 3.0)];
                optimiser.step(&mut theta, &gradient);
            }
            let error = (theta[0] - 1.0).abs().max((theta[1] + 3.0).abs());
            assert!(error < 1e-6, "{optimiser:?} {theta:?}");
        }
    }
}
