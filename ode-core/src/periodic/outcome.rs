//! The outcome of a search for a periodic state.

use crate::solution::ReturnCode;

/// The outcome of a search for a periodic state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum PeriodicOutcome {
    /// The state returns to itself within the tolerance.
    Converged,
    /// The search used up its [intervals](super::PeriodicSearch::most_intervals).
    ///
    /// The period may have no such state, or the solve is not accurate enough for a smaller
    /// correction.
    NotConverged,
    /// A solve over an interval failed, or an event ended it.
    Failed(ReturnCode),
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) state: Vec<f64>,
    pub(super) outcome: PeriodicOutcome,
    pub(super) residual: f64,
    pub(super) intervals: usize,
}
