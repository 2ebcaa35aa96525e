//! Lists of times: the accepted forms, and their checks in a precision.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::step::timeline;
use crate::system::System;
use core::borrow::Borrow;

/// A list of times.
///
/// Arrays, vectors, slices, references to these, and all other iterators of numbers or of
/// references to numbers implement this trait.
///
/// ```
/// use ode_core::SolveOptions;
///
/// let times = vec![1.0, 2.5];
/// let by_reference = SolveOptions::default().tstops(&times);
/// assert_eq!(by_reference, SolveOptions::default().tstops([1.0, 2.5]));
/// assert_eq!(by_reference, SolveOptions::default().tstops(times.iter()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of times of type `{T}`",
    label = "write a list of floats, as `[50.0, 51.0]`: an array, a vector, a reference to one, or an iterator"
)]
pub trait TimeList<T> {
    /// Returns the times, in their order.
    fn into_times(self) -> Vec<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Copy, I: IntoIterator<Item: Borrow<T>>> TimeList<T> for I {
    fn into_times(self) -> Vec<T> {
        self.into_iter().map(|time| *time.borrow()).collect()
    }
}

/// The largest number of saved times of one trajectory.
///
/// A larger one is probably a mistake.
pub(super) const MOST_SAVES: f64 = 1e8;

/// Returns `t0`, `t0 + spacing`, … up to `t1`.
pub(super) fn spaced<T: Scalar>(spacing: f64, t0: T, t1: T) -> Result<Vec<T>, SolveError> {
    let (start, end) = (t0.widen(), t1.widen());
    let span = end - start;
    let count = (span.abs() / spacing).floor();
    if !(spacing > 0.0 && spacing.is_finite()) || count > MOST_SAVES {
        return Err(SolveError::SaveSpacing { spacing, t0: start, t1: end });
    }
    let direction = if span < 0.0 { -1.0 } else { 1.0 };
    let unit = unit_at(t0, t1);
    if spacing < unit {
        let times = if start.abs() > end.abs() {
            [start, start + direction * spacing]
        } else {
            [end - direction * spacing, end]
        };
        return Err(too_close::<T>(format!("saveat({spacing})"), times, unit));
    }
    let times = (0..=count as usize).map(|i| T::narrow(start + direction * spacing * i as f64));
    // Rounding may place the last time beyond the end, or make two times equal.
    let mut times: Vec<T> =
        times.map(|t| if (t.widen() - end) * direction > 0.0 { t1 } else { t }).collect();
    times.dedup();
    Ok(times)
}

/// Returns the given times, in the precision of the solve.
pub(super) fn ordered<T: Scalar>(
    list: &[f64],
    trajectory: usize,
    t0: T,
    t1: T,
) -> Result<Vec<T>, SolveError> {
    let (start, end) = (t0.widen(), t1.widen());
    let forward = end >= start;
    let mut times: Vec<T> = Vec::with_capacity(list.len());
    for (i, &time) in list.iter().enumerate() {
        let t = T::narrow(time);
        let inside = if forward { t >= t0 && t <= t1 } else { t <= t0 && t >= t1 };
        if !inside {
            return Err(SolveError::SaveOutside { trajectory, time, t0: start, t1: end });
        }
        if let Some(&before) = times.last() {
            let rising = if forward { before < t } else { before > t };
            let last = list[i - 1];
            if before == t && last != time && (last < time) == forward {
                let unit = unit_at(before, t);
                return Err(too_close::<T>("saveat".to_owned(), [last, time], unit));
            }
            if !rising {
                return Err(SolveError::SaveOrder { before: before.widen(), time });
            }
        }
        times.push(t);
    }
    Ok(times)
}

/// Sorts times, and merges times that differ by a few units in their last place.
///
/// The first one of such times stays. A time that is computed in two ways may be rounded in two
/// ways, and the segment of the span between the two would be too short for a step. Right-hand
/// sides are never evaluated that near to a stop.
pub(super) fn merge<T: Scalar>(times: &mut Vec<T>) {
    times.sort_unstable_by(|a, b| a.widen().total_cmp(&b.widen()));
    times.dedup_by(|next, kept| is_near(*kept, *next));
}

/// Returns the times of several trajectories in ascending order, with near-equal times merged.
///
/// # Errors
/// [`SolveError::TimesTooClose`] if times are near to two of the merged times: an action at such a
/// time would be due at both.
pub(crate) fn union<T: Scalar>(mut times: Vec<T>) -> Result<Vec<T>, SolveError> {
    times.sort_unstable_by(|a, b| a.widen().total_cmp(&b.widen()));
    let mut kept: Vec<T> = Vec::new();
    let mut last = None;
    for time in times {
        let merges = kept.last().is_some_and(|&kept| is_near(kept, time));
        if !merges {
            if let (Some(last), Some(&first)) = (last, kept.last())
                && is_near(last, time)
            {
                let of = "the times to stop at of different trajectories".to_owned();
                let times = [first.widen(), time.widen()];
                return Err(too_close::<T>(of, times, unit_at(first, time)));
            }
            kept.push(time);
        }
        last = Some(time);
    }
    Ok(kept)
}

/// Whether two times are the same except for rounding.
///
/// The same rule decides when actions at given times are due (`compile/timed.rs` in `ode-codegen`).
pub(crate) fn is_near<T: Scalar>(a: T, b: T) -> bool {
    let larger = num_traits::Float::max(num_traits::Float::abs(a), num_traits::Float::abs(b));
    a == b || num_traits::Float::abs(b - a) < timeline::few_units::<T>() * larger
}

/// Returns the constant times that the compiler finds in a right-hand side.
///
/// The times are in ascending order ([`SystemInfo::time_breaks`]). There are two kinds:
///
/// * Switches, as in `if t < 5.0 { … }`, `(t - 2.0).max(0.0)` and `(t - 2.0).abs() < 0.5`. Steps
///   that end at a switch see a smooth function on each side.
/// * Centres of pulses and steps in closed form, as 2 in `(-(10.0 * (t - 2.0)).powi(2)).exp()` and
///   in `(10.0 * (t - 2.0)).tanh()`. Steps that end there do not pass over the pulse. Pulses that
///   may be zero at their centres, such as products, have four more times around it.
///
/// [`tstops_for`] also lists times that depend on parameters, or on functions such as `exp` of
/// constants. Neither function lists the times of `t % period`. [`SystemInfo::more_time_breaks`] is
/// true if the right-hand side has times that neither function lists.
///
/// [`SystemInfo::time_breaks`]: crate::system::SystemInfo::time_breaks
/// [`SystemInfo::more_time_breaks`]: crate::system::SystemInfo::more_time_breaks
#[must_use]
pub fn tstops_of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> &'static [f64] {
    system.info().time_breaks
}

