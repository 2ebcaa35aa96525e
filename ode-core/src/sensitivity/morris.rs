//! Elementary effects by Morris's design.

use super::analysis::{Analysis, Interval, results_of_analysis};
use super::groups::Rows;
use super::solve::{Request, analysed};
use crate::ensemble::EnsembleAlgorithm;
use crate::ensemble::solver::Solver;
use crate::error::{SensitivityError, SolveError};
use crate::lane::Scalar;
use crate::problem::draw::groups::{Change, PathOrder};
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::options::SolveOptions;
use crate::problem::samples::Arrangement;
use crate::system::System;
use ndarray::Array3;
use std::sync::Arc;

/// The largest number of levels.
const MOST_LEVELS: usize = 1 << 16;

/// The options of elementary effects, for
/// [`EnsembleProblem::morris`](crate::EnsembleProblem::morris).
///
/// ```
/// use ode_core::sensitivity::Morris;
///
/// let morris = Morris::new().levels(8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Morris {
    levels: usize,
    batch: Option<usize>,
}

impl Default for Morris {
    fn default() -> Self {
        Morris::new()
    }
}

impl Morris {
    /// Returns the default options: four levels.
    pub fn new() -> Self {
        Morris { levels: 4, batch: None }
    }

    /// Sets the number of levels of each input: an even number from 2 to 65,536, by default 4.
    ///
    /// The levels are the medians of equally likely intervals.
    pub fn levels(self, levels: usize) -> Self {
        Morris { levels, ..self }
    }

    /// Sets the number of trajectories that the analysis receives together, at least 1.
    ///
    /// As [`Sobol::batch_size`](super::Sobol::batch_size).
    pub fn batch_size(self, trajectories: usize) -> Self {
        Morris { batch: Some(trajectories), ..self }
    }

    /// Returns the design.
    ///
    /// # Errors
    /// [`SensitivityError::Levels`] if the number of levels is odd or out of range.
    fn arrangement(&self) -> Result<Arrangement, SensitivityError> {
        let (levels, most) = (self.levels, MOST_LEVELS);
        match levels.is_multiple_of(2) && (2..=most).contains(&levels) {
            true => Ok(Arrangement::Path { levels }),
            false => Err(SensitivityError::Levels { levels, most }),
        }
    }
}

/// Elementary effects of all inputs on each saved number at each saved time.
///
/// [`EnsembleProblem::morris`](crate::EnsembleProblem::morris) returns them. Arrays have the axes
/// input, time and component, as in [`SobolIndices`](super::SobolIndices), and their units are the
/// units of the components.
///
/// The effect of an input in a path is the difference of the output between two levels, divided by
/// the difference 1/2 of their probabilities. For a linear output and a uniform input it is the
/// change of the output over the whole range of the input.
///
/// A path with a failed trajectory contributes to no result, and [`left_out`](Self::left_out) counts
/// it. A path with an output that is not finite does not contribute to the results of this output.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementaryEffects {
    analysis: Analysis,
}

/// Confidence intervals of the statistics of elementary effects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EffectIntervals {
    /// The intervals of the means.
    pub mu: Interval,
    /// The intervals of the means of the magnitudes.
    pub mu_star: Interval,
    /// The intervals of the standard deviations.
    pub sigma: Interval,
}

results_of_analysis!(ElementaryEffects);

impl ElementaryEffects {
    /// Returns the means of the effects, `[input, time, component]`.
    ///
    /// NaN without paths.
    #[must_use]
    pub fn mu(&self) -> Array3<f64> {
        self.analysis.result(0)
    }

    /// Returns the means of the magnitudes of the effects, `[input, time, component]`.
    ///
    /// Effects of both signs do not cancel (F. Campolongo, J. Cariboni, A. Saltelli, "An effective
    /// screening design for sensitivity analysis of large models", Environmental Modelling &
    /// Software 22 (2007) 1509-1518). NaN without paths.
    #[must_use]
    pub fn mu_star(&self) -> Array3<f64> {
        self.analysis.result(1)
    }

