//! Actions at given times: a lane is at one where it begins its span or a part of it.
//!
//! The host makes the times a trajectory's times to stop at, so that a part of its span ends at each
//! of them. What begins there asks which actions are due: the same expressions say so that the host
//! had the times from. Times are the same that differ by a [few
//! units](crate::step::timeline::few_units), for which the host has one time to stop at.

pub use device::*;

// The number of arguments is that of what a beginning depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(timed)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, consistent, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, stepper, timeline};
    use crate::system::System;

    /// Whether the time is one of action `index`: one if it is, zero if it is not, and less than
    /// zero if a time of it is a NaN.
    fn due<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        index: usize,
        p: &[R; P],
        t: R,
    ) -> R {
        system.due(index, p, t, timeline::few_units::<R>())
    }

    /// Whether a time of an action is a NaN.
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

    /// Does what is due where lanes `begins` begin their spans or parts of them, which are the
    /// beginnings of trajectories in lanes `fresh`. Returns the lanes where
    /// something was, and leaves in `before` the states that they had.
    pub fn act<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        feed: &mut Q,
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
            feed.set_event_count(fresh, S::EVENTS + e, <R::Bits as Bits>::lit(0));
            acts = acts | due::<R, S, N, P>(system, e, &state.p, lane.t0).gt(zero);
        }
        acts = acts & begins & lane.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
        if acts.any() {
            // A state at the end of a step is consistent.
            let at = lane.t0;
            consistent::settle::<R, S, N, P>(system, state, lane, acts & fresh, at);
            *before = state.u;
            for e in 0..S::TIMED {
                let here = acts & due::<R, S, N, P>(system, e, &state.p, lane.t0).gt(zero);
                actions::change::<R, S, N, P>(system, state, S::EVENTS + e, lane.t0, here);
                let count = feed.event_count(S::EVENTS + e).wrapping_add(one);
                feed.set_event_count(here, S::EVENTS + e, count);
            }
        }
        acts
    }
}
