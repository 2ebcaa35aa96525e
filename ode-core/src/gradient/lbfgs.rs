//! L-BFGS: a quasi-Newton method for losses of all trajectories.

use crate::error::SolveError;
use crate::gradient::optimiser::{Evaluation, Optimiser};
use core::fmt;
use core::ops::ControlFlow;

/// The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (L-BFGS).
///
/// The steps are Newton steps with second derivatives that are estimated from the last gradients.
/// Near a minimum the method needs far fewer gradients than [`Adam`](crate::gradient::Adam). It
/// compares losses, so it does not work with minibatches.
///
/// The directions follow J. Nocedal and S. J. Wright, "Numerical Optimization", 2nd edition, 2006,
/// algorithm 7.4, with the scale of equation 7.20. The line search finds a step that satisfies the
/// weak Wolfe conditions, by bisection and expansion: A. S. Lewis and M. L. Overton, "Nonsmooth
/// optimization via quasi-Newton methods", Math. Program. 141 (2013) 135–163, algorithm 2.6. Each
/// point of a line search is an iteration of [`Train`](crate::gradient::Train). If more
/// trajectories fail at a point than at the beginning of the line, the point counts as a larger
/// loss.
///
/// ```
/// # use ode_core::gradient::{EnsembleLoss, Lbfgs, Train};
/// # use ode_core::{EnsembleThreads, SolveError, SolveOptions, methods::Tsit5};
/// # use ode_core::system::{Learn, Loss};
/// # fn of<S>(loss: EnsembleLoss<S, f64, 1, 1, 2, 1>, options: &SolveOptions) -> Result<(), SolveError>
/// # where S: Learn<1, 1, 2, 1> + Loss<1, 1> {
/// let training = Train::new(&loss, [3.0, 1.0]).optimiser(Lbfgs::new().memory(20));
/// let trained = training.run(Tsit5, EnsembleThreads, options)?;
/// println!("{:?} {}", trained.theta, trained.converged);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Lbfgs {
    /// The number of stored pairs of a step and the change of the gradient over it.
    pub memory: usize,
    /// The least decrease of the loss, as a fraction of the decrease that the slope predicts.
    pub decrease: f64,
    /// The greatest slope after a step, as a fraction of the slope before it.
    pub curvature: f64,
    /// Steps and the changes of the gradient over them, the oldest first.
    pairs: Vec<[Vec<f64>; 2]>,
    line: Option<Line>,
}

/// The state of a line search.
#[derive(Clone, PartialEq)]
struct Line {
    /// The initial point, the gradient there, and the direction.
    from: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    loss: f64,
    failed: f64,
    /// The current trial step, a step that is too short, and one that is too long.
    step: f64,
    short: f64,
    long: f64,
}

impl fmt::Debug for Lbfgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lbfgs { memory, decrease, curvature, pairs: _, line: _ } = self;
        f.debug_struct("Lbfgs")
            .field("memory", memory)
            .field("decrease", decrease)
            .field("curvature", curvature)
            .finish_non_exhaustive()
    }
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs::new()
    }
}

impl Lbfgs {
    /// Returns L-BFGS with a memory of 10 pairs, and Wolfe conditions with 1e-4 and 0.9.
    #[must_use]
    pub fn new() -> Self {
        Lbfgs { memory: 10, decrease: 1e-4, curvature: 0.9, pairs: Vec::new(), line: None }
    }

    /// Sets the number of stored pairs of steps and changes of the gradient.
    #[must_use]
    pub fn memory(self, pairs: usize) -> Self {
        Lbfgs { memory: pairs, ..self }
    }

