//! Sobol' indices, the results of Saltelli's design.

use super::analysis::{Analysis, Interval, results_of_analysis};
use crate::error::SensitivityError;
use ndarray::{Array2, Array3};

/// Sobol' indices of each saved number at each saved time, by all inputs.
///
/// [`EnsembleProblem::sobol`](crate::EnsembleProblem::sobol) returns them. Arrays have the axes
/// input, time and component. [`inputs`](Self::inputs), [`times`](Self::times) and
/// [`names`](Self::names) label the axes. The components are the saved numbers: states, then
/// observables, as [`SolveOptions::saving`](crate::SolveOptions::saving()) selects. If no times are
/// saved, the arrays have one time, and the components are the final states.
///
/// # Base samples that count
///
/// If a trajectory fails, its base sample contributes to no index; [`left_out`](Self::left_out)
/// counts such base samples. A base sample with an output that is not finite does not contribute to
/// the indices of this output. Examples are times after an event ended the trajectory, and
/// observables outside their domain. [`count`](Self::count) has the numbers of base samples.
/// Indices of a population without its failures may be biased.
#[derive(Clone, Debug, PartialEq)]
pub struct SobolIndices {
    pub(super) analysis: Analysis,
}

/// Confidence intervals of Sobol' indices.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SobolIntervals {
    /// The intervals of the first-order indices.
    pub first_order: Interval,
    /// The intervals of the total indices.
    pub total: Interval,
}

results_of_analysis!(SobolIndices);

impl SobolIndices {
    /// Returns the first-order indices, `[input, time, component]`.
    ///
    /// The index of an input is the fraction of the variance that vanishes on average if the input
    /// is fixed: `Var(E(y | x_i)) / Var(y)`. The estimator is
    /// `mean(f(B) (f(AB_i) - f(A))) / Var(y)`, with `f(B)` relative to the mean (Saltelli et al.
    /// 2010). Estimates of small indices can be negative. NaN if the variance is 0, or if fewer than
    /// two base samples count.
    #[must_use]
    pub fn first_order(&self) -> Array3<f64> {
        self.analysis.result(0)
    }

    /// Returns the total indices, `[input, time, component]`.
    ///
    /// The index of an input is the fraction of the variance that remains on average if all other
    /// inputs are fixed: `E(Var(y | all but x_i)) / Var(y)`. The estimator is
    /// `mean((f(A) - f(AB_i))^2) / (2 Var(y))` (M. J. W. Jansen, "Analysis of variance designs for
    /// model output", Computer Physics Communications 117 (1999) 35-43). NaN if the variance is 0,
    /// or if fewer than two base samples count.
    #[must_use]
    pub fn total(&self) -> Array3<f64> {
        self.analysis.result(1)
    }

    /// Returns confidence intervals of all indices by a bootstrap with `resamples` resamples.
    ///
    /// A resample draws as many groups of base samples as there are, with replacement. There are at
    /// most 64 groups of consecutive base samples. The ends are percentiles of the indices of the
    /// resamples, by linear interpolation. The draws depend only on the seed of the sampling rules.
    /// Common values are a level of 0.95, and 1000 resamples. The width of an interval has a relative
    /// standard error of about 10%, because the groups are few.
    ///
    /// With [Sobol' points](crate::Design::Sobol) the intervals are usually too wide.
    ///
    /// The ends are NaN if fewer than two groups have base samples that count, or if the indices of a
    /// resample are NaN.
    ///
    /// # Errors
    /// [`SensitivityError::Level`] if the level is not between 0 and 1, and
    /// [`SensitivityError::Resamples`] if there are fewer than 2 resamples.
    pub fn intervals(
        &self,
        level: f64,
        resamples: usize,
    ) -> Result<SobolIntervals, SensitivityError> {
        let mut all = self.analysis.intervals(level, resamples)?.into_iter();
        match (all.next(), all.next()) {
            (Some(first_order), Some(total)) => Ok(SobolIntervals { first_order, total }),
            _ => unreachable!("there are two indices"),
        }
    }

    /// Returns the means of the outputs, `[time, component]`, in the units of the components.
    ///
    /// NaN without base samples.
    #[must_use]
    pub fn mean(&self) -> Array2<f64> {
        self.analysis.array(|row| if row[0] > 0.0 { row[1] } else { f64::NAN })
    }

    /// Returns the variances of the outputs, `[time, component]`.
    ///
    /// They are the denominators of the indices: the mean of the squares of the deviations, of all
    /// rows of the matrices A and B.
    #[must_use]
    pub fn variance(&self) -> Array2<f64> {
        self.analysis.array(|row| row[2] / (2.0 * row[0]))
    }
}