    /// Returns the standard deviations of the effects, `[input, time, component]`.
    ///
    /// They are 0 if the output is linear in the input and the input does not interact with others.
    /// The divisor of the variance is `n - 1` for `n` paths, and the result is NaN for one path.
    #[must_use]
    pub fn sigma(&self) -> Array3<f64> {
        self.analysis.result(2)
    }

    /// Returns confidence intervals of all results by a bootstrap with `resamples` resamples.
    ///
    /// As [`SobolIndices::intervals`](super::SobolIndices::intervals), with paths as base samples.
    ///
    /// # Errors
    /// As [`SobolIndices::intervals`](super::SobolIndices::intervals).
    pub fn intervals(
        &self,
        level: f64,
        resamples: usize,
    ) -> Result<EffectIntervals, SensitivityError> {
        let mut all = self.analysis.intervals(level, resamples)?.into_iter();
        match (all.next(), all.next(), all.next()) {
            (Some(mu), Some(mu_star), Some(sigma)) => Ok(EffectIntervals { mu, mu_star, sigma }),
            _ => unreachable!("there are three results"),
        }
    }
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Computes elementary effects on the saved numbers at each saved time, by Morris's design.
    ///
    /// The effects screen many inputs with few trajectories. The inputs are the quantities that
    /// [`sample`](Self::sample) gives a distribution. [`trajectories`](Self::trajectories) sets the
    /// number `n` of paths; 10 to 100 are usual. With `d` inputs the analysis solves `n (d + 1)`
    /// trajectories. A path begins at random levels of all inputs, and each further trajectory
    /// changes one input (M. D. Morris, "Factorial sampling plans for preliminary computational
    /// experiments", Technometrics 33 (1991) 161-174).
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{Samples, Uniform, methods::Tsit5, system::System};
    /// use ode_core::sensitivity::Morris;
    ///
    /// # fn of<S: System<2, 2>>(problem: OdeProblem<S, f64, 2, 2>) -> Result<(), SolveError> {
    /// let samples = Samples::seed(1).p("rate", Uniform(0.5, 1.5)).u0("amount", Uniform(0.9, 1.1));
    /// let ensemble = EnsembleProblem::new(problem).trajectories(50).sample(samples);
    /// let options = SolveOptions::default().saveat([1.0, 2.0]);
    /// let effects = ensemble.morris(Tsit5, EnsembleThreads, &options, &Morris::new())?;
    /// assert_eq!(effects.mu_star().shape(), [2, 2, 2]); // input, time, component
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The [design](crate::Design) of the samples has no effect: levels and orders are random and
    /// depend on the seed. Closures, memory, bits and cancellation are as in
    /// [`sobol`](Self::sobol).
    ///
    /// # Errors
    /// The errors of [`sobol`](Self::sobol), and [`SensitivityError::Levels`] if the number of
    /// levels is odd or out of range.
    pub fn morris<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        morris: &Morris,
    ) -> Result<ElementaryEffects, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let levels = morris.levels;
        let request = Request {
            arrangement: morris.arrangement()?,
            batch: morris.batch,
            rows: &|seed, inputs| Arc::new(EffectRows::new(seed, inputs, levels)),
        };
        self.erased(method, algorithm, options, |ensemble, properties, compiled| {
            let analysis = analysed(ensemble, options, properties, compiled, &request)?;
            Ok(ElementaryEffects { analysis })
        })
    }
}

/// The sums of elementary effects.
///
/// A row of `n` paths is `[n, m.., v.., a..]`: for each input the mean of the effects, the sum of the
/// squares of their deviations, and the mean of their magnitudes.
#[derive(Debug)]
struct EffectRows {
    order: PathOrder,
    inputs: usize,
    levels: usize,
}

impl EffectRows {
    fn new(seed: u64, inputs: usize, levels: usize) -> Self {
        EffectRows { order: PathOrder::new(seed, inputs), inputs, levels }
    }
}

impl Rows for EffectRows {
    fn len(&self) -> usize {
        1 + 3 * self.inputs
    }

    fn leaf(&self, base: u64, outputs: &[f64], row: &mut [f64]) {
        row[0] = 1.0;
        let changes = self.order.changes(base as usize, self.levels);
        for (input, Change { rank: at, rises }) in changes.into_iter().enumerate() {
            let change = if rises { 0.5 } else { -0.5 };
            let effect = (outputs[at + 1] - outputs[at]) / change;
            row[1 + input] = effect;
            row[1 + 2 * self.inputs + input] = effect.abs();
        }
    }

