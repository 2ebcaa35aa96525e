//! The codes of a trajectory's end in lane programs.
//!
//! They are the numbers of [`ReturnCode`](crate::ReturnCode).

pub use device::*;

/// The solve was cancelled before the trajectory was solved; lanes do not end with this code.
pub const CANCELLED: u64 = 10;

/// No result: the backend has not solved the trajectory; lanes do not end with this code.
pub const UNSOLVED: u64 = 14;

#[ode_macros::device(code)]
mod device {
    /// The trajectory reached its end, or has not ended yet.
    pub const SUCCESS: u64 = 0;
    /// An event ended the trajectory.
    pub const TERMINATED: u64 = 1;
    /// The trajectory reached the largest number of steps.
    pub const MAX_STEPS: u64 = 2;
    /// The trajectory needed steps too small to advance time.
    pub const DT_MIN: u64 = 3;
    /// The state, its derivative or the time span is not finite.
    ///
    /// A NaN among the parameters and a negative delay of an action give this code, too.
    pub const NON_FINITE: u64 = 4;
    /// A linear system of an implicit method had no solution.
    ///
    /// It had none however small the step, or with the given step. The other cause of this code is
    /// a pole of the right-hand side at a time to stop at.
    pub const SINGULAR: u64 = 5;
    /// The nonlinear equations of an implicit method were not solved.
    ///
    /// They were not solved however small the step, or with the given step.
    pub const DIVERGED: u64 = 6;
    /// No consistent initial state was found: one that solves the algebraic equations.
    pub const INCONSISTENT: u64 = 7;
    /// The solution leaves its domain, however small the step, or with the given step.
    pub const OUTSIDE: u64 = 8;
    /// The times of actions converged, until time no longer advanced.
    ///
    /// Or too many delayed actions waited.
    pub const TOO_MANY_EVENTS: u64 = 9;
    /// The trajectory has no gradient: an event function only touches zero, or times coincide.
    pub const GRAZING: u64 = 11;
    /// The rate of a jump was negative or above its bound, or the bound was no rate.
    pub const RATE: u64 = 12;
    /// Not an end: the trajectory restarts and tests for growth.
    pub const ANEW: u64 = 15;
}
