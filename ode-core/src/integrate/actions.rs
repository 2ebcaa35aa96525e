//! What an action changes: the state, and the modes, which are among the parameters.

pub use device::*;

#[ode_macros::device(actions)]
mod device {
    use crate::lane::Real;
    use crate::step::{stepper, vector};
    use crate::system::System;

    /// Does action `index` in lanes `which`.
    pub fn change<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &mut stepper::State<R, N, P>,
        index: usize,
        t: R,
        which: R::Mask,
    ) {
        let after = system.event_action(index, &state.u, &state.p, t);
        if S::MODES > 0 {
            let p = system.modes_after(index, &state.u, &state.p, t);
            choose_modes::<R, S, N, P>(state, &p, which);
        }
        state.u = vector::choose::<R, N>(which, after, state.u);
    }

    /// Takes the modes among the parameters `p` in lanes `which`.
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
}
