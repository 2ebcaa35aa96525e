//! The record of actions, for gradients: the actions of a trajectory, in the order of execution.
//!
//! The sink stores the state, the modes and the time before each action, and the number of the
//! action. Marks among the actions have numbers of their own:
//!
//! * The *cause* precedes the actions of an event or of a scheduled action. It names the event or
//!   the scheduled action that determined their time. The actions of conditions have no cause.
//! * Before the cause, a mark for each other event at the same time that acts or ends the
//!   trajectory.
//! * A mark at the beginning of each segment but the first, if the right-hand side may jump there.
//! * A mark at the end of the trajectory.
//!
//! So the [adjoint](crate::integrate::saltation) repeats neither the search nor the decisions of the
//! forward loop.

pub use device::*;

#[ode_macros::device(recording)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::sides;
    use crate::lane::{Bits, Real};
    use crate::step::stepper;
    use crate::system::System;

    /// The number of a cause, less the index of its event or scheduled action.
    ///
    /// Indices are those of [`actions`](crate::integrate::actions). All are below this number.
    pub const CAUSE: usize = 1048576;
    /// The number of another event at the time of a cause, less its index.
    pub const COINCIDES: usize = 1572864;
    /// The number of the beginning of a segment.
    pub const SEGMENT: usize = 2097152;
    /// The number of the end of a trajectory, less the number of passed times to stop at.
    pub const END: usize = 4194304;
    /// The part of [`Found::event`](crate::integrate::events::Found::event) that is a number of an
    /// event.
    pub const EVENT_OF: u64 = 63;

    /// Records the event that determined the time of a step's end, in lanes `which`.
    ///
    /// The events `fired` occur there. The step went to the event `aimed`, if it went to one.
    /// Otherwise the first of the events is the cause.
    pub fn cause<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        state: &stepper::State<R, N, P>,
        t: R,
        aimed: R::Bits,
        fired: R::Bits,
        which: R::Mask,
    ) {
        let one = <R::Bits as Bits>::lit(1);
        let aimed = aimed & <R::Bits as Bits>::lit(EVENT_OF);
        let mut number = <R::Bits as Bits>::lit(CAUSE as u64);
        let mut cause = number;
        let mut unknown = which;
        let mut bit = one;
        let mut event = one;
        for _event in 0..S::EVENTS {
            let here = which & sides::has::<R>(fired, bit);
            cause =
                <R::Bits as Bits>::select(here & (unknown | aimed.equals(event)), number, cause);
            unknown = unknown & !here;
            bit = bit.wrapping_add(bit);
            event = event.wrapping_add(one);
            number = number.wrapping_add(one);
        }
        if S::EVENTS > 1 {
            let mut also = <R::Bits as Bits>::lit(COINCIDES as u64);
            bit = one;
            number = <R::Bits as Bits>::lit(CAUSE as u64);
            for _event in 0..S::EVENTS {
                let here = which & sides::has::<R>(fired, bit) & !cause.equals(number);
                io.record_mark(here, also, &state.u, &state.p, t);
                bit = bit.wrapping_add(bit);
                also = also.wrapping_add(one);
                number = number.wrapping_add(one);
            }
        }
        io.record_mark(which, cause, &state.u, &state.p, t);
    }
}