    /// Returns minus the product of the estimated inverse of the second derivatives and the
    /// gradient.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|number| -number).collect();
        let mut parts = Vec::with_capacity(self.pairs.len());
        for [s, y] in self.pairs.iter().rev() {
            let part = dot(s, &q) / dot(s, y);
            add(&mut q, -part, y);
            parts.push(part);
        }
        if let Some([s, y]) = self.pairs.last() {
            let scale = dot(s, y) / dot(y, y);
            q.iter_mut().for_each(|number| *number *= scale);
        }
        for ([s, y], part) in self.pairs.iter().zip(parts.into_iter().rev()) {
            let other = dot(y, &q) / dot(s, y);
            add(&mut q, part - other, s);
        }
        q
    }

    /// Begins a line search at `theta` and moves to its first point.
    ///
    /// Returns `Break` if the loss decreases in no direction.
    fn begin(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()> {
        let gradient = found.gradient;
        let mut direction = self.direction(gradient);
        let slope = dot(&direction, gradient);
        // A Newton step decreases the loss by half of the slope.
        if !self.pairs.is_empty() && slope < 0.0 && -slope <= rounding(found.loss) {
            return ControlFlow::Break(());
        }
        let falls = |direction: &[f64]| dot(direction, gradient) < 0.0;
        if !falls(&direction) {
            self.pairs.clear();
            direction = self.direction(gradient);
            if !falls(&direction) {
                return ControlFlow::Break(());
            }
        }
        // Without a memory the direction has no scale, so the length of the first step is at most
        // 1.
        let length = dot(&direction, &direction).sqrt();
        let step = if self.pairs.is_empty() { 1.0_f64.min(1.0 / length) } else { 1.0 };
        let line = Line {
            from: theta.to_vec(),
            gradient: gradient.to_vec(),
            direction,
            loss: found.loss,
            failed: found.failed as f64,
            step,
            short: 0.0,
            long: f64::INFINITY,
        };
        line.point(theta);
        self.line = Some(line);
        ControlFlow::Continue(())
    }
}

impl Line {
    fn point(&self, theta: &mut [f64]) {
        theta.copy_from_slice(&self.from);
        add(theta, self.step, &self.direction);
    }
}

impl Optimiser for Lbfgs {
    fn step(&mut self, theta: &mut [f64], found: &Evaluation<'_>) -> ControlFlow<()> {
        let Some(mut line) = self.line.take() else { return self.begin(theta, found) };
        let slope = dot(&line.direction, &line.gradient);
        let here = dot(&line.direction, found.gradient);
        let least = line.loss + self.decrease * line.step * slope + rounding(line.loss);
        // A step to a non-finite loss or slope is too long.
        let falls = found.loss <= least && here.is_finite() && found.failed as f64 <= line.failed;
        if falls && here >= self.curvature * slope {
            let s: Vec<f64> = theta.iter().zip(&line.from).map(|(to, from)| to - from).collect();
            let changes = found.gradient.iter().zip(&line.gradient);
            let y: Vec<f64> = changes.map(|(to, from)| to - from).collect();
            // Second derivatives stay positive.
            if dot(&s, &y) > f64::EPSILON * dot(&y, &y) {
                self.pairs.push([s, y]);
                let more = self.pairs.len().saturating_sub(self.memory);
                self.pairs.drain(..more);
            }
            return self.begin(theta, found);
        }
        if falls {
            line.short = line.step;
        } else {
            line.long = line.step;
        }
        line.step =
            if line.long.is_finite() { 0.5 * (line.short + line.long) } else { 2.0 * line.short };
        let tried = theta.to_vec();
        line.point(theta);
        if *theta != *tried && theta.iter().all(|number| number.is_finite()) {
            self.line = Some(line);
            return ControlFlow::Continue(());
        }
        // No floating-point number is between the two steps. A direction that depends on the memory
        // may be wrong; the direction of the gradient is not.
        theta.copy_from_slice(&line.from);
        if self.pairs.is_empty() {
            return ControlFlow::Break(());
        }
        self.pairs.clear();
        let Line { gradient, loss, failed, .. } = line;
        let found = Evaluation { loss, gradient: &gradient, failed: failed as usize };
        self.begin(theta, &found)
    }