/// Returns the times of [`tstops_of`], and the times that depend on the parameters `p`.
///
/// Examples are the times of `if t < p[0] + p[1] { … }` and `(t - p[0]).abs() < p[1]`, and the
/// centre `p[0]` of `((t - p[0]) / p[1]).tanh()`. Times that differ by a few units in their last
/// place are merged.
#[must_use]
pub fn tstops_for<S: System<N, P>, const N: usize, const P: usize>(
    system: &S,
    p: &[f64; P],
) -> Vec<f64> {
    let mut times = tstops_of(system).to_vec();
    system.parameter_breaks(p, |time| times.push(time));
    times.retain(|time| time.is_finite());
    merge(&mut times);
    times
}

/// Returns the distance of neighbouring numbers of a precision, at the larger of these times.
pub(crate) fn unit_at<T: Scalar>(a: T, b: T) -> f64 {
    let most = a.widen().abs().max(b.widen().abs());
    let power_of_two = f64::from_bits(most.to_bits() & f64::INFINITY.to_bits());
    power_of_two * T::epsilon().widen()
}

/// Refuses a time span that rounding has made empty.
///
/// An example is one second in `f32` after 30 years of seconds. If the precision distinguishes
/// whole numbers, an empty span counts as intended.
pub(super) fn check_span<T: Scalar>(t0: T, t1: T) -> Result<(), SolveError> {
    let (start, end, unit) = (t0.widen(), t1.widen(), unit_at(t0, t1));
    if unit > 1.0 && start == end {
        return Err(too_close::<T>("the time span".to_owned(), [start, end], unit));
    }
    Ok(())
}

pub(crate) fn too_close<T: Scalar>(of: String, times: [f64; 2], unit: f64) -> SolveError {
    SolveError::TimesTooClose { of, times, unit, precision: T::NAME }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times that differ by rounding are one time, unless they are near to two of the others.
    #[test]
    fn times_of_several_trajectories() {
        let unit = f64::EPSILON;
        let all = vec![2.0, 1.0, 0.3, 1.0 + unit, 0.1 * 3.0, 5.0];
        assert_eq!(union(all).unwrap(), [0.3, 1.0, 2.0, 5.0]);
        assert_eq!(union(Vec::<f32>::new()).unwrap(), [0.0; 0]);
        let chain = vec![1.0, 1.0 + 3.0 * unit, 1.0 + 6.0 * unit];
        let error = union(chain).unwrap_err();
        assert!(matches!(error, SolveError::TimesTooClose { precision: "f64", .. }), "{error}");
        assert!(error.to_string().contains("different trajectories"), "{error}");
    }
}
