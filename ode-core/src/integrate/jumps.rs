//! Jumps: an action may move a state across the zeros of other events.
//!
//! An action changes the state or a mode at one time. If the function of another event has the
//! opposite sign afterwards, and its direction counts, that event occurs right after the action.
//! Several such events occur in the order of declaration. Their actions may move the state across
//! zeros in turn. So there are rounds, until no further event occurs.
//!
//! An event does not occur by its own action. The [events](crate::integrate::events) module has the
//! rules for functions at zero before the action, up to rounding.

pub use device::*;

// An action depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(jumps)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, consistent, delays, lane, logged, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, stepper};
    use crate::system::System;

    /// The zeros that a jump has crossed.
    #[derive(Clone, Copy, Debug)]
    pub struct Jumped<R: Real> {
        /// The events that occur.
        pub events: R::Bits,
        /// The functions above zero after the jump.
        pub above: R::Bits,
        /// The functions with a known side after the jump, since they are not zero.
        pub known: R::Bits,
    }

    /// Runs the events with zeros that actions have crossed, in lanes `which`.
    ///
    /// Returns the lanes with trajectories that end here, and stores their codes.
    ///
    /// The actions belong to the events `fired`, or are scheduled. They started from the states
    /// `before` with the parameters `p_before`. The functions of the events `here` were at zero in
    /// these states.
    #[called]
    pub fn happen<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        which: R::Mask,
        fired: R::Bits,
        here: R::Bits,
        before: &[R; N],
        p_before: &[R; P],
    ) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let mut ended = <R::Mask as Mask>::splat(false);
        let mut busy = which;
        let mut done = fired;
        let mut was = lane.sides;
        let mut known = lane.known;
        let mut near = here;
        let mut rounds: u32 = 0;
        while busy.any() {
            let t = lane.t;
            consistent::settle::<R, S, N, P>(system, state, lane, busy, t);
            let failed = busy & !lane.code.equals(none);
            ended = ended | failed;
            busy = busy & !failed;
            let jumped =
                of::<R, S, N, P>(system, state, lane.t, was, known, done, near, before, p_before);
            let events = <R::Bits as Bits>::select(busy, jumped.events, none);
            let mut slot = none;
            if S::LOGGED > 0 && io.logs() {
                slot = logged::slot_of_first::<R, S, Q, N, P>(io, none);
            }
            let mut acted = <R::Mask as Mask>::splat(false);
            let mut over = acted;
            let mut ran = none;
            let mut bit = one;
            let mut number = one;
            for e in 0..S::EVENTS {
                let here = sides::has::<R>(events, bit);
                if here.any() {
                    let count = io.event_count(e).wrapping_add(one);
                    io.set_event_count(here, e, count);
                    let rises = sides::has::<R>(jumped.above, bit);
                    let effects = occur::<R, S, Q, N, P>(
                        system, io, state, lane, e, bit, number, here, rises, &mut slot,
                    );
                    acted = acted | effects.acts;
                    ran = sides::with::<R>(ran, bit, effects.acts);
                    over = over | effects.over;
                }
                bit = bit.wrapping_add(bit);
                number = number.wrapping_add(one);
            }
            // The next round starts from the sides that the state has now.
            let moved = <R::Bits as Bits>::select(busy, jumped.known, none);
            was = (was & !moved) | (jumped.above & moved);
            known = known | moved;
            near = none;
            done = ran;
            let terminated = <R::Bits as Bits>::lit(code::TERMINATED);
            lane.code = <R::Bits as Bits>::select(over, terminated, lane.code);
            if S::DELAYED > 0 {
                over = over | (busy & !lane.code.equals(none));
            }
            ended = ended | over;
            busy = acted & !over;
            rounds += 1;
            if rounds == actions::MOST_AT_ONCE {
                let too_many = <R::Bits as Bits>::lit(code::TOO_MANY_EVENTS);
                lane.code = <R::Bits as Bits>::select(busy, too_many, lane.code);
                ended = ended | busy;
                busy = <R::Mask as Mask>::splat(false);
            }
        }
        ended
    }

    /// The effects of an event.
    #[derive(Clone, Copy, Debug)]
    pub struct Effects<R: Real> {
        /// Lanes with an action that ran.
        pub acts: R::Mask,
        /// Lanes with an action that waits for its due time.
        pub waits: R::Mask,
        /// Lanes with a trajectory that ends.
        pub over: R::Mask,
    }

    /// Runs the actions of event `index` in lanes `here`, after it was counted, and logs it.
    ///
    /// `bit` and `number` belong to the event, and `slot` to the next entry of the log.
    /// In lanes `rises`, the function became positive.
    pub fn occur<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        index: usize,
        bit: R::Bits,
        number: R::Bits,
        here: R::Mask,
        rises: R::Mask,
        slot: &mut R::Bits,
    ) -> Effects<R> {
        let before = state.u;
        let count = io.event_count(index);
        let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
        let mut acts = here & sides::has::<R>(acting, bit);
        let mut waits = <R::Mask as Mask>::splat(false);
        let mut now = waits;
        if S::DELAYED > 0 {
            let delayed = <R::Bits as Bits>::lit(S::DELAYED as u64);
            waits = here & sides::has::<R>(delayed, bit);
            let last = actions::ends::<R, S, N, P>(system, state, lane.t, index, count);
            now = delays::schedule::<R, S, N, P>(system, state, lane, index, bit, waits, last);
            waits = waits & !now;
        }
        actions::change::<R, S, Q, N, P>(system, io, state, index, lane.t, acts);
        if S::DELAYED > 0 {
            let delayed = actions::delayed::<R, S, N, P>(index);
            actions::change::<R, S, Q, N, P>(system, io, state, delayed, lane.t, now);
            acts = acts | now;
        }
        if S::LOGGED > 0 && io.logs() {
            let logs = here & logged::is_logged::<R, S, N, P>(bit);
            let which = logged::number_of::<R>(number, rises);
            io.log_event(logs, *slot, which, lane.t, &before, &state.u);
            *slot = <R::Bits as Bits>::select(
                logs,
                slot.wrapping_add(<R::Bits as Bits>::lit(1)),
                *slot,
            );
        }
        let ends = actions::ends::<R, S, N, P>(system, state, lane.t, index, count);
        Effects::<R> { acts, waits, over: here & !waits & ends }
    }

    /// Returns the events with zeros that the state has crossed, from the sides `was`.
    ///
    /// The events `done` are excluded. The functions of the events `near` were at zero in the state
    /// `before`, up to rounding.
    fn of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        was: R::Bits,
        known: R::Bits,
        done: R::Bits,
        near: R::Bits,
        before: &[R; N],
        p_before: &[R; P],
    ) -> Jumped<R> {
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let mut above = none;
        let mut sure = none;
        let mut bit = <R::Bits as Bits>::lit(1);
        for e in 0..S::EVENTS {
            let g = system.event(e, &state.u, &state.p, t);
            let mut stays = sides::has::<R>(near, bit);
            if stays.any() {
                let first = system.event(e, before, p_before, t);
                let slope =
                    sides::slope_of::<R, S, N, P>(system, e, before, p_before, t, &state.du);
                stays = stays & sides::stays_at_zero::<R>(g, first, slope, t);
            }
            let decided = (g.gt(zero) | g.lt(zero)) & !stays;
            above = sides::with::<R>(above, bit, decided & g.gt(zero));
            sure = sides::with::<R>(sure, bit, decided);
            bit = bit.wrapping_add(bit);
        }
        let counts = sides::in_direction::<R, S, N, P>(above);
        let ignored = <R::Bits as Bits>::lit(S::NO_JUMPS as u64);
        let events = known & sure & (was ^ above) & counts & !done & !ignored;
        Jumped::<R> { events, above, known: sure }
    }
}
