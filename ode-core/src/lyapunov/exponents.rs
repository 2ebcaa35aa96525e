//! The exponents of an ensemble.

use crate::solution::{ReturnCode, RunReport};
use ndarray::{Array1, Array2};

/// The number of blocks. The spread of their means gives the standard error.
pub(super) const BLOCKS: usize = 20;

/// The sums of the logarithms of growth of one trajectory.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    /// The sum in each block of segments, `[exponent * BLOCKS + block]`.
    pub(super) sums: Vec<f64>,
    /// The duration of a segment.
    pub(super) duration: f64,
    pub(super) code: ReturnCode,
}

/// Lyapunov exponents of each trajectory of an ensemble, in units of inverse time.
///
/// [`EnsembleProblem::lyapunov`](crate::EnsembleProblem::lyapunov) returns them. Exponents of a
/// trajectory that failed, or that an event ended, are NaN; [`codes`](Self::codes) has the reasons.
/// If directions become parallel within a segment, the later exponents are NaN: use
/// [more segments](super::Lyapunov::segments).
#[derive(Clone, Debug)]
pub struct LyapunovExponents {
    exponents: Array2<f64>,
    errors: Array2<f64>,
    codes: Vec<ReturnCode>,
    states: usize,
    report: RunReport,
}

impl LyapunovExponents {
    /// Computes the `k` exponents of each trajectory from sums over `segments` segments.
    pub(super) fn new(
        (k, states): (usize, usize),
        segments: usize,
        growth: &[Growth],
        report: RunReport,
    ) -> Self {
        let shape = (growth.len(), k);
        let sums = |i: usize, j: usize| match growth[i].code {
            ReturnCode::Success => &growth[i].sums[j * BLOCKS..(j + 1) * BLOCKS],
            _ => &[f64::NAN; BLOCKS][..],
        };
        let mean = |i: usize, j: usize| {
            sums(i, j).iter().sum::<f64>() / (segments as f64 * growth[i].duration)
        };
        let error = |i: usize, j: usize| {
            if segments < BLOCKS {
                return f64::NAN;
            }
            let all = mean(i, j);
            let of_block = |(block, sum): (usize, &f64)| {
                let range = block_start(block, segments)..block_start(block + 1, segments);
                sum / (range.len() as f64 * growth[i].duration) - all
            };
            let squares: f64 = sums(i, j).iter().enumerate().map(of_block).map(|d| d * d).sum();
            (squares / (BLOCKS * (BLOCKS - 1)) as f64).sqrt()
        };
        LyapunovExponents {
            exponents: Array2::from_shape_fn(shape, |(i, j)| mean(i, j)),
            errors: Array2::from_shape_fn(shape, |(i, j)| error(i, j)),
            codes: growth.iter().map(|of| of.code).collect(),
            states,
            report,
        }
    }

    /// Returns the exponents, `[trajectory, exponent]`, the largest first.
    ///
    /// Exponents that are equal, or nearly so, may be in any order.
    #[must_use]
    pub fn exponents(&self) -> &Array2<f64> {
        &self.exponents
    }

    /// Returns the standard errors of the exponents, `[trajectory, exponent]`.
    ///
    /// They follow from the means over 20 blocks of segments, which should be longer than the memory
    /// of the motion. NaN with fewer than 20 segments that count.
    #[must_use]
    pub fn standard_errors(&self) -> &Array2<f64> {
        &self.errors
    }

    /// Returns the Kaplan-Yorke dimension of each trajectory's attractor.
    ///
    /// It is `j + (l_1 + .. + l_j) / |l_(j + 1)|` for the largest `j` with a sum that is not negative (J.
    /// L. Kaplan, J. A. Yorke, Lecture Notes in Mathematics 730 (1979) 204-227). With all exponents and no
    /// negative sum it is the number of states. NaN if further exponents decide.
    #[must_use]
    pub fn kaplan_yorke(&self) -> Array1<f64> {
        self.exponents.rows().into_iter().map(|row| self.dimension(&row.to_vec())).collect()
    }

    fn dimension(&self, exponents: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (j, exponent) in exponents.iter().enumerate() {
            if exponent.is_nan() {
                return f64::NAN;
            }
            if sum + exponent < 0.0 {
                return j as f64 + sum / exponent.abs();
            }
            sum += exponent;
        }
        if exponents.len() == self.states { self.states as f64 } else { f64::NAN }
    }

    /// Returns the return code of each trajectory, of its first segment that is no success.
    pub fn codes(&self) -> &[ReturnCode] {
        &self.codes
    }

    /// Returns the report of the backend, with the times of all segments together.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.report
    }
}

/// Returns the first segment of a block, among `segments`.
pub(super) fn block_start(block: usize, segments: usize) -> usize {
    block * segments / BLOCKS
}

/// Returns the block of a segment.
pub(super) fn block_of(segment: usize, segments: usize) -> usize {
    ((segment + 1) * BLOCKS - 1) / segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solution::{Backend, Timings};

    #[test]
    fn blocks_are_consecutive() {
        for segments in [1, 7, 19, 20, 21, 800, 801, 1000] {
            for segment in 0..segments {
                let block = block_of(segment, segments);
                let range = block_start(block, segments)..block_start(block + 1, segments);
                assert!(range.contains(&segment), "{segment} of {segments}: {block} {range:?}");
            }
        }
    }

    fn exponents(sums: &[f64], states: usize) -> LyapunovExponents {
        let report = RunReport::new(Backend::Other { name: "none".to_owned() }, Timings::default());
        let (sums, code) = (sums.to_vec(), ReturnCode::Success);
        let k = sums.len() / BLOCKS;
        LyapunovExponents::new((k, states), 40, &[Growth { sums, duration: 0.5, code }], report)
    }

    #[test]
    fn means_and_errors_are_of_blocks() {
        // Blocks of two segments and one unit of time, with rates of 1 and 3.
        let sums: Vec<f64> = (0..BLOCKS).map(|block| 1.0 + 2.0 * (block % 2) as f64).collect();
        let found = exponents(&sums, 1);
        assert_eq!(found.exponents()[[0, 0]], 2.0);
        assert!((found.standard_errors()[[0, 0]] - 1.0 / 19.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn dimensions_are_by_definition() {
        let dimension = |exponents: &[f64], states| {
            let sums: Vec<f64> = exponents.iter().flat_map(|rate| [*rate; BLOCKS]).collect();
            super::tests::exponents(&sums, states).kaplan_yorke()[0]
        };
        assert!((dimension(&[0.9, 0.0, -14.4], 3) - (2.0 + 0.9 / 14.4)).abs() < 1e-12);
        assert_eq!(dimension(&[-1.0, -2.0], 2), 0.0);
        assert_eq!(dimension(&[1.0, -1.0], 2), 2.0);
        assert!(dimension(&[1.0, -0.5], 3).is_nan() && dimension(&[f64::NAN], 1).is_nan());
    }
}
