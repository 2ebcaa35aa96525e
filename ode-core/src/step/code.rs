//! The codes of lanes for how a trajectory ended, which are the numbers of
//! [`ReturnCode`](crate::ReturnCode).

pub use device::*;

#[ode_macros::device(code)]
mod device {
    /// The trajectory reached its end, or has not ended yet.
    pub const SUCCESS: u64 = 0;
    /// An event ended the trajectory.
    pub const TERMINATED: u64 = 1;
    /// The trajectory used up its steps.
    pub const MAX_STEPS: u64 = 2;
    /// The trajectory needed steps too small to advance time.
    pub const DT_MIN: u64 = 3;
    /// The state or its derivative is infinite or NaN, or a parameter is NaN, or the time span is
    /// not finite.
    pub const NON_FINITE: u64 = 4;
    /// A linear system of an implicit method had no solution, however small the step, or with the
    /// step that was given; or the right-hand side has a pole at a time to stop at.
    pub const SINGULAR: u64 = 5;
    /// The nonlinear equations of an implicit method were not solved, however small the step, or
    /// with the step that was given.
    pub const DIVERGED: u64 = 6;
    /// No consistent initial state was found: one that solves the algebraic equations.
    pub const INCONSISTENT: u64 = 7;
    /// The solution leaves its domain, however small the step, or with the step that was given.
    pub const OUTSIDE: u64 = 8;
    /// Actions of events came ever closer, until time stood still.
    pub const TOO_MANY_EVENTS: u64 = 9;
    /// No end: the trajectory is to begin anew, and to watch for growth.
    pub const ANEW: u64 = 15;
}
