//! The signs of event functions.

pub use device::*;

// An action depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(sides)]
mod device {
    use crate::integrate::options::{LoopConfig, Sink};
    use crate::integrate::{actions, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{stepper, timeline};
    use crate::system::System;

    /// Returns whether the event of this bit is in a set.
    pub fn has<R: Real>(set: R::Bits, bit: R::Bits) -> R::Mask {
        !(set & bit).equals(<R::Bits as Bits>::lit(0))
    }

    /// Returns a set with the event of this bit added in lanes `which`.
    pub fn with<R: Real>(set: R::Bits, bit: R::Bits, which: R::Mask) -> R::Bits {
        <R::Bits as Bits>::select(which, set | bit, set)
    }

    /// Returns the events that count in this direction: to `above` zero, or below it.
    pub fn in_direction<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        above: R::Bits,
    ) -> R::Bits {
        let falls = <R::Bits as Bits>::lit(S::FALLING as u64);
        let rises = <R::Bits as Bits>::lit(S::RISING as u64);
        (above & rises) | (!above & falls)
    }

    /// Initialises the sides of events in lanes that begin a segment or trajectory.
    ///
    /// The sides follow from the initial state or, after a scheduled or delayed action, from the
    /// state after the action. The functions of events `here` were [at zero](near) in the state
    /// `before` the action, with the parameters `p_before`.
    pub fn arm<
        R: Real,
        S: System<N, P>,
        Q: Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        begins: R::Mask,
        fresh: R::Mask,
        acted: R::Mask,
        here: R::Bits,
        before: &[R; N],
        p_before: &[R; P],
    ) {
        let none = <R::Bits as Bits>::lit(0);
        lane.pending = <R::Bits as Bits>::select(begins, none, lane.pending);
        lane.refused = R::select(begins, R::lit(0.0), lane.refused);
        lane.covered = R::select(begins, R::lit(0.0), lane.covered);
        if fresh.any() {
            lane.chain = <R::Bits as Bits>::select(fresh, none, lane.chain);
            lane.fired = <R::Bits as Bits>::select(fresh, none, lane.fired);
            lane.acted = R::select(fresh, lane.t0, lane.acted);
            for e in 0..S::EVENTS {
                io.set_event_count(fresh, e, none);
            }
            for e in 0..S::CONDITIONS {
                io.set_event_count(fresh, actions::condition::<R, S, N, P>(e), none);
            }
        }
        let renewed = fresh | acted;
        if renewed.any() {
            let h = lane.t1 - lane.t0;
            // A path with noise may leave zero against its slope.
            let mut by_slope = fresh;
            if C::PASSAGES {
                by_slope = <R::Mask as Mask>::splat(false);
            }
            let sides =
                sides_of::<R, S, N, P>(system, state, lane.t, h, here, before, p_before, by_slope);
            // A function at rest at the zero of its event that acts is in contact from the start.
            let falls = <R::Bits as Bits>::lit(S::FALLING as u64);
            let rises = <R::Bits as Bits>::lit(S::RISING as u64);
            let mut rests = none;
            if !S::MASS && !C::PASSAGES {
                let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
                let rest = acting & (falls ^ rises) & !sides[1];
                rests = <R::Bits as Bits>::select(fresh, rest, none);
            }
            // A function that an action leaves at zero, and at rest, stays on its side.
            let stays = <R::Bits as Bits>::select(fresh, none, lane.known & !sides[1]);
            let above = sides[0] | (rests & falls) | (lane.sides & stays);
            let known = sides[1] | rests | stays;
            lane.sides = <R::Bits as Bits>::select(renewed, above, lane.sides);
            lane.known = <R::Bits as Bits>::select(renewed, known, lane.known);
        }
        if !C::PASSAGES {
            settle::<R, S, N, P>(system, state, lane, begins);
        }
    }

    /// Stores whether lanes `which` have an event function that is not strictly on its side.
    pub fn settle<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        which: R::Mask,
    ) {
        let mut settled = <R::Mask as Mask>::splat(true);
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            for e in 0..S::EVENTS {
                let g = system.event(e, &state.u, &state.p, lane.t);
                let zero = R::lit(0.0);
                let above = has::<R>(lane.sides, bit);
                let there = (above & g.gt(zero)) | (!above & g.lt(zero));
                settled = settled & there & has::<R>(lane.known, bit);
                bit = bit.wrapping_add(bit);
            }
        }
        lane.unsettled = (which & !settled) | (!which & lane.unsettled);
    }

    /// Returns the sides of all events, the known ones, and the events at zero.
    ///
    /// Steps go in the direction of `h`. The functions of events `here` are at zero in the state
    /// `before` with the parameters `p_before`. If an action leaves such a function near zero, its
    /// sign may be due to rounding, so its slope determines the side. So it does for a function
    /// that is zero at the beginning of a trajectory, in lanes `fresh`. If an action moves another
    /// function exactly to zero, its side is unknown.
    #[called]
    pub fn sides_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        h: R,
        here: R::Bits,
        before: &[R; N],
        p_before: &[R; P],
        fresh: R::Mask,
    ) -> [R::Bits; 3] {
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let mut sides = none;
        let mut known = none;
        let mut at_zero = none;
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            for e in 0..S::EVENTS {
                let g = system.event(e, &state.u, &state.p, t);
                let was = system.event(e, before, p_before, t);
                let slope = slope_of::<R, S, N, P>(system, e, &state.u, &state.p, t, &state.du);
                let near = has::<R>(here, bit) & stays_at_zero::<R>(g, was, slope, t);
                let by_slope = near | (g.equals(zero) & fresh);
                let value = R::select(by_slope, slope * R::lit(1.0).copysign(h), g);
                sides = with::<R>(sides, bit, value.gt(zero));
                known = with::<R>(known, bit, value.gt(zero) | value.lt(zero));
                at_zero = with::<R>(at_zero, bit, near);
                bit = bit.wrapping_add(bit);
            }
        }
        [sides, known, at_zero]
    }

    /// Returns whether an event function is zero up to the resolution of times near `t`.
    pub fn is_at_zero<R: Real>(g: R, slope: R, t: R) -> R::Mask {
        let far = t.abs() * timeline::few_units::<R>() * R::lit(32.0);
        g.abs().le((slope * far).abs())
    }

    /// Returns whether a function that was at zero before an action is at zero after it.
    ///
    /// `was` is its value before the action, and `g` its value after it.
    pub fn stays_at_zero<R: Real>(g: R, was: R, slope: R, t: R) -> R::Mask {
        g.abs().le(was.abs() * R::lit(4.0)) | is_at_zero::<R>(g, slope, t)
    }

    /// Returns the slope of an event function along `du`.
    ///
    /// It is zero in systems with a mass matrix: their states have unknown derivatives.
    pub fn slope_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
        du: &[R; N],
    ) -> R {
        let mut slope = R::lit(0.0);
        if S::EVENTS > 0 {
            if !S::MASS {
                slope = system.event_slope(index, u, p, t, du);
            }
        }
        slope
    }

    /// Returns the events with functions at zero in the state of lanes `which`, up to rounding.
    ///
    /// `state.du` is the derivative at the end of the last step.
    pub fn near<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        which: R::Mask,
    ) -> R::Bits {
        let mut here = <R::Bits as Bits>::lit(0);
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            for e in 0..S::EVENTS {
                let g = system.event(e, &state.u, &state.p, t);
                let slope = slope_of::<R, S, N, P>(system, e, &state.u, &state.p, t, &state.du);
                here = with::<R>(here, bit, which & is_at_zero::<R>(g, slope, t));
                bit = bit.wrapping_add(bit);
            }
        }
        here
    }

    /// Returns the events at rest at zero after an action, and those in contact.
    ///
    /// Both are among the events `fired`, which have acted, and their functions are at zero before
    /// and after the action, up to rounding. Functions in contact were nowhere else since the last
    /// action. The action changed the state `before` with the derivative `du_before`. The last
    /// action was the time `since` before it.
    #[called]
    pub fn at_zero<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        before: &[R; N],
        p_before: &[R; P],
        du_before: &[R; N],
        since: R,
        fired: R::Bits,
    ) -> [R::Bits; 2] {
        let mut rests = <R::Bits as Bits>::lit(0);
        let mut touches = rests;
        let mut bit = <R::Bits as Bits>::lit(1);
        for e in 0..S::EVENTS {
            let here = has::<R>(fired, bit);
            if here.any() {
                let units = units_of::<R, S, N, P>(system, e, before, p_before, t);
                let g = system.event(e, &state.u, &state.p, t);
                let was = system.event(e, before, p_before, t);
                let near = here & g.abs().le((was.abs() * R::lit(4.0)).max(units));
                let slope = system.event_slope(e, &state.u, &state.p, t, &state.du);
                let speed = system.event_slope(e, before, p_before, t, du_before).abs();
                let still = slope.abs().le(speed * R::lit(STILL));
                rests = with::<R>(rests, bit, near & still);
                let low = (speed * since).le(units * R::lit(LOW));
                touches = with::<R>(touches, bit, near & low);
            }
            bit = bit.wrapping_add(bit);
        }
        [rests, touches]
    }

    /// The largest slope at rest, relative to the slope before the action: `2^-40`.
    pub const STILL: f64 = 9.094947017729282e-13;
    /// The largest movement between two actions of a function in contact, in rounding errors.
    pub const LOW: f64 = 64.0;

    /// Returns the rounding error of an event function: a few units of its terms.
    fn units_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        index: usize,
        u: &[R; N],
        p: &[R; P],
        t: R,
    ) -> R {
        let zero = R::lit(0.0);
        let mut along = [zero; N];
        let by_time = system.event_slope(index, u, p, t, &along);
        let mut sum = (by_time * t).abs();
        for d in 0..N {
            along[d] = R::lit(1.0);
            let slope = system.event_slope(index, u, p, t, &along) - by_time;
            sum = sum + (slope * u[d]).abs();
            along[d] = zero;
        }
        sum * timeline::few_units::<R>()
    }
}
