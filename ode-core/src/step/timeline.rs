//! The time of lanes, and its rounding.
//!
//! Time advances by exactly the step of the state, however far from zero it is: a fast system is
//! solved as exactly at `t = 1.7e9` (seconds since 1970) as at zero.
//!
//! * In `f64` an adaptive step goes from number to number: lanes keep the time of its end, and its
//!   size is the difference, which costs no more than keeping the size. A trajectory that needs
//!   steps shorter than a unit of `t` in its last place is given up. (A compensated sum would allow
//!   smaller ones, at the cost of three more additions and a register, 15% of the time of small
//!   systems on a CPU.)
//! * In `f32`, whose unit is coarse, time is a pair `t + low` with `|low|` at most half a unit of
//!   `t` (Kahan's compensated sum), and steps go from number to number of `low`: those far below a
//!   unit of `t` add up.
//! * With a fixed step, time is `t0 + i h` with an integer `i`.
//!
//! A right-hand side gets the time as one number. For a stage in `f32` it is `t + (low + c h)`, one
//! addition more than in `f64`, and left out where nothing depends on the time.

pub use device::*;

#[ode_macros::device(timeline)]
mod device {
    use crate::lane::{Bits, Real};
    use crate::system::System;

    /// The times of a step and of its stages.
    #[derive(Clone, Copy, Debug)]
    pub struct At<R: Real> {
        /// The time at the beginning of the step, rounded.
        pub t: R,
        /// The rounding error of `t`; zero in `f64`.
        pub low: R,
        /// The distance of the last stage from the beginning: the size of the step, or a little
        /// less where the right-hand side may jump at one of its ends (see [`edge`]).
        pub reach: R,
        /// The last node at which the right-hand side may be evaluated: 1 where it may jump at the
        /// end of the step, for methods with nodes beyond it.
        pub furthest: R,
        /// The lanes whose trajectories continue. The results of other lanes are ignored, and must
        /// not delay these.
        pub run: R::Mask,
    }

    /// A number beyond all nodes.
    pub const BEYOND: f64 = 2.0;

    /// Makes an [`At`].
    pub fn at<R: Real>(t: R, low: R, reach: R, furthest: R, run: R::Mask) -> At<R> {
        At::<R> { t, low, reach, furthest, run }
    }

