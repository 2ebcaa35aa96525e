//! Return codes of trajectories.

use crate::step::code;
use crate::step::switching;
use core::fmt;

/// The outcome of a trajectory.
///
/// [`message`](ReturnCode::message) returns a sentence with an explanation and a remedy.
///
/// ```
/// # use ode_core::{EnsembleSolution, system::System};
/// use ode_core::ReturnCode;
/// # fn of<S: System<2, 1>>(solution: &EnsembleSolution<S, f64, 2, 1>) {
///
/// for trajectory in solution {
///     let code = trajectory.code();
///     if !code.is_success() {
///         println!("trajectory {}: {code}: {}", trajectory.index(), code.message());
///     }
/// }
/// # }
///
/// assert!(ReturnCode::Success.is_success());
/// assert_eq!(ReturnCode::MaxSteps.to_string(), "MaxSteps");
/// assert!(ReturnCode::MaxSteps.message().contains("stiff"));
/// ```
///
/// Files contain the numbers (`code as u8`). The numbers do not change between releases.
///
/// | code | in SciML (`SciMLBase.ReturnCode`) |
/// |---|---|
/// | `Success` | `Success` |
/// | `Terminated` | `Terminated` |
/// | `MaxSteps` | `MaxIters` |
/// | `DtMin` | `DtLessThanMin` |
/// | `NonFinite` | `Unstable` |
/// | `Singular` | none: `Failure`, or `DtLessThanMin` after shorter and shorter steps |
/// | `NewtonDiverged` | `ConvergenceFailure` |
/// | `Inconsistent` | `InitialFailure` |
/// | `OutOfDomain` | none: `isoutofdomain` ends with `DtLessThanMin` or `MaxIters` |
/// | `TooManyEvents` | none: the solve does not end |
/// | `Cancelled` | `MaxTime` for a limit of time, else none |
/// | `Grazing` | none: gradients are numbers there |
/// | `RateOutOfBounds` | none: an exception, or a wrong law |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
#[repr(u8)]
pub enum ReturnCode {
    /// The trajectory reached the end of its time span and passed all checks.
    ///
    /// The estimated error of each adaptive step was within the tolerances. (Errors of fixed steps
    /// are not estimated.) The state stayed finite and in its domain. The linear and nonlinear
    /// equations had solutions. The final time is exactly the end of the time span.
    ///
    /// This does not bound the error at the end. A step may also have passed over a feature of the
    /// solution: see [`guarded`](crate::EnsembleSolution::guarded),
    /// [`held_unstable`](crate::EnsembleSolution::held_unstable) and the page
    /// `odes::docs::what_success_means`.
    Success = code::SUCCESS as u8,
    /// An [event](crate::system::Events) with `stop` ended the trajectory.
    ///
    /// The final state and the end time are the state and the time of the event.
    Terminated = code::TERMINATED as u8,
    /// The trajectory used up [`max_steps`](crate::SolveOptions::max_steps()).
    MaxSteps = code::MAX_STEPS as u8,
    /// The trajectory needed a step that was too small.
    ///
    /// The step was at most [`dtmin`](crate::SolveOptions::dtmin()), or too small to advance time.
    DtMin = code::DT_MIN as u8,
    /// The state or its derivative became infinite or NaN.
    ///
    /// At the beginning of a trajectory it may also mean that a parameter is NaN, or that the time
    /// span is not finite. At an event it may also mean that the delay of its action is negative.
    NonFinite = code::NON_FINITE as u8,
    /// The linear equations of an implicit method had no solution.
    ///
    /// Or adaptive steps in `f64` met a pole of the right-hand side at a time to stop at, such as
    /// the pole of `1.0 / (t - p[0])`.
    Singular = code::SINGULAR as u8,
    /// The nonlinear iteration of an implicit method did not converge.
    ///
    /// Even the shortest step did not help.
    NewtonDiverged = code::DIVERGED as u8,
    /// Consistent initialisation failed.
    ///
    /// The solver found no initial state that solves the algebraic equations.
    Inconsistent = code::INCONSISTENT as u8,
    /// The solution leaves the domain of the system, even with the shortest step.
    ///
    /// With fixed steps, a step left the domain.
    OutOfDomain = code::OUTSIDE as u8,
    /// Events with actions followed each other ever faster, until time did not advance.
    ///
    /// An example is a ball that loses a part of its speed at each bounce. The final state is the
    /// state of the last event. Or more than 8 delayed actions waited for their times.
    TooManyEvents = code::TOO_MANY_EVENTS as u8,
    /// The solve was [cancelled](crate::EnsembleWatched), or its time was over, before the
    /// trajectory was solved.
    ///
    /// The states and times of its results are NaN, and its counts are 0.
    Cancelled = code::CANCELLED as u8,
    /// A gradient does not exist or is not computed, since the function of an event only touches
    /// zero, or events or jumps of the right-hand side with different causes coincide.
    ///
    /// Solves do not return this code. The trajectory itself was a success, but the time of the
    /// event or jump has no single derivative there. See [`saltation`](crate::integrate::saltation).
    Grazing = code::GRAZING as u8,
    /// The rate of a [jump](crate::integrate::thinning) was negative, NaN, or above its bound.
    ///
    /// Or its bound was negative, infinite or NaN. The final state and the end time are those of the
    /// candidate at which the rate was evaluated, or of the time at which the bound was evaluated.
    RateOutOfBounds = code::RATE as u8,
}

