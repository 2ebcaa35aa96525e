//! The automatic size of the first step: that of [lanes](ode_core::integrate::first_step), whose
//! documentation says what the numbers are, with norms of arrays.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::scheme::{Tolerances, Work};
use ode_core::integrate::first_step::{FLAT, LOG2_LEAST_BEND, LOG2_SHARE, SMALL};
use ode_core::lane::Real;
use ode_core::step::{control, norm, timeline};

/// The size, positive, at `t` with the state `u` and the derivative `k`.
pub(crate) fn size<T: Number>(
    work: &mut Work<'_, T>,
    order: usize,
    (t, span): (T, T),
    (u, k): (&Array<T>, &Array<T>),
    tolerances: Tolerances<'_, T>,
) -> Result<T, ArrayError> {
    let one = T::lit(1.0);
    let ratio = |a: T, b: T| control::log2_of_mean(a, one) - control::log2_of_mean(b, one);
    let square = |x: &Array<T>| x.mean_square(u, u, tolerances);
    let (of_u, of_du) = (square(u)?, square(k)?);
    let either = of_u.lt(T::lit(SMALL)) || of_du.lt(T::lit(SMALL));
    let guess = if either {
        T::lit(1e-6)
    } else {
        T::lit(0.01) * control::exp2_wide::<T>(ratio(of_u, of_du) * 0.5)
    };
    let h0 = guess.at_most(Real::abs(span));
    let mut moved = u.like(u.shape())?;
    let mut change = |h: T| {
        let h = Real::copysign(h, span);
        moved.combine(u, h, &[(one, k)])?;
        let mut there = u.like(u.shape())?;
        work.rhs(t + h, &moved, &mut there)?;
        there.add(-one, &[(one, k)])?;
        Ok::<_, ArrayError>(there)
    };
    let first = change(h0)?;
    let per_h0 = norm::reciprocal(h0);
    let largest = Real::max(of_du, square(&first)? * (per_h0 * per_h0));
    let log = LOG2_SHARE as f32 - control::log2_of_mean(largest, one);
    let h1 = if largest.le(T::lit(FLAT)) {
        Real::max(h0 * T::lit(1e-3), T::lit(1e-6))
    } else {
        control::exp2_wide::<T>(log * (0.5 / (order as f32 + 1.0)))
    };
    let h = Real::min(h1, T::lit(100.0) * h0).at_most(Real::abs(span));
    let mut bend = change(h)?;
    bend.add(-(h / h0), &[(one, &first)])?;
    let shorter = (ratio(of_du, square(&bend)?) * 0.5).max(LOG2_LEAST_BEND as f32).min(0.0);
    Ok(if either {
        Real::max(h, timeline::least_step(t))
    } else {
        h * control::exp2_wide::<T>(shorter)
    })
}
