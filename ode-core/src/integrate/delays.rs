//! Delayed actions, which run some time after their events.
//!
//! At the event, the lane stores the due time of the action. The earliest due time ends a segment
//! of the span, as a time to stop at does, so the hot loop has no code for delays. At the start of
//! the next segment, the actions run that are due.
//!
//! A due time that differs from another time by a [few
//! units](crate::step::timeline::few_units) is equal to it. A lane stores at most
//! [`MOST_DUE`](crate::integrate::lane::MOST_DUE) due times, and the trajectory fails if there are
//! more.

pub use device::*;

// An action depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(delays)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, lane, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, stepper, timeline};
    use crate::system::System;

    /// The mark of an action after which the trajectory ends, beside the bit of its event.
    pub const LAST: u64 = 1073741824;

    /// Returns whether the time `at` is reached at the time `now`, up to rounding.
    fn is_reached<R: Real>(lane: &lane::Lane<R>, at: R, now: R) -> R::Mask {
        let ahead = (at - now) * R::lit(1.0).copysign(lane.horizon - lane.t0);
        ahead.le(now.abs() * timeline::few_units::<R>())
    }

    /// Forgets the due times of lanes `fresh`, which begin a trajectory that ends at `end`.
    pub fn forget<R: Real>(lane: &mut lane::Lane<R>, fresh: R::Mask, end: R) {
        let none = <R::Bits as Bits>::lit(0);
        lane.horizon = R::select(fresh, end, lane.horizon);
        for slot in 0..lane::MOST_DUE {
            lane.due_events[slot] = <R::Bits as Bits>::select(fresh, none, lane.due_events[slot]);
        }
    }

    /// Ends the current segment of lanes `which` at their earliest due times.
    pub fn shorten<R: Real>(lane: &mut lane::Lane<R>, which: R::Mask) {
        let none = <R::Bits as Bits>::lit(0);
        for slot in 0..lane::MOST_DUE {
            let due = lane.due[slot];
            let waits = which & !lane.due_events[slot].equals(none);
            let sooner = waits & !is_reached::<R>(lane, lane.t1, due);
            lane.t1 = R::select(sooner, due, lane.t1);
        }
    }

    /// Stores the due time of the delayed action of event `index`, in lanes `which`.
    ///
    /// Returns the lanes with an action that runs now, because its delay is zero. The trajectory
    /// ends after the action in lanes `last`. `bit` is the bit of the event. If the delay is
    /// negative or a NaN, or too many due times are stored, the lane receives a code.
    pub fn schedule<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        index: usize,
        bit: R::Bits,
        which: R::Mask,
        last: R::Mask,
    ) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        let mut now = <R::Mask as Mask>::splat(false);
        if which.any() {
            let delay = system.delay(index, &state.u, &state.p, lane.t);
            let sound = which & delay.ge(R::lit(0.0));
            let due = lane.t + (lane.t_low + delay.copysign(lane.horizon - lane.t0));
            let at_once = sound & is_reached::<R>(lane, due, lane.t);
            now = at_once;
            let mut waits = sound & !at_once & !is_reached::<R>(lane, lane.horizon, due);
            let marked = bit | <R::Bits as Bits>::lit(LAST);
            let event = <R::Bits as Bits>::select(last, marked, bit);
            for slot in 0..lane::MOST_DUE {
                let free = waits & lane.due_events[slot].equals(none);
                lane.due[slot] = R::select(free, due, lane.due[slot]);
                lane.due_events[slot] =
                    <R::Bits as Bits>::select(free, event, lane.due_events[slot]);
                waits = waits & !free;
            }
            let too_many = <R::Bits as Bits>::lit(code::TOO_MANY_EVENTS);
            lane.code = <R::Bits as Bits>::select(waits, too_many, lane.code);
            let unsound = <R::Bits as Bits>::lit(code::NON_FINITE);
            lane.code = <R::Bits as Bits>::select(which & !sound, unsound, lane.code);
            shorten::<R>(lane, which);
        }
        now
    }

    /// The actions that ran at the start of a segment.
    #[derive(Clone, Copy, Debug)]
    pub struct Ran<R: Real> {
        /// The events of these actions.
        pub events: R::Bits,
        /// Lanes with a trajectory that ends after its action.
        pub over: R::Mask,
    }

    /// Returns the result for a segment without delayed actions.
    pub fn none_ran<R: Real>() -> Ran<R> {
        let over = <R::Mask as Mask>::splat(false);
        Ran::<R> { events: <R::Bits as Bits>::lit(0), over }
    }

    /// Runs the actions that are due when lanes `again` start a segment.
    ///
    /// The order is the order of their events.
    pub fn run<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        again: R::Mask,
    ) -> Ran<R> {
        let none = <R::Bits as Bits>::lit(0);
        let mut ran = none_ran::<R>();
        let mut bit = <R::Bits as Bits>::lit(1);
        for e in 0..S::EVENTS {
            for slot in 0..lane::MOST_DUE {
                let waits = again & sides::has::<R>(lane.due_events[slot], bit);
                let here = waits & is_reached::<R>(lane, lane.due[slot], lane.t0);
                if here.any() {
                    let index = actions::delayed::<R, S, N, P>(e);
                    actions::change::<R, S, Q, N, P>(system, io, state, index, lane.t0, here);
                    let last = <R::Bits as Bits>::lit(LAST);
                    ran.over = ran.over | (here & sides::has::<R>(lane.due_events[slot], last));
                    ran.events = sides::with::<R>(ran.events, bit, here);
                    lane.due_events[slot] =
                        <R::Bits as Bits>::select(here, none, lane.due_events[slot]);
                }
            }
            bit = bit.wrapping_add(bit);
        }
        let terminated = <R::Bits as Bits>::lit(code::TERMINATED);
        lane.code = <R::Bits as Bits>::select(ran.over, terminated, lane.code);
        ran
    }

    /// Counts the fixed steps of the current segment again, in lanes `which` with a new end.
    ///
    /// The steps before the next attempt are made. The last step is shorter, as at each end of a
    /// segment.
    pub fn count_again<R: Real>(lane: &mut lane::Lane<R>, which: R::Mask) {
        let one = R::lit(1.0);
        let next = timeline::whole_from_bits::<R>(lane.attempts) + one;
        let count = timeline::steps(lane.t0, lane.t1, lane.dt.abs()).max(next);
        let last = timeline::whole_to_bits(count);
        lane.last_attempt = <R::Bits as Bits>::select(which, last, lane.last_attempt);
        let rest = (one - count).mul_add(lane.dt, lane.t1 - lane.t0);
        lane.last_dt = R::select(which, rest, lane.last_dt);
    }
}