impl ReturnCode {
    /// All codes, in the order of their numbers.
    pub const ALL: &'static [ReturnCode] = &[
        ReturnCode::Success,
        ReturnCode::Terminated,
        ReturnCode::MaxSteps,
        ReturnCode::DtMin,
        ReturnCode::NonFinite,
        ReturnCode::Singular,
        ReturnCode::NewtonDiverged,
        ReturnCode::Inconsistent,
        ReturnCode::OutOfDomain,
        ReturnCode::TooManyEvents,
        ReturnCode::Cancelled,
        ReturnCode::Grazing,
        ReturnCode::RateOutOfBounds,
    ];

    /// Returns a sentence on the outcome and its remedy.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            ReturnCode::Success => {
                "the trajectory reached the end of the time span; if steps were adaptive, their \
                 estimated errors were within the tolerances, which bound the error of each step \
                 and not the error at the end"
            }
            ReturnCode::Terminated => "an event ended the trajectory",
            ReturnCode::MaxSteps => {
                "the trajectory used up `max_steps`: allow more steps, loosen the tolerances, or \
                 use a method for stiff systems if there were far more steps than the solution \
                 has features; if the right-hand side jumps with the state, as `signum` does, no \
                 method steps along the jump, so smooth it or write an event"
            }
            ReturnCode::DtMin => {
                "the solution needed a step below `dtmin`, or too small to advance time: it may \
                 have a singularity there, or stay where the right-hand side jumps; amounts below \
                 `abstol` may have become negative (reduce `abstol`); or the tolerances are too \
                 tight for the precision"
            }
            ReturnCode::NonFinite => {
                "the state or its derivative became infinite or NaN: the solution blows up, or \
                 the right-hand side divides by zero or leaves the domain of a function there; or \
                 the derivatives of the right-hand side are infinite, as for `sqrt(u)` at zero \
                 (explicit methods do not need them); or, at the start, a parameter is NaN or the \
                 time span is not finite; or the delay of an action is NaN or negative"
            }
            ReturnCode::Singular => {
                "a linear system of the implicit method had no solution: the Jacobian may not be \
                 finite there, as for `sqrt(u)` at zero (use an explicit method); or the \
                 algebraic equations do not determine the algebraic unknowns (index above 1); or \
                 the right-hand side has a pole at that time, as `1 / (t - p)` has"
            }
            ReturnCode::NewtonDiverged => {
                "the nonlinear iteration of the implicit method did not converge: use a \
                 Rosenbrock method, which does not iterate, a smaller `abstol` if amounts below \
                 it became negative, or shorter steps if they are fixed"
            }
            ReturnCode::Inconsistent => {
                "no initial state was found that satisfies the algebraic equations: start nearer \
                 to one that does"
            }
            ReturnCode::OutOfDomain => {
                "the solution leaves the domain of the system: check `is_out_of_domain` and the \
                 parameters, or use shorter steps if they are fixed"
            }
            ReturnCode::TooManyEvents => {
                "the time between two actions fell below the resolution of `t`, more than 64 \
                 times in a row: the trajectory is probably in contact, as a ball at rest on the \
                 ground or a relay that switches at one level, or its bounces became ever \
                 shorter; stop it earlier with an event, such as a speed that falls below a \
                 limit, or model the contact with a mode; or more than 8 delayed actions waited: \
                 shorten the delay"
            }
            ReturnCode::Cancelled => {
                "the solve was cancelled, or its time was over, before this trajectory was \
                 solved: solve again with a new token or a longer time limit"
            }
            ReturnCode::RateOutOfBounds => {
                "the rate of a jump was negative, NaN or above its bound, or the bound was \
                 negative, infinite or NaN: a bound must hold up to the next candidate or action, \
                 and exceed rates by the errors of the state; limit rates to zero by `max(0.0)`"
            }
            ReturnCode::Grazing => {
                "the gradient does not exist or is not computed: the function of an event with an \
                 action or with `stop` only touches zero, or events or jumps of the right-hand \
                 side with different causes coincide, so a small change of a parameter removes \
                 the event or separates them; use other initial states or parameters"
            }
        }
    }

    /// Returns whether the trajectory is a solution.
    ///
    /// A solution reached the end of its time span, or an event ended it.
    #[must_use]
    pub fn is_success(self) -> bool {
        matches!(self, ReturnCode::Success | ReturnCode::Terminated)
    }

    /// Decodes a number of the lanes.
    ///
    /// Kernels and [`RawResults::codes`](crate::RawResults::codes) have such numbers, which may
    /// also carry the bits of a method that switches.
    ///
    /// ```
    /// use ode_core::ReturnCode;
    ///
    /// let code = ReturnCode::MaxSteps;
    /// assert_eq!(ReturnCode::from_lane(code as u8), code);
    /// ```
    pub fn from_lane(number: u8) -> Self {
        // Lanes return no other numbers. If they did, the number must not count as a success.
        ReturnCode::decoded(number).unwrap_or(ReturnCode::NonFinite)
    }

    /// Decodes a number; `None` if no trajectory ends with it.
    pub(crate) fn decoded(number: u8) -> Option<Self> {
        let number = number & (switching::USED - 1) as u8;
        ReturnCode::ALL.get(usize::from(number)).copied()
    }
}