    fn join(&self, left: &mut [f64], right: &[f64]) {
        let (a, b) = (left[0], right[0]);
        let n = a + b;
        left[0] = n;
        for input in 0..self.inputs {
            let [mean, square, size] = [0, 1, 2].map(|k| 1 + k * self.inputs + input);
            let shift = right[mean] - left[mean];
            left[square] += right[square] + shift * (shift * (a * b / n));
            left[mean] += shift * (b / n);
            left[size] += (right[size] - left[size]) * (b / n);
        }
    }

    fn repeat(&self, row: &mut [f64], times: f64) {
        row[0] *= times;
        row[1 + self.inputs..1 + 2 * self.inputs].iter_mut().for_each(|square| *square *= times);
    }

    fn results(&self) -> usize {
        3
    }

    fn write_results(&self, row: &[f64], out: &mut [f64]) {
        let n = row[0];
        if n == 0.0 {
            return out.fill(f64::NAN);
        }
        for input in 0..self.inputs {
            let [mean, square, size] = [0, 1, 2].map(|k| row[1 + k * self.inputs + input]);
            out[input] = mean;
            out[self.inputs + input] = size;
            out[2 * self.inputs + input] = (square / (n - 1.0)).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stub::{Model, analyse, ensemble};
    use super::*;
    use crate::methods::tsit5::PROPERTIES;
    use crate::problem::samples::{Normal, Samples, Uniform};
    use std::sync::Mutex;

    fn effects(
        paths: usize,
        samples: &Samples,
        model: Model<'_>,
        morris: &Morris,
    ) -> ElementaryEffects {
        let request = Request {
            arrangement: morris.arrangement().unwrap(),
            batch: morris.batch,
            rows: &|seed, inputs| Arc::new(EffectRows::new(seed, inputs, morris.levels)),
        };
        let analysis =
            analyse(&ensemble(paths, Some(samples)), model, &request, &PROPERTIES, None).unwrap();
        ElementaryEffects { analysis }
    }

    fn uniform(seed: u64) -> Samples {
        (0..4).fold(Samples::seed(seed), |samples, k| samples.p(k, Uniform(0.0, 1.0)))
    }

    /// Each step of a path changes one input by half of the levels, and each path changes all.
    #[test]
    fn paths_change_each_input_once() {
        for levels in [2, 4, 10] {
            let rows = Mutex::new(Vec::new());
            let model = |p: [f64; 4]| {
                rows.lock().unwrap().push(p);
                Some([0.0, 0.0])
            };
            let _ = effects(2000, &uniform(6), &model, &Morris::new().levels(levels));
            let rows = rows.into_inner().unwrap();
            let level = |x: f64| (x * levels as f64 - 0.5).round() as usize;
            let (mut first, mut begins) = ([0; 4], vec![[0; 4]; levels]);
            for path in rows.chunks_exact(5) {
                let mut changed = Vec::new();
                for pair in path.windows(2) {
                    let at: Vec<usize> = (0..4).filter(|k| pair[0][*k] != pair[1][*k]).collect();
                    assert_eq!(at.len(), 1);
                    let change = (pair[1][at[0]] - pair[0][at[0]]).abs();
                    assert!((change - 0.5).abs() < 1e-15);
                    changed.push(at[0]);
                }
                first[changed[0]] += 1;
                changed.sort_unstable();
                assert_eq!(changed, [0, 1, 2, 3]);
                for (k, x) in path[0].iter().enumerate() {
                    begins[level(*x)][k] += 1;
                }
            }
            // Counts of 2000 draws lie within five standard deviations.
            let near = |count: i32, p: f64| {
                let deviation = (2000.0 * p * (1.0 - p)).sqrt();
                (f64::from(count) - 2000.0 * p).abs() < 5.0 * deviation
            };
            assert!(first.iter().all(|count| near(*count, 0.25)), "{first:?}");
            let even = |counts: &[i32; 4]| counts.iter().all(|n| near(*n, 1.0 / levels as f64));
            assert!(begins.iter().all(even), "{begins:?}");
        }
    }

    /// The effects of a polynomial are known at each level.
    #[test]
    fn effects_of_a_polynomial_are_known() {
        let model = |[a, b, c, d]: [f64; 4]| {
            let product = (c - 0.5) * (d - 0.5);
            Some([3.0 * a - 2.0 * b + product, a * a])
        };
        let found = effects(4000, &uniform(2), &model, &Morris::new());
        assert_eq!(found.base_samples(), 4000);
        assert_eq!(found.code_counts().map(|(_, n)| n).sum::<u64>(), 20_000);
        let [mu, mu_star, sigma] = [found.mu(), found.mu_star(), found.sigma()];
        let at = |array: &Array3<f64>, d| [0, 1, 2, 3].map(|k| array[[k, 0, d]]);
        // d - 1/2 is one of -3/8, -1/8, 1/8 and 3/8 with mean square 5/64.
        let deviation = (5.0_f64 / 64.0).sqrt();
        let close = |found: [f64; 4], exact: [f64; 4], error: f64| {
            let pairs = found.into_iter().zip(exact);
            pairs.into_iter().all(|(found, exact)| (found - exact).abs() <= error)
        };
        assert!(close(at(&mu, 0), [3.0, -2.0, 0.0, 0.0], 0.02), "{:?}", at(&mu, 0));
        assert!(close(at(&mu_star, 0), [3.0, 2.0, 0.25, 0.25], 0.01), "{:?}", at(&mu_star, 0));
        assert!(close(at(&sigma, 0), [0.0, 0.0, deviation, deviation], 0.01));
        // The effect of a on its square is the sum of its levels: 3/4 and 5/4.
        assert!(close(at(&mu, 1), [1.0, 0.0, 0.0, 0.0], 0.02));
        assert!(close(at(&sigma, 1), [0.25, 0.0, 0.0, 0.0], 0.001));
        let intervals = found.intervals(0.999, 500).unwrap();
        for (interval, exact) in
            [(&intervals.mu, 1.0), (&intervals.mu_star, 1.0), (&intervals.sigma, 0.25)]
        {
            let index = [0, 0, 1];
            assert!((interval.low[index]..=interval.high[index]).contains(&exact));
        }
    }

    /// Paths with failures are left out, and batches change no bit.
    #[test]
    fn failures_are_left_out_and_batches_change_no_bit() {
        let fails = |[a, b, c, d]: [f64; 4]| (a + b < 1.9).then_some([a * b + c, d]);
        let samples = uniform(3);
        let whole = effects(300, &samples, &fails, &Morris::new().levels(10));
        assert!(whole.left_out() > 0);
        assert_eq!(whole.count()[[0, 0]] + whole.left_out(), 300);
        for batch in [1, 7, 100] {
            let morris = Morris::new().levels(10).batch_size(batch);
            assert!(effects(300, &samples, &fails, &morris) == whole, "{batch}");
        }
    }

    /// Levels of a normal input are quantiles: the effect is their difference divided by 1/2.
    #[test]
    fn levels_are_medians_of_equally_likely_intervals() {
        let samples = Samples::seed(1).p("b", Normal { mean: 10.0, sd: 2.0 });
        let model = |[_, b, ..]: [f64; 4]| Some([b, b]);
        let found = effects(20, &samples, &model, &Morris::new().levels(2));
        // The quartiles of the standard normal distribution.
        let exact = 2.0 * 2.0 * 2.0 * 0.674_489_750_196_081_7;
        assert!((found.mu()[[0, 0, 0]] - exact).abs() < 1e-12);
        assert!(found.sigma()[[0, 0, 0]] < 1e-12);
        assert!(effects(1, &samples, &model, &Morris::new()).sigma()[[0, 0, 0]].is_nan());
    }

    #[test]
    fn levels_are_even() {
        for levels in [0, 1, 3, MOST_LEVELS + 2] {
            let error = Morris::new().levels(levels).arrangement().unwrap_err();
            assert_eq!(error, SensitivityError::Levels { levels, most: MOST_LEVELS });
        }
        assert!(Morris::new().levels(MOST_LEVELS).arrangement().is_ok());
    }
}
