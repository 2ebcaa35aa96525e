//! The options of Lyapunov exponents.

use crate::error::LyapunovError;
use core::ops::Range;

/// The options of Lyapunov exponents, for
/// [`EnsembleProblem::lyapunov`](crate::EnsembleProblem::lyapunov).
///
/// ```
/// use ode_core::lyapunov::Lyapunov;
///
/// let largest = Lyapunov::new(1);
/// let all = Lyapunov::new(3).segments(2000).transient(0.1);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Lyapunov {
    pub(super) exponents: usize,
    segments: usize,
    transient: f64,
}

impl Lyapunov {
    /// Requests the largest `exponents` exponents, in 1000 segments with a transient of 0.1.
    pub fn new(exponents: usize) -> Self {
        Lyapunov { exponents, segments: 1000, transient: 0.1 }
    }

    /// Sets the number of segments of the time span, by default 1000.
    ///
    /// The directions are made orthonormal after each segment. Between two segments they become
    /// nearly parallel: by a factor of `exp((a - b) h)` for rates of growth `a > b` within a segment
    /// of length `h`. This factor must stay below `1e12`; otherwise the exponents are NaN. Gradients of shorter segments need less
    /// memory, and each segment begins with the choice of a step size.
    pub fn segments(self, segments: usize) -> Self {
        Lyapunov { segments, ..self }
    }

    /// Sets the fraction of the time span that does not count at each end, by default 0.1.
    ///
    /// In the first part the state reaches its attractor. In the last part, through which the
    /// directions go first, these approach the directions of the exponents.
    pub fn transient(self, fraction: f64) -> Self {
        Lyapunov { transient: fraction, ..self }
    }

    /// Checks the numbers for a system with `states` states.
    ///
    /// Returns the number of segments, and the segments that count.
    ///
    /// # Errors
    /// [`LyapunovError`] for the first impossible number.
    pub(super) fn check(&self, states: usize) -> Result<(usize, Range<usize>), LyapunovError> {
        let &Lyapunov { exponents, segments, transient } = self;
        if !(1..=states).contains(&exponents) {
            return Err(LyapunovError::Exponents { exponents, states });
        }
        if !(0.0..0.5).contains(&transient) {
            return Err(LyapunovError::Transient { fraction: transient });
        }
        let left_out = (transient * segments as f64).ceil() as usize;
        let counting = left_out..segments.saturating_sub(left_out);
        if counting.is_empty() {
            return Err(LyapunovError::Segments { segments, fraction: transient });
        }
        Ok((segments, counting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_requests_are_errors() {
        let error = |request: Lyapunov| request.check(3).unwrap_err().to_string();
        assert!(error(Lyapunov::new(0)).starts_with("0 exponents of a system with 3 states"));
        assert!(error(Lyapunov::new(4)).contains("request 1 to 3"));
        for fraction in [-0.1, 0.5, f64::NAN] {
            assert!(error(Lyapunov::new(1).transient(fraction)).contains("below 0.5"));
        }
        assert!(error(Lyapunov::new(1).segments(0).transient(0.0)).contains("0 segments"));
        assert!(error(Lyapunov::new(1).segments(2)).contains("none is between"));
    }

    #[test]
    fn transients_are_whole_segments() {
        assert_eq!(Lyapunov::new(3).check(3), Ok((1000, 100..900)));
        assert_eq!(Lyapunov::new(1).segments(7).check(3), Ok((7, 1..6)));
        assert_eq!(Lyapunov::new(1).segments(1).transient(0.0).check(3), Ok((1, 0..1)));
    }
}
