//! On which side of zero the functions of events are.

pub use device::*;

#[ode_macros::device(sides)]
mod device {
    use crate::integrate::lane;
    use crate::integrate::options::Sink;
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper;
    use crate::system::System;

    /// Whether the event of this bit is in a set.
    pub fn has<R: Real>(set: R::Bits, bit: R::Bits) -> R::Mask {
        !(set & bit).equals(<R::Bits as Bits>::lit(0))
    }

    /// A set with the event of this bit in lanes `which`.
    pub fn with<R: Real>(set: R::Bits, bit: R::Bits, which: R::Mask) -> R::Bits {
        <R::Bits as Bits>::select(which, set | bit, set)
    }

    /// Arms the events of lanes that begin a part of their span, and of those that begin their
    /// trajectories: the sides are those of the initial states, and of the states after an action
    /// that was due there.
    pub fn arm<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        feed: &mut Q,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        begins: R::Mask,
        fresh: R::Mask,
        acted: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        lane.pending = <R::Bits as Bits>::select(begins, none, lane.pending);
        lane.cut = R::select(begins, R::lit(0.0), lane.cut);
        if fresh.any() {
            lane.chain = <R::Bits as Bits>::select(fresh, none, lane.chain);
            lane.acted = R::select(fresh, lane.t0, lane.acted);
            for e in 0..S::EVENTS {
                feed.set_event_count(fresh, e, none);
            }
            for e in 0..S::CONDITIONS {
                feed.set_event_count(fresh, S::EVENTS + S::TIMED + e, none);
            }
        }
        let renewed = fresh | acted;
        if renewed.any() {
            let h = lane.t1 - lane.t0;
            let sides = sides_of::<R, S, N, P>(system, state, lane.t, h, none, &state.u, &state.p);
            lane.sides = <R::Bits as Bits>::select(renewed, sides[0], lane.sides);
            lane.known = <R::Bits as Bits>::select(renewed, sides[1], lane.known);
        }
    }

    /// The sides of all events, and which of them are known, for steps in the direction of `h`. Of
    /// events `here`, whose places are in the state `before`, with the modes of `p_before`, rounding
    /// may have left the function at either side of zero: there the slope says which one it is.
    #[called]
    pub fn sides_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        h: R,
        here: R::Bits,
        before: &[R; N],
        p_before: &[R; P],
    ) -> [R::Bits; 2] {
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let mut sides = none;
        let mut known = none;
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            for e in 0..S::EVENTS {
                let g = system.event(e, &state.u, &state.p, t);
                let was = system.event(e, before, p_before, t);
                let near = has::<R>(here, bit) & g.abs().le(was.abs() * R::lit(4.0));
                let mut slope = zero;
                if !S::MASS {
                    slope = system.event_slope(e, &state.u, &state.p, t, &state.du);
                }
                let value = R::select(near | g.equals(zero), slope * R::lit(1.0).copysign(h), g);
                sides = with::<R>(sides, bit, value.gt(zero));
                known = with::<R>(known, bit, value.gt(zero) | value.lt(zero));
                bit = bit.wrapping_add(bit);
            }
        }
        [sides, known]
    }
}
