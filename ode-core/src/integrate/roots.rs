//! Zeros of event functions within a step.
//!
//! Zeros are searched on the method's interpolant, with Chandrupatla's method (Advances in
//! Engineering Software 28 (1997) 145–149): inverse quadratic interpolation if it is safe,
//! otherwise bisection.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(roots)]
mod device {
    use crate::integrate::dense;
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{stepper, timeline};
    use crate::system::System;

    /// Returns the least fraction of a step that is a step of its own.
    ///
    /// It is `2^-50`, or `2^-22` in `f32`. Zeros are searched to this fraction of the step.
    pub fn least_part<R: Real>() -> R {
        R::lit_of(LEAST_PART_DOUBLE, LEAST_PART_SINGLE)
    }

    /// `2^-50`.
    pub const LEAST_PART_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-22`.
    pub const LEAST_PART_SINGLE: f64 = 2.384185791015625e-7;
    /// The largest number of evaluations in the search for a zero; bisection needs fewer.
    pub const MOST_EVALUATIONS: u64 = 64;

    /// Returns an event function, or its slope, at a fraction of the step.
    pub fn value_at<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        index: usize,
        theta: R,
        slope: bool,
    ) -> R {
        let u = M::interpolate::<R, N, P>(state, ask, step, theta);
        let t = timeline::stage::<R, S, N, P>(&ask.at, theta);
        let mut value = system.event(index, &u, &state.p, t);
        if slope {
            // The right-hand side of a stiff system magnifies the errors of the interpolant.
            let mut du = u;
            if M::GUARDS {
                du = dense::slope_at::<R, M, N, P>(state, ask, step, theta);
            }
            if !M::GUARDS {
                du = system.rhs(&u, &state.p, t);
            }
            value = system.event_slope(index, &u, &state.p, t, &du) * ask.h;
        }
        value
    }

    /// The turning points of an event function, as fractions of the step.
    #[derive(Clone, Copy, Debug)]
    pub struct Turns<R: Real> {
        /// Lanes with a function that is beyond zero at its first turning point.
        pub there: R::Mask,
        /// The first turning point, where the function is farthest beyond zero.
        pub first: R,
        /// The second turning point, if the function leaves its side again; otherwise the end.
        pub second: R,
    }

    /// Makes a [`Turns`].
    pub fn turning<R: Real>(there: R::Mask, first: R, second: R) -> Turns<R> {
        Turns::<R> { there, first, second }
    }

    /// Returns the turning points of the function of event `index`, in lanes `which`.
    ///
    /// The function leaves its `side`. It is back at the end of the step or, in lanes `thrice`,
    /// leaves its side again before the end. The cubic through values and slopes at both ends
    /// brackets the turning points.
    #[called]
    pub fn turns_of<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        index: usize,
        which: R::Mask,
        thrice: R::Mask,
        side: R,
    ) -> Turns<R> {
        let full = R::lit(1.0);
        let zero = R::lit(0.0);
        let from = value_at::<R, S, M, N, P>(system, state, ask, step, index, zero, false);
        let to = value_at::<R, S, M, N, P>(system, state, ask, step, index, full, false);
        let lean = value_at::<R, S, M, N, P>(system, state, ask, step, index, zero, true);
        let slope = value_at::<R, S, M, N, P>(system, state, ask, step, index, full, true);
        // The coefficients of the cubic's slope are the slopes at the ends and `inner`. If the
        // cubic turns twice, its slope is steepest between the turning points, at the inflection.
        let inner = (to - from).mul_add(R::lit(3.0), -(lean + slope));
        let twice = (lean * slope).gt(zero) & (lean * inner).lt(zero);
        let bends = lean - inner;
        let inflection = bends / (bends + (slope - inner));
        let towards = (side * lean).lt(zero);
        let low = R::select(twice & !towards, inflection, zero);
        let high = R::select(twice & towards, inflection, full);
        let first =
            zero_of::<R, S, M, N, P>(system, state, ask, step, index, which, low, high, side, true);
        let value = value_at::<R, S, M, N, P>(system, state, ask, step, index, first, false);
        let mut there = which & (value * side).lt(zero);
        let mut second = full;
        let again = there & thrice;
        if again.any() {
            let back = zero_of::<R, S, M, N, P>(
                system, state, ask, step, index, again, high, full, -side, true,
            );
            let value = value_at::<R, S, M, N, P>(system, state, ask, step, index, back, false);
            there = there & !(again & !(value * side).gt(zero));
            second = R::select(again, back, full);
        }
        Turns::<R> { there, first, second }
    }

    /// Returns a zero of an event function, or of its slope.
    ///
    /// In lanes `which`, the zero of event `index` lies between the fractions `low` and `high` of
    /// the step. The function has the sign of `side` at `low` and the opposite sign at `high`; the
    /// slope has the opposite signs. The result is the zero, or a point just past it.
    #[called]
    pub fn zero_of<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        index: usize,
        which: R::Mask,
        low: R,
        high: R,
        side: R,
        slope: bool,
    ) -> R {
        let half = R::lit(0.5);
        let full = R::lit(1.0);
        let zero = R::lit(0.0);
        let mut side = side;
        if slope {
            side = -side;
        }
        // `x1` and `x2` bracket the zero: `x1` is the latest point, `x3` an earlier one. The signs
        // at the ends are given, since rounding may change them.
        let mut x1 = high;
        let mut x2 = low;
        let mut x3 = low;
        let first = value_at::<R, S, M, N, P>(system, state, ask, step, index, x1, slope).abs();
        let second = value_at::<R, S, M, N, P>(system, state, ask, step, index, x2, slope).abs();
        let mut f1 = first.copysign(-side);
        let mut f2 = second.copysign(side);
        let mut f3 = f2;
        let mut part = half;
        let mut busy = which;
        let mut rounds = <R::Bits as Bits>::lit(0);
        let tolerance = least_part::<R>();
        while busy.any() {
            let x = part.mul_add(x2 - x1, x1);
            let f = value_at::<R, S, M, N, P>(system, state, ask, step, index, x, slope);
            let near = (f * side).gt(zero);
            let was_near = (f1 * side).gt(zero);
            let same = (near & was_near) | (!near & !was_near);
            x3 = R::select(busy, R::select(same, x1, x2), x3);
            f3 = R::select(busy, R::select(same, f1, f2), f3);
            x2 = R::select(busy & !same, x1, x2);
            f2 = R::select(busy & !same, f1, f2);
            x1 = R::select(busy, x, x1);
            f1 = R::select(busy, f, f1);
            let width = (x2 - x1).abs();
            let xi = (x1 - x2) / (x3 - x2);
            let phi = (f1 - f2) / (f3 - f2);
            let safe = (phi * phi).lt(xi) & ((full - phi) * (full - phi)).lt(full - xi);
            let quadratic = f1 / (f2 - f1) * (f3 / (f2 - f3))
                + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
            let least = tolerance / width;
            part = R::select(safe, quadratic, half).max(least).min(full - least);
            rounds = rounds.wrapping_add(<R::Bits as Bits>::lit(1));
            let more = rounds.less_than(<R::Bits as Bits>::lit(MOST_EVALUATIONS));
            let there = width.le(tolerance * R::lit(2.0)) | f1.equals(zero);
            busy = busy & more & !there;
        }
        R::select((f1 * side).gt(zero), x2, x1)
    }
}
