//! Errors of Lyapunov exponents.

use super::{debug_as_display, short};

debug_as_display!(LyapunovError);

/// The error of a request for Lyapunov exponents.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LyapunovError {
    /// The number of exponents is 0 or exceeds the number of states.
    #[error("{exponents} exponents of a system with {states} states; request 1 to {states}")]
    Exponents {
        /// The requested number.
        exponents: usize,
        /// The number of states.
        states: usize,
    },
    /// The transient fraction leaves no time.
    #[error(
        "a transient of {} at each end of the time span; it must be at least 0 and below 0.5",
        short(*fraction)
    )]
    Transient {
        /// The given fraction.
        fraction: f64,
    },
    /// No segment counts.
    #[error(
        "{segments} segments, of which none is between the transients of {} at both ends; use \
         more segments",
        short(*fraction)
    )]
    Segments {
        /// The given number.
        segments: usize,
        /// The fraction of the transient.
        fraction: f64,
    },
    /// The options save states.
    #[error("Lyapunov exponents save no states; remove `saveat`, and solve again for the states")]
    Saves,
    /// The trajectories have times to stop at of their own.
    #[error(
        "the ensemble has stop times of each trajectory, which exponents do not support; use \
         `SolveOptions::tstops`"
    )]
    Stops,
    /// The equations have noise.
    #[error(
        "this system has noise, whose path each segment of the span would begin anew, so that \
         exponents would be wrong; compute them for the equations without noise"
    )]
    Noise,
}