    /// The time of the stage at `node`; any time if the system does not depend on it.
    pub fn stage<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        at: &At<R>,
        node: R,
    ) -> R {
        if S::AUTONOMOUS && !S::STEPWISE {
            at.t
        } else if R::DOUBLE {
            at.reach.mul_add(node, at.t)
        } else {
            at.t + at.reach.mul_add(node, at.low)
        }
    }

    /// A time as an unevaluated sum of two numbers.
    #[derive(Clone, Copy, Debug)]
    pub struct Time<R: Real> {
        /// The rounded time.
        pub t: R,
        /// The rounding error of the time, `exact - t`.
        pub low: R,
    }

    /// Makes a [`Time`].
    fn time<R: Real>(t: R, low: R) -> Time<R> {
        Time::<R> { t, low }
    }

    /// The end of the step that is [planned](plan).
    pub fn after<R: Real>(t: R, plan: R) -> Time<R> {
        if R::DOUBLE {
            time(plan, R::lit(0.0))
        } else {
            let next = t + plan;
            time(next, plan - (next - t))
        }
    }

    /// The time `t0 + i h`, rounded once, and in `f32` the rounding error, accurate to a unit of
    /// its own. `i` is an integer.
    pub fn grid<R: Real>(t0: R, i: R, h: R) -> Time<R> {
        let t = i.mul_add(h, t0);
        // The product and the sum with their rounding errors (Dekker, Knuth).
        let product = i * h;
        let rest = i.mul_add(h, -product);
        let sum = t0 + product;
        let part = sum - t0;
        let error = (t0 - (sum - part)) + (product - part);
        time(t, if R::DOUBLE { R::lit(0.0) } else { ((sum - t) + error) + rest })
    }

    /// The plan of the next step, as lanes keep it, where errors allow one of `factor` times the
    /// size `h` of the last: the rounded time of its end, in `f32` the distance of that from `t`.
    /// The step begins at `t + low`.
    pub fn plan<R: Real>(t: R, low: R, h: R, factor: R) -> R {
        h.mul_add(factor, if R::DOUBLE { t } else { low })
    }

    /// The size of the step that is [planned](plan). The difference is exact, unless it is larger
    /// than `t` or, in `f32`, than `low`; then its rounding does not matter.
    pub fn planned<R: Real>(t: R, low: R, plan: R) -> R {
        plan - (if R::DOUBLE { t } else { low })
    }

    /// Whether the step that is [planned](plan) does not advance time. As steps are rounded to
    /// units of the time in its last place, errors that ask for ever shorter steps lead to a
    /// refused one after which the next stalls.
    pub fn stalls<R: Real>(t: R, low: R, plan: R) -> R::Mask {
        plan.equals(if R::DOUBLE { t } else { low })
    }

    /// The smallest first step at `t`, which does not [stall](stalls).
    pub fn least_step<R: Real>(t: R) -> R {
        t.abs() * R::lit_of(LEAST_DOUBLE, LEAST_SINGLE)
    }

    /// `2^-50`.
    pub const LEAST_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-41`.
    pub const LEAST_SINGLE: f64 = 4.547473508864641e-13;

    /// The size of a last step that is made instead of one of this `size`, at the most: no more is left
    /// behind it than rounding makes of the sum of many steps, which is no step of its own.
    pub fn lengthened<R: Real>(size: R) -> R {
        size * R::lit(LONGER)
    }

    /// How much longer a last step may be: `1 + 2^-16`.
    pub const LONGER: f64 = 1.0000152587890625;

    /// A few units in the last place of a number, relative to it: `2^-50`, of an `f32` `2^-21`.
    pub fn few_units<R: Real>() -> R {
        R::lit_of(FEW_UNITS_DOUBLE, FEW_UNITS_SINGLE)
    }

    /// `2^-50`.
    pub const FEW_UNITS_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-21`.
    pub const FEW_UNITS_SINGLE: f64 = 4.76837158203125e-7;

    /// The distance from the ends of a part of the span, in a step of size `h` at `t`, at which a
    /// right-hand side that may jump there is evaluated: a few units of the time in its last place,
    /// towards `end`.
    pub fn edge<R: Real>(t: R, h: R, end: R) -> R {
        let units = (t.abs() + end.abs()) * few_units::<R>();
        units.at_most(h.abs() * R::lit(0.25)).copysign(h)
    }

    /// The number of fixed steps of size `dt` (positive) from `t0` to `t1`, so that none is longer
    /// than `dt`. A remainder of a few units of these times in their last place makes no step of
    /// its own, but lengthens the last one.
    pub fn steps<R: Real>(t0: R, t1: R, dt: R) -> R {
        let one = R::lit(1.0);
        let ratio = (t1 - t0).abs() / dt;
        let grace = ((t0.abs() + t1.abs()) / dt * few_units::<R>()).at_most(R::lit(0.5));
        let whole = ratio.round_even();
        let more = (ratio - whole).gt(grace);
        R::select(more, whole + one, whole).max(one)
    }

    /// A whole number from 0 up to [`MAX_WHOLE_SINGLE`] (`f64`: [`MAX_WHOLE_DOUBLE`]), exclusive,
    /// as an integer: added to the power of two whose unit in the last place is one.
    pub fn whole_to_bits<R: Real>(x: R) -> R::Bits {
        (x + whole::<R>()).to_bits().wrapping_sub(whole::<R>().to_bits())
    }

    /// The inverse of [`whole_to_bits`].
    pub fn whole_from_bits<R: Real>(x: R::Bits) -> R {
        R::from_bits(x.wrapping_add(whole::<R>().to_bits())) - whole::<R>()
    }

    /// The power of two that [`whole_to_bits`] adds.
    fn whole<R: Real>() -> R {
        if R::DOUBLE { R::lit(MAX_WHOLE_DOUBLE) } else { R::lit(MAX_WHOLE_SINGLE) }
    }

    /// `2^52`.
    pub const MAX_WHOLE_DOUBLE: f64 = 4503599627370496.0;
    /// `2^23`.
    pub const MAX_WHOLE_SINGLE: f64 = 8388608.0;
}
