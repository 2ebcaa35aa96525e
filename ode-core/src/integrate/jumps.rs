//! Jumps: an action may carry a state over the zeros of other events.
//!
//! An action moves the state, or changes a mode, at one time. If the function of another event has
//! the other sign afterwards, that event happens right after the action, if its direction counts.
//! Several happen in the order of declaration. Their actions may carry the state over zeros in turn:
//! there are rounds, until none does.
//!
//! An event does not happen by its own action. A function that was at zero before the action, but
//! for rounding, has [rules](crate::integrate::events) of its own.

pub use device::*;

// The number of arguments is that of what an action depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(jumps)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, consistent, lane, logged, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, stepper};
    use crate::system::System;

    /// The events over whose zeros a state has jumped.
    #[derive(Clone, Copy, Debug)]
    pub struct Jumped<R: Real> {
        /// Those that happen.
        pub events: R::Bits,
        /// The sides after the jump, of functions that are not zero.
        pub above: R::Bits,
        /// Functions whose sides after the jump are these.
        pub known: R::Bits,
    }

    /// Lets the events happen over whose zeros actions have carried the states of lanes `which`.
    /// Returns the lanes whose trajectories end by that, with their codes.
    ///
    /// The actions were those of the events `fired`, or others, and came from the states `before`
    /// with the parameters `p_before`. The functions of the events `here` were at zero there.
    #[called]
    pub fn happen<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        feed: &mut Q,
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
            if S::LOGGED > 0 && feed.logs() {
                slot = logged::slot_of_first::<R, S, Q, N, P>(feed, none);
            }
            let mut acted = <R::Mask as Mask>::splat(false);
            let mut over = acted;
            let mut bit = one;
            let mut number = one;
            for e in 0..S::EVENTS {
                let here = sides::has::<R>(events, bit);
                if here.any() {
                    let count = feed.event_count(e).wrapping_add(one);
                    feed.set_event_count(here, e, count);
                    let u = state.u;
                    let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
                    let acts = here & sides::has::<R>(acting, bit);
                    actions::change::<R, S, N, P>(system, state, e, lane.t, acts);
                    if S::LOGGED > 0 && feed.logs() {
                        let logs = here & logged::is_logged::<R, S, N, P>(bit);
                        let rises = sides::has::<R>(jumped.above, bit);
                        let which = logged::number_of::<R>(number, rises);
                        feed.log_event(logs, slot, which, lane.t, &u, &state.u);
                        slot = <R::Bits as Bits>::select(logs, slot.wrapping_add(one), slot);
                    }
                    acted = acted | acts;
                    over = over
                        | (here & actions::ends::<R, S, N, P>(system, state, lane.t, e, count));
                }
                bit = bit.wrapping_add(bit);
                number = number.wrapping_add(one);
            }
            // What an action carries over zero again comes from the side that it is on now.
            let moved = <R::Bits as Bits>::select(busy, jumped.known, none);
            was = (was & !moved) | (jumped.above & moved);
            known = known | moved;
            near = none;
            done = events & <R::Bits as Bits>::lit(S::ACTING as u64);
            let terminated = <R::Bits as Bits>::lit(code::TERMINATED);
            lane.code = <R::Bits as Bits>::select(over, terminated, lane.code);
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

    /// The events over whose zeros the state has jumped from the sides `was`, without those `done`.
    /// The functions of the events `near` were at zero in the state `before`, but for rounding.
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
                stays = stays & g.abs().le(first.abs() * R::lit(4.0));
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