    fn state(&self) -> Vec<Vec<f64>> {
        let mut rows = Vec::with_capacity(4 + 2 * self.pairs.len());
        if let Some(line) = &self.line {
            let Line { from, gradient, direction, loss, failed, step, short, long } = line;
            rows.push(vec![*loss, *failed, *step, *short, *long]);
            rows.extend([from.clone(), gradient.clone(), direction.clone()]);
        } else {
            rows.extend([const { Vec::new() }; 4]);
        }
        rows.extend(self.pairs.iter().flatten().cloned());
        rows
    }

    fn restore(&mut self, state: &[Vec<f64>]) -> bool {
        let Some(([numbers, from, gradient, direction], pairs)) = state.split_first_chunk() else {
            return false;
        };
        let (pairs, []) = pairs.as_chunks() else { return false };
        if pairs.len() > self.memory {
            return false;
        }
        self.pairs = pairs.to_vec();
        self.line = match **numbers {
            [loss, failed, step, short, long] => {
                let (from, direction) = (from.clone(), direction.clone());
                let gradient = gradient.clone();
                Some(Line { from, gradient, direction, loss, failed, step, short, long })
            }
            _ => None,
        };
        true
    }

    fn check(&self) -> Result<(), SolveError> {
        SolveError::check_setting("`decrease` of Lbfgs", self.decrease, 1.0)?;
        SolveError::check_setting("`curvature` of Lbfgs", self.curvature, 1.0)
    }

    fn compares_losses(&self) -> bool {
        true
    }
}

/// Returns the difference below which losses are equal up to rounding.
fn rounding(loss: f64) -> f64 {
    4.0 * f64::EPSILON * loss.abs()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `part` times `b` to `a`.
fn add(a: &mut [f64], part: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += part * b);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = fn(&[f64]) -> (f64, Vec<f64>);

    /// The Rosenbrock function, in any number of dimensions.
    fn rosenbrock(x: &[f64]) -> (f64, Vec<f64>) {
        let mut value = 0.0;
        let mut gradient = vec![0.0; x.len()];
        for k in 0..x.len() - 1 {
            let (a, b) = (x[k + 1] - x[k] * x[k], 1.0 - x[k]);
            value += 100.0 * a * a + b * b;
            gradient[k] += -400.0 * a * x[k] - 2.0 * b;
            gradient[k + 1] += 200.0 * a;
        }
        (value, gradient)
    }

    /// A function that is not finite left of zero, with its minimum at 1.
    fn logarithm(x: &[f64]) -> (f64, Vec<f64>) {
        (x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]])
    }

    fn minimum(of: Function, theta: &mut [f64]) -> (usize, bool) {
        let mut optimiser = Lbfgs::new();
        for k in 1..2000 {
            let (loss, gradient) = of(theta);
            let found = Evaluation { loss, gradient: &gradient, failed: 0 };
            if optimiser.step(theta, &found).is_break() {
                return (k, true);
            }
        }
        (2000, false)
    }

    #[test]
    fn minima_are_found_to_rounding() {
        let mut theta = [-1.2, 1.0];
        let (gradients, ended) = minimum(rosenbrock, &mut theta);
        assert!(ended && gradients < 120, "{gradients} {theta:?}");
        assert!(theta.iter().all(|x| (x - 1.0).abs() < 1e-7), "{theta:?}");

        let mut theta = [-1.0; 20];
        let (gradients, ended) = minimum(rosenbrock, &mut theta);
        assert!(ended && gradients < 400, "{gradients} {theta:?}");
        // The valley has a second minimum.
        assert!(rosenbrock(&theta).1.iter().all(|g| g.abs() < 1e-5), "{theta:?}");

        for start in [1e-6, 0.5, 1.0, 40.0] {
            let mut theta = [start];
            let (_, ended) = minimum(logarithm, &mut theta);
            assert!(ended && (theta[0] - 1.0).abs() < 1e-7, "{start} {theta:?}");
        }
    }

    #[test]
    fn a_loss_without_bound_ends_nowhere() {
        let mut theta = [0.0];
        let (_, ended) = minimum(|x| (-x[0], vec![-1.0]), &mut theta);
        assert!(theta[0].is_finite() && theta[0] > 1e100 || ended, "{theta:?}");
    }
}
