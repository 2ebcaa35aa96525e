//! The time of lanes, and its rounding.
//!
//! Time advances by exactly the step of the state, however far from zero it is. A fast system is
//! solved as exactly at `t = 1.7e9` (seconds since 1970) as at zero.
//!
//! * In `f64`, adaptive steps go from number to number. Lanes store the time of a step's end, and
//!   the step size is the difference, which costs no more than storing the size. A trajectory fails
//!   if it needs steps shorter than a unit in the last place of `t`. (A compensated sum would allow
//!   smaller ones, at the cost of three more additions and a register: 15% of the time of small
//!   systems on a CPU.)
//! * In `f32`, with its coarse unit, time is a pair `t + low` with `|low|` at most half a unit of
//!   `t` (Kahan's compensated sum). Steps go from number to number of `low`, so steps far below a
//!   unit of `t` add up.
//! * With a fixed step, time is `t0 + i h` with an integer `i`.
//!
//! A right-hand side receives the time as one number. For a stage in `f32`, this is
//! `t + (low + c h)`, one addition more than in `f64`. If nothing depends on the time, it is left
//! out.
//!
//! # Shortest steps
//!
//! No accepted step tests whether the next step would still advance time. Such a test was measured
//! to cost 1 to 4% on a GPU. Steps are rounded to units, so if errors ask for less, steps of one
//! unit follow until one is rejected. Rejected steps are tested.
//!
//! If the next step would be shorter than `dtmin`, the trajectory ends, whether or not the step was
//! accepted. Steps to events may be shorter.

pub use device::*;

use crate::math::whole;

/// The least number that [`whole_to_bits`] cannot convert.
pub const MAX_WHOLE_DOUBLE: f64 = whole::MAX_DOUBLE;
/// The least number that [`whole_to_bits`] cannot convert in `f32`.
pub const MAX_WHOLE_SINGLE: f64 = whole::MAX_SINGLE;

#[ode_macros::device(timeline)]
mod device {
    use crate::lane::Real;
    use crate::math::whole;
    use crate::system::System;

    /// The times of a step and of its stages.
    #[derive(Clone, Copy, Debug)]
    pub struct At<R: Real> {
        /// The time at the beginning of the step, rounded.
        pub t: R,
        /// The rounding error of `t`; zero in `f64`.
        pub low: R,
        /// The distance of the last stage from the beginning.
        ///
        /// It is the size of the step, or a little less if the right-hand side may jump at one of
        /// the step's ends (see [`edge`]).
        pub reach: R,
        /// The last node at which the right-hand side may be evaluated.
        ///
        /// It limits methods with nodes beyond the step. It is 1 if the right-hand side may jump at
        /// the step's end.
        pub furthest: R,
        /// The lanes with trajectories that continue.
        ///
        /// The results of other lanes are ignored, and must not delay these.
        pub run: R::Mask,
    }

    /// A number beyond all nodes.
    pub const BEYOND: f64 = 2.0;

    /// Makes an [`At`].
    pub fn at<R: Real>(t: R, low: R, reach: R, furthest: R, run: R::Mask) -> At<R> {
        At::<R> { t, low, reach, furthest, run }
    }

