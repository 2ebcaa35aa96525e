//! Results of summaries with weights.

use super::histogram::Histogram;
use super::summaries::Summaries;
use super::weighted::{self, RowForm};
use crate::error::SummaryError;
use ndarray::{Array1, Array2};

impl Summaries {
    /// Returns the sums of the weights, `[time, component]`.
    ///
    /// Without weights these are the numbers of values. The sum divided by
    /// [`trajectories`](Self::trajectories) estimates the mean of a weight, and with a
    /// [condition](super::Summary::given) the probability of the condition by importance sampling.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::mean`](super::Summary::mean).
    pub fn total_weight(&self) -> Result<Array2<f64>, SummaryError> {
        self.sums(|_, row| row[0])
    }

    /// Returns the effective numbers of values, `[time, component]`.
    ///
    /// The number is `(sum w)^2 / sum w^2` of the weights `w` (L. Kish, "Survey Sampling", Wiley,
    /// 1965). A number far below [`count`](Self::count) means that a few trajectories decide the
    /// statistics. Without weights it is the number of values.
    ///
    /// # Errors
    /// As [`total_weight`](Self::total_weight).
    pub fn effective_count(&self) -> Result<Array2<f64>, SummaryError> {
        self.sums(RowForm::effective)
    }

    /// Returns an array of a function of the rows of moments, and 0 without trajectories.
    fn sums(&self, of: impl Fn(RowForm, &[f64]) -> f64) -> Result<Array2<f64>, SummaryError> {
        let sums = self.of_moments("mean", "mean()", of)?;
        Ok(sums.mapv_into(|sum| if self.ranges.is_empty() { 0.0 } else { sum }))
    }

    /// Returns the histogram of a component, with the sum of the weights of each bin.
    ///
    /// Sums have a resolution of `2^-64` for each trajectory.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::weighted_by`](super::Summary::weighted_by),
    /// [`SummaryError::WeightScale`] if the weights are far from 1, and the errors of
    /// [`histogram`](Self::histogram).
    pub fn weighted_histogram(&self, component: &str) -> Result<HistogramWeights, SummaryError> {
        if self.statistics.weight.is_none() {
            let (what, call) = ("weights", "weighted_by(component)");
            return Err(SummaryError::NotRequested { what, call });
        }
        let at = self.component(component)?;
        let (grid, bins) = self.bins(at)?;
        let count = self.count();
        for (slot, bins) in bins.iter().enumerate() {
            let total = bins.weights.iter().fold(0, |sum: u128, more| sum.saturating_add(*more));
            weighted::check_scale(total, count[[slot, at]])?;
        }
        let last = grid.edges().len();
        let weight = |slot: usize, k: usize| weighted::weight(bins[slot].weights[k]);
        Ok(HistogramWeights {
            weights: Array2::from_shape_fn((bins.len(), last - 1), |(slot, k)| weight(slot, k + 1)),
            below: (0..bins.len()).map(|slot| weight(slot, 0)).collect(),
            above: (0..bins.len()).map(|slot| weight(slot, last)).collect(),
            grid,
        })
    }
}

/// The weights of a histogram at each saved time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistogramWeights {
    /// The grid.
    pub grid: Histogram,
    /// The sums of weights, `[time, bin]`.
    pub weights: Array2<f64>,
    /// The weights of values below the grid, `[time]`.
    pub below: Array1<f64>,
    /// The weights of values above the grid, `[time]`.
    pub above: Array1<f64>,
}
