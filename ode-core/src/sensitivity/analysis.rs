//! The sums of an analysis, and its results with bootstrap intervals.

use super::groups::{Groups, Rows, Sums, joined};
use crate::error::SensitivityError;
use crate::evaluation::EvaluationThreads;
use crate::solution::{ReturnCode, RunReport};
use ndarray::{Array2, Array3};
use std::sync::Arc;

/// The sums of the outputs of an analysis, with the names of all axes.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    pub(super) inputs: Vec<String>,
    /// The names of the components.
    pub(super) names: Vec<String>,
    /// The saved times; empty for final states.
    pub(super) times: Vec<f64>,
    /// The number of trajectories of a base sample.
    pub(super) group: usize,
    pub(super) groups: Groups,
    pub(super) seed: u64,
    /// The sums of each output, `[time * width + component]`.
    pub(super) sums: Vec<Sums>,
    /// The number of trajectories with each return code.
    pub(super) codes: Vec<u64>,
    /// The number of base samples that were solved.
    pub(super) bases: u64,
    /// The number of base samples with a failed trajectory.
    pub(super) left_out: u64,
    pub(super) rows: Arc<dyn Rows>,
    pub(super) report: Option<RunReport>,
}

/// Compares all bits, and not the report of the backend.
impl PartialEq for Analysis {
    fn eq(&self, other: &Analysis) -> bool {
        let numbers = |of: &Analysis| (of.groups, of.seed, of.group, of.bases, of.left_out);
        let bits = |of: &Analysis| of.times.iter().map(|t| t.to_bits()).collect::<Vec<_>>();
        numbers(self) == numbers(other)
            && (&self.inputs, &self.names, bits(self)) == (&other.inputs, &other.names, bits(other))
            && (&self.codes, &self.sums) == (&other.codes, &other.sums)
    }
}

/// Implements the functions that the results of all analyses have.
macro_rules! results_of_analysis {
    ($results:ident) => {
        impl $results {
            /// Returns the names of the inputs, such as `p.rate` and `u0.amount`, in the order of
            /// their rules.
            #[must_use]
            pub fn inputs(&self) -> &[String] {
                &self.analysis.inputs
            }

            /// Returns the index of an input on the first axis.
            ///
            /// # Errors
            /// [`SensitivityError::Unknown`] if no input has this name.
            pub fn input(&self, name: &str) -> Result<usize, SensitivityError> {
                Analysis::index("input", &self.analysis.inputs, name)
            }

            /// Returns the saved times, in units of time.
            ///
            /// Empty if the components are final states.
            #[must_use]
            pub fn times(&self) -> &[f64] {
                &self.analysis.times
            }

            /// Returns the names of the components: states, then observables.
            #[must_use]
            pub fn names(&self) -> &[String] {
                &self.analysis.names
            }

            /// Returns the index of a component on the last axis.
            ///
            /// # Errors
            /// [`SensitivityError::Unknown`] if no saved number has this name.
            pub fn component(&self, name: &str) -> Result<usize, SensitivityError> {
                Analysis::index("component", &self.analysis.names, name)
            }

            /// Returns the number of base samples, including those that were left out.
            #[must_use]
            pub fn base_samples(&self) -> u64 {
                self.analysis.bases
            }

            /// Returns the number of base samples that have a failed trajectory.
            ///
            /// They contribute to no result.
            #[must_use]
            pub fn left_out(&self) -> u64 {
                self.analysis.left_out
            }

            /// Returns the number of base samples behind each result, `[time, component]`.
            #[must_use]
            pub fn count(&self) -> ndarray::Array2<u64> {
                self.analysis.array(|row| row[0] as u64)
            }

            /// Returns the number of trajectories with each return code that occurred.
            pub fn code_counts(&self) -> impl Iterator<Item = ($crate::ReturnCode, u64)> {
                let counts = self.analysis.codes.iter().copied();
                let counts = $crate::ReturnCode::ALL.iter().copied().zip(counts);
                counts.filter(|(_, count)| *count > 0)
            }

            /// Returns the report of the backend.
            #[must_use]
            pub fn report(&self) -> Option<&$crate::RunReport> {
                self.analysis.report.as_ref()
            }
        }
    };
}
pub(super) use results_of_analysis;

/// A confidence interval of each result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The lower ends, `[input, time, component]`.
    pub low: Array3<f64>,
    /// The upper ends, `[input, time, component]`.
    pub high: Array3<f64>,
}