    /// Returns the time of a stage; any time if the system is autonomous.
    pub fn stage<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        at: &At<R>,
        node: R,
    ) -> R {
        if S::AUTONOMOUS && !S::STEPWISE { at.t } else { time_of_node::<R>(at, node) }
    }

    /// Returns the time of the stage with this node.
    pub fn time_of_node<R: Real>(at: &At<R>, node: R) -> R {
        if R::DOUBLE { at.reach.mul_add(node, at.t) } else { at.t + at.reach.mul_add(node, at.low) }
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

    /// Returns the end of the [planned](plan) step.
    pub fn after<R: Real>(t: R, plan: R) -> Time<R> {
        if R::DOUBLE {
            time(plan, R::lit(0.0))
        } else {
            let next = t + plan;
            time(next, plan - (next - t))
        }
    }

    /// Returns the time `t0 + i h` for an integer `i`, rounded once.
    ///
    /// In `f32`, the result includes the rounding error, accurate to a unit of its own.
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

    /// Returns the plan of a step of `factor` times the last size `h`.
    ///
    /// The step begins at `t + low`. Its plan is the rounded time of its end or, in `f32`, the
    /// distance of that time from `t`.
    pub fn plan<R: Real>(t: R, low: R, h: R, factor: R) -> R {
        h.mul_add(factor, if R::DOUBLE { t } else { low })
    }

    /// Returns the size of the [planned](plan) step.
    ///
    /// The difference is exact, unless it is larger than `t` or, in `f32`, than `low`; then its
    /// rounding does not matter.
    pub fn planned<R: Real>(t: R, low: R, plan: R) -> R {
        plan - (if R::DOUBLE { t } else { low })
    }

    /// Returns whether the [planned](plan) step does not advance time.
    ///
    /// Steps are rounded to units in the last place of the time. If errors require ever shorter
    /// steps, a step is rejected, and the step after it stalls.
    pub fn stalls<R: Real>(t: R, low: R, plan: R) -> R::Mask {
        plan.equals(if R::DOUBLE { t } else { low })
    }

    /// Returns the smallest first step at `t`, which does not [stall](stalls).
    pub fn least_step<R: Real>(t: R) -> R {
        t.abs() * R::lit_of(LEAST_DOUBLE, LEAST_SINGLE)
    }

    /// `2^-50`.
    pub const LEAST_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-41`.
    pub const LEAST_SINGLE: f64 = 4.547473508864641e-13;

    /// Returns the largest last step that replaces a step of this `size`.
    ///
    /// The rest of the span behind the shorter step is a rounding error in the sum of many steps.
    /// It needs no step of its own.
    pub fn lengthened<R: Real>(size: R) -> R {
        size * R::lit(LONGER)
    }

    /// The ratio of the longest last step to the planned one: `1 + 2^-16`.
    pub const LONGER: f64 = 1.0000152587890625;

    /// Returns a few units in the last place, relative to a number.
    ///
    /// `2^-50`, or `2^-21` in `f32`.
    pub fn few_units<R: Real>() -> R {
        R::lit_of(FEW_UNITS_DOUBLE, FEW_UNITS_SINGLE)
    }

    /// `2^-50`.
    pub const FEW_UNITS_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-21`.
    pub const FEW_UNITS_SINGLE: f64 = 4.76837158203125e-7;

    /// Returns the distance from a segment's ends at which right-hand sides are evaluated.
    ///
    /// The right-hand side may jump at these ends. The distance is a few units in the last place of
    /// the time, and has the sign of `h`. The step of size `h` begins at `t`, and the segment ends
    /// at `end`.
    pub fn edge<R: Real>(t: R, h: R, end: R) -> R {
        let units = (t.abs() + end.abs()) * few_units::<R>();
        units.at_most(h.abs() * R::lit(0.25)).copysign(h)
    }

    /// Returns the number of fixed steps of size `dt` (positive) from `t0` to `t1`.
    ///
    /// No step is longer than `dt`, with one exception: a remainder of a few units in the last
    /// place of these times lengthens the last step.
    pub fn steps<R: Real>(t0: R, t1: R, dt: R) -> R {
        let one = R::lit(1.0);
        let ratio = (t1 - t0).abs() / dt;
        let grace = ((t0.abs() + t1.abs()) / dt * few_units::<R>()).at_most(R::lit(0.5));
        let whole = ratio.round_even();
        let more = (ratio - whole).gt(grace);
        R::select(more, whole + one, whole).max(one)
    }

    /// Returns a whole number as an integer.
    ///
    /// The number is at least 0 and below [`MAX_WHOLE_SINGLE`](super::MAX_WHOLE_SINGLE) (`f64`:
    /// [`MAX_WHOLE_DOUBLE`](super::MAX_WHOLE_DOUBLE)).
    pub fn whole_to_bits<R: Real>(x: R) -> R::Bits {
        whole::to_bits::<R>(x)
    }

    /// Returns the inverse of [`whole_to_bits`].
    pub fn whole_from_bits<R: Real>(x: R::Bits) -> R {
        whole::from_bits::<R>(x)
    }
}
