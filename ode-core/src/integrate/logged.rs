//! The log of events, scheduled actions and conditions, in the order of their times.
//!
//! The sum of a trajectory's counts over those with `log` is the number of its entries. So the
//! index of the next entry follows from these counts, and the log needs no count of its own.
//! Entries beyond the log's capacity are not written, but their events are counted.
//!
//! Scheduled actions and conditions are logged when they are counted, and so are events that act or
//! end the trajectory: they are at the end of a step.
//! Other events are within a step, and are searched in the order of their times. A lane has no
//! memory for all of them, so each pass finds the next one after the last one. A step rarely
//! contains more than one event.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(logged)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, lane, roots, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{stepper, timeline, vector};
    use crate::system::System;

    /// The next event to log within a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Next<R: Real> {
        /// Lanes with such an event.
        pub found: R::Mask,
        /// Lanes with another event after it.
        pub more: R::Mask,
        /// The time of the event, as a fraction of the step.
        pub theta: R,
        /// The rank of the event among crossings at the same time.
        pub order: R::Bits,
        /// The logged number of the event; see [`number_of`].
        pub event: R,
    }

    /// Returns the state before the first event.
    fn none<R: Real>() -> Next<R> {
        let nobody = <R::Mask as Mask>::splat(false);
        let zero = <R::Bits as Bits>::lit(0);
        Next::<R> {
            found: nobody,
            more: nobody,
            theta: R::lit(-1.0),
            order: zero,
            event: R::lit(0.0),
        }
    }

    /// Returns the earlier of `next` and a crossing at `theta`.
    ///
    /// The crossing is in lanes `which`, and counts only if it is after `last`.
    fn sooner<R: Real>(
        next: &Next<R>,
        last: &Next<R>,
        which: R::Mask,
        theta: R,
        order: R::Bits,
        event: R,
    ) -> Next<R> {
        let behind = theta.equals(last.theta) & last.order.less_than(order);
        let after = which & (last.theta.lt(theta) | behind);
        let first = after & (!next.found | theta.lt(next.theta));
        Next::<R> {
            found: next.found | after,
            more: next.more | (next.found & after),
            theta: R::select(first, theta, next.theta),
            order: <R::Bits as Bits>::select(first, order, next.order),
            event: R::select(first, event, next.event),
        }
    }

    /// Returns the logged number of an event, counted from one; negative if falling.
    ///
    /// Scheduled actions and conditions rise by definition.
    pub fn number_of<R: Real>(number: R::Bits, rises: R::Mask) -> R {
        let number = timeline::whole_from_bits::<R>(number);
        R::select(rises, number, -number)
    }

    /// Returns whether the event of this bit is logged.
    pub fn is_logged<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        bit: R::Bits,
    ) -> R::Mask {
        sides::has::<R>(<R::Bits as Bits>::lit(S::LOGGED as u64), bit)
    }

    /// Returns whether the scheduled action of this bit is logged.
    pub fn is_timed_logged<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        bit: R::Bits,
    ) -> R::Mask {
        sides::has::<R>(<R::Bits as Bits>::lit(S::TIMED_LOGGED as u64), bit)
    }

    /// Returns whether the condition of this bit is logged.
    pub fn is_condition_logged<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        bit: R::Bits,
    ) -> R::Mask {
        sides::has::<R>(<R::Bits as Bits>::lit(S::CONDITIONS_LOGGED as u64), bit)
    }

    /// Returns the index of a trajectory's next log entry, from its counts.
    ///
    /// Events `fired` are among these counts, but not yet among the entries.
    pub fn slot_of_first<
        R: Real,
        S: System<N, P>,
        Q: Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        io: &Q,
        fired: R::Bits,
    ) -> R::Bits {
        let one = <R::Bits as Bits>::lit(1);
        let mut all = <R::Bits as Bits>::lit(0);
        let mut bit = one;
        for e in 0..S::EVENTS {
            let logs = is_logged::<R, S, N, P>(bit);
            all = <R::Bits as Bits>::select(logs, all.wrapping_add(io.event_count(e)), all);
            let comes = logs & sides::has::<R>(fired, bit);
            all = <R::Bits as Bits>::select(comes, all.wrapping_sub(one), all);
            bit = bit.wrapping_add(bit);
        }
        if S::TIMED_LOGGED > 0 {
            bit = one;
            for e in 0..S::TIMED {
                let logs = is_timed_logged::<R, S, N, P>(bit);
                let count = io.event_count(actions::scheduled::<R, S, N, P>(e));
                all = <R::Bits as Bits>::select(logs, all.wrapping_add(count), all);
                bit = bit.wrapping_add(bit);
            }
        }
        if S::CONDITIONS_LOGGED > 0 {
            bit = one;
            for e in 0..S::CONDITIONS {
                let logs = is_condition_logged::<R, S, N, P>(bit);
                let count = io.event_count(actions::condition::<R, S, N, P>(e));
                all = <R::Bits as Bits>::select(logs, all.wrapping_add(count), all);
                bit = bit.wrapping_add(bit);
            }
        }
        if S::JUMPS_LOGGED > 0 {
            bit = one;
            let logged = <R::Bits as Bits>::lit(S::JUMPS_LOGGED as u64);
            for j in 0..S::JUMPS {
                let logs = sides::has::<R>(logged, bit);
                let count = io.event_count(actions::jump::<R, S, N, P>(j));
                all = <R::Bits as Bits>::select(logs, all.wrapping_add(count), all);
                bit = bit.wrapping_add(bit);
            }
        }
        all
    }

    /// Logs the events within a step of lanes `which`, before they are counted.
    ///
    /// The functions of events `first`, `second` and `third` cross zero for the first, second and
    /// third time in the step. Functions in `bent` turn beyond zero, and functions in `thrice` turn
    /// again on their side.
    pub fn within<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        end: R,
        first: R::Bits,
        second: R::Bits,
        third: R::Bits,
        bent: R::Bits,
        thrice: R::Bits,
        which: R::Mask,
    ) {
        let nothing = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let full = R::lit(1.0);
        let zero = R::lit(0.0);
        let logged = <R::Bits as Bits>::lit(S::LOGGED as u64);
        let some = (first | second | third) & logged;
        let mut slot = slot_of_first::<R, S, Q, N, P>(io, nothing);
        let mut last = none::<R>();
        let mut busy = which & !some.equals(nothing);
        while busy.any() {
            let mut next = none::<R>();
            let mut bit = one;
            let mut number = one;
            let mut order = one;
            for e in 0..S::EVENTS {
                let leaves = busy & sides::has::<R>(first & logged, bit);
                let returns = busy & sides::has::<R>(second & logged, bit);
                let leaves_again = busy & sides::has::<R>(third & logged, bit);
                if (leaves | returns | leaves_again).any() {
                    let above = sides::has::<R>(lane.sides, bit);
                    let side = R::select(above, full, -full);
                    let bends = busy & sides::has::<R>(bent, bit);
                    let mut turn = full;
                    let mut turn_back = full;
                    if bends.any() {
                        let thrice = bends & sides::has::<R>(thrice, bit);
                        let turns = roots::turns_of::<R, S, M, N, P>(
                            system, state, ask, step, e, bends, thrice, side,
                        );
                        turn = R::select(bends, turns.first, full);
                        turn_back = R::select(thrice, turns.second, full);
                    }
                    if leaves.any() {
                        let theta = roots::zero_of::<R, S, M, N, P>(
                            system, state, ask, step, e, leaves, zero, turn, side, false,
                        );
                        let event = number_of::<R>(number, !above);
                        next = sooner::<R>(&next, &last, leaves, theta, order, event);
                    }
                    let order = order.wrapping_add(one);
                    if returns.any() {
                        let theta = roots::zero_of::<R, S, M, N, P>(
                            system, state, ask, step, e, returns, turn, turn_back, -side, false,
                        );
                        let event = number_of::<R>(number, above);
                        next = sooner::<R>(&next, &last, returns, theta, order, event);
                    }
                    let order = order.wrapping_add(one);
                    if leaves_again.any() {
                        let theta = roots::zero_of::<R, S, M, N, P>(
                            system,
                            state,
                            ask,
                            step,
                            e,
                            leaves_again,
                            turn_back,
                            full,
                            side,
                            false,
                        );
                        let event = number_of::<R>(number, !above);
                        next = sooner::<R>(&next, &last, leaves_again, theta, order, event);
                    }
                }
                bit = bit.wrapping_add(bit);
                number = number.wrapping_add(one);
                order = order.wrapping_add(one).wrapping_add(one).wrapping_add(one);
            }
            // A point at the end of the step is the state itself.
            let at_end = next.theta.equals(full);
            let inner = M::interpolate::<R, N, P>(state, ask, step, next.theta);
            let u = vector::choose::<R, N>(at_end, step.u, inner);
            let mut t = ask.h.mul_add(next.theta, lane.t);
            if !R::DOUBLE {
                t = lane.t + ask.h.mul_add(next.theta, lane.t_low);
            }
            t = R::select(at_end, end, t);
            io.log_event(next.found, slot, next.event, t, &u, &u);
            slot = <R::Bits as Bits>::select(next.found, slot.wrapping_add(one), slot);
            busy = busy & next.more;
            last = next;
        }
    }
}