impl Analysis {
    /// Creates the analysis of no base samples.
    ///
    /// A base sample has `group` trajectories, and `bases` is the number of base samples.
    pub(super) fn new(
        inputs: Vec<String>,
        (bases, group): (usize, usize),
        seed: u64,
        rows: Arc<dyn Rows>,
    ) -> Self {
        Analysis {
            inputs,
            names: Vec::new(),
            times: Vec::new(),
            group,
            groups: Groups::of(bases as u64),
            seed,
            sums: Vec::new(),
            codes: vec![0; ReturnCode::ALL.len()],
            bases: 0,
            left_out: 0,
            rows,
            report: None,
        }
    }

    /// Returns the number of trajectories that were solved, including failed ones.
    pub(super) fn trajectories(&self) -> u64 {
        self.codes.iter().sum()
    }

    /// Sets the names of the components and the saved times.
    pub(super) fn begin(&mut self, names: Vec<String>, times: Vec<f64>) {
        self.sums = vec![self.groups.sums(); names.len() * times.len().max(1)];
        (self.names, self.times) = (names, times);
    }

    /// Returns the index of a name.
    pub(super) fn index(
        kind: &'static str,
        known: &[String],
        name: &str,
    ) -> Result<usize, SensitivityError> {
        known.iter().position(|known| known == name).ok_or_else(|| SensitivityError::Unknown {
            kind,
            name: name.to_owned(),
            known: known.to_vec(),
        })
    }

    /// Returns the shape of an array of results.
    fn shape(&self) -> (usize, usize, usize) {
        (self.inputs.len(), self.times.len().max(1), self.names.len())
    }

    /// Returns a number of the row of each output, `[time, component]`.
    pub(super) fn array<V>(&self, of: impl Fn(&[f64]) -> V) -> Array2<V> {
        let (_, times, width) = self.shape();
        let row = |sums: &Sums| {
            let groups = sums.rows(&*self.rows);
            joined(&*self.rows, &groups, &vec![1; groups.len()])
        };
        let values = self.sums.iter().map(|sums| of(&row(sums))).collect();
        match Array2::from_shape_vec((times, width), values) {
            Ok(array) => array,
            Err(error) => unreachable!("there are sums for each time and component: {error}"),
        }
    }

    /// Returns a result, `[input, time, component]`.
    pub(super) fn result(&self, which: usize) -> Array3<f64> {
        let inputs = self.inputs.len();
        let results = self.array(|row| {
            let mut out = vec![0.0; self.rows.results() * inputs];
            self.rows.write_results(row, &mut out);
            out.split_off(which * inputs)
        });
        Array3::from_shape_fn(self.shape(), |(input, time, d)| results[[time, d]][input])
    }

    /// Returns the percentile intervals of all results by `resamples` resamples of the groups.
    ///
    /// NaN if fewer than two groups have base samples that count.
    ///
    /// # Errors
    /// If the level is not between 0 and 1, or if there are fewer than 2 resamples.
    pub(super) fn intervals(
        &self,
        level: f64,
        resamples: usize,
    ) -> Result<Vec<Interval>, SensitivityError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(SensitivityError::Level { level });
        }
        if resamples < 2 {
            return Err(SensitivityError::Resamples { resamples });
        }
        let rows = &*self.rows;
        let all: Vec<Vec<u32>> = (0..resamples)
            .map(|resample| self.groups.resample(self.seed, resample, self.bases))
            .collect();
        let width = rows.results() * self.inputs.len();
        let of_output = |at: usize| {
            let groups = self.sums[at].rows(rows);
            if groups.iter().filter(|row| row[0] > 0.0).count() < 2 {
                // All resamples are equal.
                return vec![[f64::NAN; 2]; width];
            }
            let mut found = vec![0.0; width * resamples];
            let mut results = vec![0.0; width];
            for (b, times) in all.iter().enumerate() {
                rows.write_results(&joined(rows, &groups, times), &mut results);
                for (k, result) in results.iter().enumerate() {
                    found[k * resamples + b] = *result;
                }
            }
            let ends = found.chunks_exact_mut(resamples).map(|found| {
                found.sort_unstable_by(f64::total_cmp);
                [(1.0 - level) / 2.0, (1.0 + level) / 2.0].map(|q| quantile(found, q))
            });
            ends.collect::<Vec<[f64; 2]>>()
        };
        let ends = EvaluationThreads::Pool.collect(self.sums.len(), &of_output);
        let (inputs, _, names) = self.shape();
        let array = |result: usize, end: usize| {
            Array3::from_shape_fn(self.shape(), |(input, time, d)| {
                ends[time * names + d][result * inputs + input][end]
            })
        };
        let interval = |result| Interval { low: array(result, 0), high: array(result, 1) };
        Ok((0..rows.results()).map(interval).collect())
    }
}

/// Returns a quantile of sorted numbers, by linear interpolation; NaN if there is a NaN.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    if sorted.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    let position = level * (sorted.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * position.fract()
}
