//! The effects of actions on states, modes and the end of trajectories.
//!
//! The modes are consecutive parameters, from `FIRST_MODE` on (`Layout::modes` in the compiler). So
//! every path of parameters to lanes also transports the initial values of modes.
//!
//! A right-hand side may compare the time with times that the host needs in advance. Such times do
//! not come from modes, because the host does not have the values of modes.

pub use device::*;

#[ode_macros::device(actions)]
mod device {
    use crate::integrate::options::Sink;
    use crate::lane::{Bits, Real};
    use crate::step::{stepper, timeline, vector};
    use crate::system::System;

    /// Returns the index of scheduled action `number`, among all actions.
    ///
    /// Events come first, then scheduled actions, then conditions, then the delayed actions of
    /// events.
    pub fn scheduled<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        number: usize,
    ) -> usize {
        S::EVENTS + number
    }

    /// Returns the index of condition `number`, among all actions.
    pub fn condition<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        number: usize,
    ) -> usize {
        S::EVENTS + S::TIMED + number
    }

    /// Returns the index of the delayed action of event `number`, among all actions.
    pub fn delayed<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        number: usize,
    ) -> usize {
        S::EVENTS + S::TIMED + S::CONDITIONS + number
    }

    /// Returns the index of jump `number` among all counts.
    ///
    /// Events come first, then scheduled actions, then conditions, then jumps.
    pub fn jump<R: Real, S: System<N, P>, const N: usize, const P: usize>(number: usize) -> usize {
        S::EVENTS + S::TIMED + S::CONDITIONS + number
    }

    /// Runs action `index` in lanes `which`.
    pub fn change<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        state: &mut stepper::State<R, N, P>,
        index: usize,
        t: R,
        which: R::Mask,
    ) {
        if io.records_actions() {
            io.record_action(which, index, &state.u, &state.p, t);
        }
        let after = system.event_action(index, &state.u, &state.p, t);
        if S::MODES > 0 {
            let p = system.modes_after(index, &state.u, &state.p, t);
            choose_modes::<R, S, N, P>(state, &p, which);
        }
        state.u = vector::choose::<R, N>(which, after, state.u);
    }

    /// Returns whether event `index` ends the trajectory at this count.
    pub fn ends<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        index: usize,
        count: R::Bits,
    ) -> R::Mask {
        let limit = timeline::whole_to_bits(system.event_limit(index, &state.u, &state.p, t));
        <R::Bits as Bits>::lit(0).less_than(limit) & !count.less_than(limit)
    }

    /// The largest number of consecutive actions at one time, up to rounding.
    pub const MOST_AT_ONCE: u32 = 64;

    /// Copies the modes among the parameters `p` in lanes `which`.
    pub fn choose_modes<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        state: &mut stepper::State<R, N, P>,
        p: &[R; P],
        which: R::Mask,
    ) {
        for d in 0..S::MODES {
            let mode = S::FIRST_MODE + d;
            state.p[mode] = R::select(which, p[mode], state.p[mode]);
        }
    }

    /// Delivers the final modes of lanes `over`, among the parameters `p`, to the sink.
    pub fn hand_in<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        p: &[R; P],
        over: R::Mask,
    ) {
        for d in 0..S::MODES {
            io.set_mode(over, d, p[S::FIRST_MODE + d]);
        }
    }
}
