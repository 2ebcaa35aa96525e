//! The times of scheduled actions, which end segments of a span.

use crate::error::SolveError;
use crate::lane::{Real, Scalar};
use crate::problem::ensemble_spec::Problems;
use crate::problem::options::times::{is_near, too_close, unit_at};

/// The largest number of times of one action in a trajectory.
///
/// A larger one is probably a mistake.
const MOST: f64 = 1e6;

/// The smallest number `k` of a time that `f64` may not distinguish from its neighbours.
const INDISTINCT: f64 = 9_007_199_254_740_992.0;

/// Adds the times of all actions of a problem, except those outside its span.
pub(crate) fn times<T: Scalar>(
    problems: &dyn Problems<T>,
    problem: &[T],
    span: (T, T),
    times: &mut Vec<T>,
) -> Result<(), SolveError> {
    let mut all = Vec::new();
    problems.action_times(problem, &mut |series| all.push(series));
    all.into_iter().try_for_each(|series| of_series(series, span, times))
}

/// Adds the times `first + k every` for `count` values of `k`.
fn of_series<T: Scalar>(
    [first, every, count]: [T; 3],
    (t0, t1): (T, T),
    times: &mut Vec<T>,
) -> Result<(), SolveError> {
    let [start, period, number] = [first, every, count].map(Scalar::widen);
    // If a number is NaN, the loop makes the trajectory fail.
    if !start.is_finite() || period.is_nan() || number.is_nan() || number <= 0.0 {
        return Ok(());
    }
    if period == 0.0 || period.is_infinite() {
        times.push(first);
        return Ok(());
    }
    let [a, b] = [t0, t1].map(|t| (t.widen() - start) / period);
    // One more at each end, because of rounding.
    let from = (a.min(b).floor() - 1.0).max(0.0);
    let to = (a.max(b).ceil() + 1.0).min(number.ceil() - 1.0);
    if from <= to && to >= INDISTINCT {
        let unit = unit_at(first, first);
        return Err(too_close::<T>(source(period), [start, start + period], unit));
    }
    let n = to - from + 1.0;
    if n > MOST {
        let (t0, t1) = (t0.widen(), t1.widen());
        return Err(SolveError::TooManyActions { every: period, times: n, t0, t1, most: MOST });
    }
    // In the same arithmetic as lanes.
    let time = |k: f64| if k == 0.0 { first } else { Real::mul_add(T::narrow(k), every, first) };
    let mut k = from;
    while k <= to {
        let next = time(k);
        if k > from
            && let Some(&last) = times.last()
            && is_near(last, next)
        {
            let between = [last.widen(), next.widen()];
            return Err(too_close::<T>(source(period), between, unit_at(last, next)));
        }
        times.push(next);
        k += 1.0;
    }
    Ok(())
}

/// Returns the source of times, for errors.
fn source(period: f64) -> String {
    format!("an action every {period:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(series: [f64; 3], span: (f64, f64)) -> Vec<f64> {
        let mut times = Vec::new();
        of_series(series, span, &mut times).unwrap();
        times.retain(|t| span.0.min(span.1) <= *t && *t <= span.0.max(span.1));
        times
    }

    #[test]
    fn times_within_the_span() {
        assert_eq!(of([0.0, 12.0, 1e15], (0.0, 40.0)), [0.0, 12.0, 24.0, 36.0]);
        assert_eq!(of([0.0, 12.0, 3.0], (0.0, 40.0)), [0.0, 12.0, 24.0]);
        assert_eq!(of([-20.0, 12.0, 4.0], (0.0, 40.0)), [4.0, 16.0]);
        assert_eq!(of([0.0, 12.0, 1e15], (25.0, 10.0)), [12.0, 24.0]);
        assert_eq!(of([30.0, -12.0, 2.0], (0.0, 40.0)), [30.0, 18.0]);
        assert!(of([1e6, 1e-6, 1e15], (0.0, 1.0)).is_empty());
    }

    /// A series that began long before the span.
    #[test]
    fn times_long_after_the_first() {
        for first in [-1e14, -1e15, -9e15] {
            for count in [1e38, f64::INFINITY] {
                let times = of([first, 1.0, count], (0.0, 5.0));
                assert_eq!(times, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "{first}");
            }
            assert!(of([first, 1.0, 5.0], (0.0, 5.0)).is_empty());
        }
        for first in [-1e16, -1e17, -1e18, f64::MIN] {
            for every in [1.0, 1e-3, f64::MIN_POSITIVE] {
                let of = |count| of_series([first, every, count], (0.0, 5.0), &mut Vec::new());
                let error = of(f64::INFINITY).unwrap_err();
                assert!(matches!(error, SolveError::TimesTooClose { .. }), "{error}");
                assert!(of(1e3).is_ok());
            }
        }
        let single = of_series([-1e8f32, 1.0, f32::INFINITY], (0.0, 5.0), &mut Vec::new());
        assert!(matches!(single, Err(SolveError::TimesTooClose { .. })), "{single:?}");
    }

    /// Doses every microsecond in seconds of Unix time.
    #[test]
    fn times_that_cannot_be_told_apart_are_refused() {
        let of = |every: f64| {
            let start = 1.7e9;
            of_series([start, every, 101.0], (start, start + 100.0 * every), &mut Vec::new())
        };
        assert!(of(1e-5).is_ok());
        let error = of(1e-6).unwrap_err();
        assert!(matches!(error, SolveError::TimesTooClose { .. }), "{error}");
        assert!(error.to_string().contains("an action every 1e-6"), "{error}");
        let single = [1e6f32, 0.3, 357.0];
        assert!(of_series(single, (1e6, 1e6 + 107.0), &mut Vec::new()).is_err());
    }

    #[test]
    fn a_period_that_is_none_is_one_time() {
        for every in [0.0, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(of([3.0, every, 5.0], (0.0, 40.0)), [3.0]);
        }
        for first in [f64::NAN, f64::INFINITY] {
            assert!(of([first, 1.0, 5.0], (0.0, 40.0)).is_empty());
        }
        for count in [0.0, -1.0, f64::NAN] {
            assert!(of([3.0, 1.0, count], (0.0, 40.0)).is_empty());
        }
        assert_eq!(of([3.0, 1.0, 1.5], (0.0, 40.0)), [3.0, 4.0]);
    }

    #[test]
    fn a_period_too_short_for_the_span_is_an_error() {
        let error = of_series([0.0, 1e-6, 1e15], (0.0, 10.0), &mut Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a scheduled action every 1e-6 occurs 10000002 times in the time span from 0 to 10; \
             the maximum is 1000000: give a longer period, or a `count`"
        );
    }
}
