//! The codes of lanes for how a trajectory ended.

pub use device::*;

#[ode_macros::device(code)]
mod device {
    /// The trajectory reached its end, or has not ended yet.
    pub const SUCCESS: u64 = 0;
    /// The trajectory used up its steps.
    pub const MAX_STEPS: u64 = 1;
    /// The trajectory needed steps too small to advance time.
    pub const DT_MIN: u64 = 2;
    /// The state or its derivative is infinite or NaN.
    pub const NON_FINITE: u64 = 3;
    /// A linear system of an implicit method had no solution, however small the step, or with the
    /// step that was given.
    pub const SINGULAR: u64 = 4;
    /// The nonlinear equations of an implicit method were not solved, however small the step, or
    /// with the step that was given.
    pub const DIVERGED: u64 = 5;
    /// No consistent initial state was found: one that solves the algebraic equations.
    pub const INCONSISTENT: u64 = 6;
    /// The solution leaves its domain, however small the step, or with the step that was given.
    pub const OUTSIDE: u64 = 7;
    /// No end: the trajectory is to begin anew, and to watch for growth.
    pub const ANEW: u64 = 8;
    /// An event ended the trajectory.
    pub const TERMINATED: u64 = 9;
}
