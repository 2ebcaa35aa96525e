//! Errors of summaries.

use super::{debug_as_display, listed, short};
use core::ops::Range;

debug_as_display!(SummaryError);

/// The error of a [`Summary`](crate::summary::Summary) or of its results.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The summary does not contain a statistic.
    #[error("the summary has no {what}; add `.{call}` to `Summary::new()`")]
    NotRequested {
        /// The statistic.
        what: &'static str,
        /// The function that adds it.
        call: &'static str,
    },
    /// A quantile is not a fraction of the population.
    #[error("the quantile {} is not between 0 and 1; the median is 0.5", short(*quantile))]
    Quantile {
        /// The given number.
        quantile: f64,
    },
    /// The number of mantissa bits of quantiles is out of range.
    #[error(
        "quantiles with {bits} bits of the mantissa; use {least} to {most} bits, where m bits \
         make relative errors of at most 2^-(m+1)"
    )]
    Bits {
        /// The given number of bits.
        bits: u32,
        /// The smallest number.
        least: u32,
        /// The largest number.
        most: u32,
    },
    /// The edges of a histogram are not finite and increasing, or there is no bin.
    #[error(
        "a histogram with {bins} bins from {} to {}; its edges must be finite and increase, and \
         it needs 1 to {most} bins",
        short(*lo), short(*hi)
    )]
    Histogram {
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
        /// The number of bins.
        bins: usize,
        /// The largest number of bins.
        most: usize,
    },
    /// The batch size is 0.
    #[error("batch_size is 0; a batch has at least one trajectory")]
    BatchSize,
    /// The summary has no component of this name.
    #[error("there is no component `{name}` among the saved numbers, which are {}", listed(.known))]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of the saved numbers.
        known: Vec<String>,
    },
    /// The system has no event of this name.
    #[error("there is no event `{name}` among the events of the system, which are {}", listed(.known))]
    UnknownEvent {
        /// The requested name.
        name: String,
        /// The events of the system.
        known: Vec<String>,
    },
    /// Times of events are requested, and the solve has no log.
    #[error("times of events come from the log; set its size by `SolveOptions::event_log`")]
    NoLog,
    /// The log of a trajectory is full before the last requested time of an event.
    #[error(
        "the log of trajectory {trajectory} has {slots} slots, and lacks a requested time of an \
         event; raise the capacity of `event_log`"
    )]
    LogFull {
        /// The index of the trajectory.
        trajectory: u64,
        /// The number of events that the log holds.
        slots: usize,
    },
    /// The interval of a condition is empty.
    #[error(
        "the condition on `{name}` contains no number between {} and {}; the lower end comes first",
        short(*lo), short(*hi)
    )]
    Condition {
        /// The component or event.
        name: String,
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
    },
    /// The weight of a trajectory is negative or infinite.
    #[error(
        "the weight `{name}` of trajectory {trajectory} is {}; weights are finite and not \
         negative, and 0 leaves a trajectory out",
        short(*weight)
    )]
    Weight {
        /// The component that is the weight.
        name: String,
        /// The weight.
        weight: f64,
        /// The index of the trajectory.
        trajectory: u64,
    },
    /// The sum of the weights does not fit the integers of quantiles and histograms.
    #[error(
        "the weights of {count} trajectories have the sum {}, and the counters of weights resolve \
         2^-64 and end at 2^64; multiply the weights by a constant, so that their mean is about 1",
        short(*total)
    )]
    WeightScale {
        /// The sum of the weights, as counted.
        total: f64,
        /// The number of trajectories.
        count: u64,
    },
    /// Exact quantiles have weights.
    #[error(
        "exact quantiles have no weights; use `.quantiles(…)` with `.weighted_by(…)`, or remove \
         the weights"
    )]
    ExactWeights,
    /// Summaries with exact quantiles cannot be merged.
    #[error(
        "summaries with exact quantiles cannot be merged, since each pass needs all trajectories; \
         use `.quantiles(…)`, or reduce the whole ensemble, for example by `EnsembleDistributed`"
    )]
    ExactMerge,
    /// The passes of exact quantiles had different values.
    #[error(
        "a pass of exact quantiles found {found} values where the pass before found {expected}; \
         closures must return the same problem for the same index"
    )]
    Passes {
        /// The number of values in the pass before.
        expected: u64,
        /// The number of values in this pass.
        found: u64,
    },
    /// The solve was cancelled before the passes of exact quantiles finished.
    #[error("the solve was cancelled before its last pass, so it has no exact quantiles")]
    Unfinished,
    /// The trajectories have different saved times.
    #[error(
        "a summary needs the same saved times for all trajectories, and {why}; give a list of \
         times that lie in each time span"
    )]
    Times {
        /// The cause.
        why: &'static str,
    },
    /// Two summaries belong to different solves.
    #[error(
        "summaries of different solves cannot be merged: `{what}` is `{theirs}` in one and \
         `{ours}` in the other"
    )]
    Different {
        /// The first difference.
        what: String,
        /// The value in the summary that is merged.
        theirs: String,
        /// The value in the summary that receives it.
        ours: String,
    },
    /// Two summaries contain the same trajectories.
    #[error(
        "both summaries contain the trajectories {} to {}; merge summaries of disjoint shards",
        both.start, both.end - 1
    )]
    Overlap {
        /// The first range of indices that both contain.
        both: Range<u64>,
    },
    /// A count exceeds the largest count.
    #[error("the summary counts {trajectories} trajectories; the maximum is 2^53")]
    TooMany {
        /// The number of trajectories, or the largest index plus one.
        trajectories: u64,
    },
    /// Stored data do not form a summary.
    #[error("the stored summary is damaged: {what}")]
    Damaged {
        /// The first inconsistency.
        what: &'static str,
    },
}
