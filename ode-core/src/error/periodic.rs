//! Errors of searches for periodic states.

use super::{debug_as_display, short};

debug_as_display!(PeriodicError);

/// The error of a search for periodic states.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PeriodicError {
    /// The tolerance is not positive and finite.
    #[error("a tolerance of {} for periodic states; it must be positive and finite", short(*tolerance))]
    Tolerance {
        /// The given number.
        tolerance: f64,
    },
    /// The search has too few intervals.
    #[error("{intervals} intervals for the search of a periodic state; allow at least 2")]
    Intervals {
        /// The given number.
        intervals: usize,
    },
    /// Actions of the system change modes.
    #[error(
        "actions of this system change modes, which a periodic state does not contain; use states \
         with a zero derivative instead of modes"
    )]
    Modes,
    /// Actions of the system are delayed.
    #[error(
        "actions of this system are delayed, and a periodic state does not contain the actions \
         that wait; use `#[at(…)]` for actions at known times"
    )]
    Delays,
    /// The system has random jumps.
    #[error(
        "this system has random jumps, so no state returns to itself; solve it for a long time, \
         and compute its stationary law from saved states"
    )]
    Jumps,
    /// The equations have noise.
    #[error(
        "this system has noise, so no state returns to itself; solve it for a long time, and \
         compute its stationary law from saved states"
    )]
    Noise,
    /// The trajectories have times to stop at of their own.
    #[error(
        "the ensemble has stop times of each trajectory, which a search for periodic states does \
         not support; use `SolveOptions::tstops`"
    )]
    Stops,
}
