//! Conditions on the trajectories that contribute to a summary.

use crate::error::SummaryError;
use core::fmt;
use core::ops::{Bound, RangeBounds};

/// The number that a condition compares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Subject {
    /// A component at the time of the statistic.
    Same(String),
    /// A component at the last saved time.
    Last(String),
    /// The count of an event.
    Events(String),
}

/// A condition: a number lies in an interval that contains its ends.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Condition {
    pub(super) subject: Subject,
    #[cfg_attr(feature = "serde", serde(with = "super::stored::number"))]
    lo: f64,
    #[cfg_attr(feature = "serde", serde(with = "super::stored::number"))]
    hi: f64,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Same(name) => write!(f, "{name:?}")?,
            Subject::Last(name) => write!(f, "last {name:?}")?,
            Subject::Events(name) => write!(f, "count of {name:?}")?,
        }
        write!(f, " from {:?} to {:?}", self.lo, self.hi)
    }
}

impl Condition {
    /// Creates a condition with any range.
    pub(super) fn new(subject: Subject, range: &impl RangeBounds<f64>) -> Self {
        // An end that is excluded is the neighbour of its number.
        let lo = match range.start_bound() {
            Bound::Included(lo) => *lo,
            Bound::Excluded(lo) => lo.next_up(),
            Bound::Unbounded => f64::NEG_INFINITY,
        };
        let hi = match range.end_bound() {
            Bound::Included(hi) => *hi,
            Bound::Excluded(hi) => hi.next_down(),
            Bound::Unbounded => f64::INFINITY,
        };
        Condition { subject, lo, hi }
    }

    /// Returns whether the condition holds; a NaN is in no interval.
    #[inline]
    pub(super) fn contains(&self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Checks that the interval contains numbers.
    pub(super) fn check(&self) -> Result<(), SummaryError> {
        if self.lo <= self.hi {
            return Ok(());
        }
        let (Subject::Same(name) | Subject::Last(name) | Subject::Events(name)) = &self.subject;
        Err(SummaryError::Condition { name: name.clone(), lo: self.lo, hi: self.hi })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(range: impl RangeBounds<f64>) -> Condition {
        Condition::new(Subject::Same("x".to_owned()), &range)
    }

    /// The standard library's ranges are the reference.
    #[test]
    fn intervals_contain_the_numbers_of_ranges() {
        fn compare(range: impl RangeBounds<f64> + Clone) {
            let condition = of(range.clone());
            condition.check().unwrap();
            let numbers = [0.0_f64, 1.0, 2.5, f64::MAX, f64::INFINITY];
            let numbers = numbers.into_iter().flat_map(|x| [x, -x, x.next_up(), x.next_down()]);
            for x in numbers.chain([f64::NAN]) {
                // A range without ends contains NaN, too.
                let expected = range.contains(&x) && !x.is_nan();
                assert_eq!(condition.contains(x), expected, "{condition:?} {x}");
            }
        }
        compare(0.0..1.0);
        compare(-0.0..=2.5);
        compare(1.0..);
        compare(..0.0);
        compare(..=f64::INFINITY);
        compare(..f64::INFINITY);
        compare(..);
        compare((Bound::Excluded(0.0), Bound::Included(f64::INFINITY)));
    }

    #[test]
    fn intervals_without_numbers_are_errors() {
        for condition in [of(1.0..1.0), of(2.0..=1.0), of(f64::NAN..), of(..=f64::NAN)] {
            let error = condition.check().unwrap_err();
            assert!(matches!(error, SummaryError::Condition { .. }), "{error}");
        }
        let text = of(2.0..=1.0).check().unwrap_err().to_string();
        assert!(text.starts_with("the condition on `x` contains no number"), "{text}");
    }
}
