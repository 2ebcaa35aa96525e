//! Scheduled actions, which act at the start of a span or segment.
//!
//! The host adds the times of all actions to a trajectory's times to stop at, so that a segment
//! ends at each of them. At the start of the next segment, the lane determines which actions are
//! due. Host and lane evaluate the same expressions for the times. Times that differ by a [few
//! units](crate::step::timeline::few_units) count as equal, and the host adds one time to stop at
//! for them.
//!
//! The times to stop at have no mark of their action. Within a segment, scheduled actions have one
//! cost: lanes store the size that their last step had before the end shortened it.

pub use device::*;

// A start depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(timed)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, consistent, lane, logged, recording};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, stepper, timeline};
    use crate::system::System;

    /// Returns whether `t` is a time of action `index`.
    ///
    /// The result is one if it is, zero if it is not, and negative if a time of the action is a
    /// NaN.
    fn due<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        index: usize,
        p: &[R; P],
        t: R,
    ) -> R {
        system.due(index, p, t, timeline::few_units::<R>())
    }

    /// Returns whether a time of an action is a NaN.
    pub fn is_unknown<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        p: &[R; P],
        t: R,
    ) -> R::Mask {
        let mut unknown = <R::Mask as Mask>::splat(false);
        for e in 0..S::TIMED {
            unknown = unknown | due::<R, S, N, P>(system, e, p, t).lt(R::lit(0.0));
        }
        unknown
    }

    /// Runs and logs the actions that are due when lanes `begins` start.
    ///
    /// They start a segment or, in lanes `fresh`, a trajectory. Returns the lanes with an action,
    /// and stores in `before` their states before the actions.
    pub fn act<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        begins: R::Mask,
        fresh: R::Mask,
        before: &mut [R; N],
    ) -> R::Mask {
        let one = <R::Bits as Bits>::lit(1);
        let zero = R::lit(0.0);
        let mut acts = <R::Mask as Mask>::splat(false);
        for e in 0..S::TIMED {
            let index = actions::scheduled::<R, S, N, P>(e);
            io.set_event_count(fresh, index, <R::Bits as Bits>::lit(0));
            acts = acts | due::<R, S, N, P>(system, e, &state.p, lane.t0).gt(zero);
        }
        acts = acts & begins & lane.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
        if acts.any() {
            // A state at the end of a step is consistent already.
            let at = lane.t0;
            consistent::settle::<R, S, N, P>(system, state, lane, acts & fresh, at);
            *before = state.u;
            let mut slot = <R::Bits as Bits>::lit(0);
            if S::TIMED_LOGGED > 0 && io.logs() {
                // The counts of events are not reset yet.
                let next = logged::slot_of_first::<R, S, Q, N, P>(io, slot);
                slot = <R::Bits as Bits>::select(fresh, slot, next);
            }
            let mut bit = one;
            let mut number = <R::Bits as Bits>::lit((S::EVENTS + 1) as u64);
            for e in 0..S::TIMED {
                let here = acts & due::<R, S, N, P>(system, e, &state.p, lane.t0).gt(zero);
                let index = actions::scheduled::<R, S, N, P>(e);
                if io.records_actions() {
                    let cause = recording::CAUSE + index;
                    io.record_action(here, cause, &state.u, &state.p, lane.t0);
                }
                let u = state.u;
                actions::change::<R, S, Q, N, P>(system, io, state, index, lane.t0, here);
                if S::TIMED_LOGGED > 0 && io.logs() {
                    let logs = here & logged::is_timed_logged::<R, S, N, P>(bit);
                    let which = logged::number_of::<R>(number, here);
                    io.log_event(logs, slot, which, lane.t0, &u, &state.u);
                    slot = <R::Bits as Bits>::select(logs, slot.wrapping_add(one), slot);
                }
                bit = bit.wrapping_add(bit);
                number = number.wrapping_add(one);
                let count = io.event_count(index).wrapping_add(one);
                io.set_event_count(here, index, count);
            }
        }
        acts
    }
}
