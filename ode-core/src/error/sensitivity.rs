//! Errors of sensitivity analyses.

use super::{debug_as_display, listed, short};

debug_as_display!(SensitivityError);

/// The error of a sensitivity analysis or of its results.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// No quantity has a distribution.
    #[error(
        "the ensemble has no random inputs; sample at least one quantity from a distribution: \
         `.sample(Samples::seed(1).p(\"rate\", Uniform(0.0, 1.0)))`"
    )]
    NoInputs,
    /// A rule gives values by the index of the trajectory, and not by chance.
    #[error(
        "the values of {which} follow `{rule}`, which is no distribution; use a distribution, such \
         as `Uniform`, or a constant"
    )]
    ByIndex {
        /// The quantity.
        which: String,
        /// The rule.
        rule: &'static str,
    },
    /// The ensemble has data that do not fit the design of the analysis.
    #[error(
        "the ensemble has {of}, and the analysis makes its own trajectories from sampling rules; \
         remove {of}"
    )]
    Ensemble {
        /// The data: rows, a grid or a shard.
        of: &'static str,
    },
    /// The equations have noise.
    #[error(
        "this system has noise or random jumps, which each trajectory of the design would draw \
         anew, so that the indices would contain it; set `noise_paths(1)` for the indices on one \
         path"
    )]
    Noise,
    /// The design has more trajectories than can be counted.
    #[error(
        "{base_samples} base samples of {group} trajectories each are too many; the maximum is \
         2^53 trajectories"
    )]
    TooMany {
        /// The number of base samples.
        base_samples: usize,
        /// The number of trajectories of a base sample.
        group: usize,
    },
    /// The trajectories have different saved times.
    #[error(
        "a sensitivity analysis needs the same saved times for all trajectories, and {why}; give a \
         list of times that lie in each time span"
    )]
    Times {
        /// The cause.
        why: &'static str,
    },
    /// The batch size is 0.
    #[error("batch_size is 0; a batch has at least one trajectory")]
    BatchSize,
    /// The number of resamples of a bootstrap is too small.
    #[error("a bootstrap of {resamples} resamples; an interval needs at least 2")]
    Resamples {
        /// The given number.
        resamples: usize,
    },
    /// The level of a confidence interval is out of range.
    #[error("the confidence level {} is not between 0 and 1; 0.95 is usual", short(*level))]
    Level {
        /// The given number.
        level: f64,
    },
    /// The number of levels of Morris's design is odd or out of range.
    #[error("{levels} levels; Morris's design needs an even number from 2 to {most}")]
    Levels {
        /// The given number.
        levels: usize,
        /// The largest number.
        most: usize,
    },
    /// The analysis has no input or output of this name.
    #[error("there is no {kind} `{name}`; the {kind}s are {}", listed(.known))]
    Unknown {
        /// `input` or `output`.
        kind: &'static str,
        /// The requested name.
        name: String,
        /// The names of the analysis.
        known: Vec<String>,
    },
}