/// The name of the code; [`ReturnCode::message`] is a sentence.
impl fmt::Display for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files contain the numbers, so they must not change.
    #[test]
    fn numbers_are_fixed() {
        let numbers: Vec<(u8, String)> =
            ReturnCode::ALL.iter().map(|&code| (code as u8, code.to_string())).collect();
        let expected = [
            (0, "Success"),
            (1, "Terminated"),
            (2, "MaxSteps"),
            (3, "DtMin"),
            (4, "NonFinite"),
            (5, "Singular"),
            (6, "NewtonDiverged"),
            (7, "Inconsistent"),
            (8, "OutOfDomain"),
            (9, "TooManyEvents"),
            (10, "Cancelled"),
            (11, "Grazing"),
            (12, "RateOutOfBounds"),
        ];
        assert_eq!(numbers, expected.map(|(number, name)| (number, name.to_owned())));
    }

    /// A number is the index of its code in the list, even with the bits of methods that switch.
    #[test]
    fn numbers_are_places() {
        for (place, &code) in ReturnCode::ALL.iter().enumerate() {
            assert_eq!(code as usize, place);
            let numbers = [code as u8, code as u8 | switching::USED as u8];
            assert_eq!(numbers.map(ReturnCode::from_lane), [code; 2]);
        }
        assert_eq!(ReturnCode::decoded(code::UNSOLVED as u8), None);
    }
}
