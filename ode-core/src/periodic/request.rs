//! The options of a search for periodic states.

use crate::error::PeriodicError;

/// The options of a search for periodic states, for
/// [`EnsembleProblem::periodic_states`](crate::EnsembleProblem::periodic_states).
///
/// ```
/// use ode_core::periodic::PeriodicSearch;
///
/// let search = PeriodicSearch::new();
/// let patient = PeriodicSearch::new().tolerance(0.1).most_intervals(1000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct PeriodicSearch {
    tolerance: f64,
    most_intervals: usize,
    pub(super) depth: usize,
}

impl PeriodicSearch {
    /// Creates a search of at most 100 intervals, with a tolerance of 1 and a depth of 8.
    pub fn new() -> Self {
        PeriodicSearch { tolerance: 1.0, most_intervals: 100, depth: 8 }
    }

    /// Sets the largest correction of a periodic state, by default 1.
    ///
    /// The unit is the tolerance of the solve, `abstol + reltol |u|` for component `u`. A trajectory
    /// has converged if the search twice in a row would change no component by more.
    ///
    /// Errors of the solve over an interval also change the periodic state: an error `e` moves the
    /// state by `e / (1 - r)`, if deviations shrink by the factor `r` in an interval. So choose
    /// smaller tolerances of the solve if deviations shrink slowly.
    pub fn tolerance(self, tolerance: f64) -> Self {
        PeriodicSearch { tolerance, ..self }
    }

    /// Sets the largest number of intervals that a trajectory is solved over, by default 100.
    pub fn most_intervals(self, intervals: usize) -> Self {
        PeriodicSearch { most_intervals: intervals, ..self }
    }

    /// Sets the number of earlier intervals that a correction uses, by default 8.
    ///
    /// A search stores two intervals more than there are states at most. Depth 0 is the solve of one
    /// interval after the other, without corrections, and stops when an interval changes the state
    /// by at most the tolerance.
    pub fn depth(self, depth: usize) -> Self {
        PeriodicSearch { depth, ..self }
    }

    /// Returns the tolerance and the largest number of intervals.
    ///
    /// # Errors
    /// [`PeriodicError`] for the first impossible number.
    pub(super) fn check(&self) -> Result<(f64, usize), PeriodicError> {
        let &PeriodicSearch { tolerance, most_intervals: intervals, .. } = self;
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(PeriodicError::Tolerance { tolerance });
        }
        if intervals < 2 {
            return Err(PeriodicError::Intervals { intervals });
        }
        Ok((tolerance, intervals))
    }
}

impl Default for PeriodicSearch {
    fn default() -> Self {
        PeriodicSearch::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_requests_are_errors() {
        let error = |request: PeriodicSearch| request.check().unwrap_err().to_string();
        for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let text = error(PeriodicSearch::new().tolerance(tolerance));
            assert!(text.contains("must be positive and finite"), "{text}");
        }
        let text = error(PeriodicSearch::new().most_intervals(1));
        assert!(text.starts_with("1 intervals"), "{text}");
        assert_eq!(PeriodicSearch::default().check(), Ok((1.0, 100)));
    }
}
