//! The options of a solve, the source of its trajectories, and the sink of its results.

pub use device::*;

#[ode_macros::device(options)]
mod device {
    use crate::lane::Real;
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{control, norm};

    /// The options that are known when a loop is compiled; a feature that is off has no code.
    pub trait Plan {
        /// Whether step sizes follow the error estimate; otherwise they are given.
        const ADAPTIVE: bool;
        /// Whether there may be times to save at.
        const SAVES: bool;
        /// Whether the sink [records](Sink::record) steps.
        const RECORDS: bool;
    }

    /// The options that all trajectories of a solve share. On a GPU the fields without an `R` are
    /// constants, too.
    #[derive(Clone, Copy, Debug)]
    pub struct Options<R: Real, const N: usize> {
        /// The tolerances that errors are scaled by.
        pub tolerances: norm::Tolerances<R, N>,
        /// The fixed step size, or the first one; 0 if it is automatic. The sign is ignored.
        pub dt: R,
        /// The size at or below which a step that errors demand ends the trajectory.
        pub dtmin: R,
        /// The largest step.
        pub dtmax: R,
        /// Whether there is a smallest or a largest step.
        pub limited: bool,
        /// Whether there are times to stop at.
        pub stops: bool,
        /// Whether the end of every step is saved.
        pub every_step: bool,
        /// The control law: how step sizes follow from errors.
        pub law: control::Law<R>,
        /// The control law of the implicit one of two methods.
        pub stiff_law: control::Law<R>,
        /// The kind of both control laws.
        pub kind: u32,
        /// The number of attempted steps after which a trajectory is given up.
        pub max_steps: R::Bits,
        /// How steps are treated that may pass over growth:
        /// [`guard::OFF`](crate::step::guard::OFF), [`guard::REPORT`](crate::step::guard::REPORT)
        /// or [`guard::REJECT`](crate::step::guard::REJECT).
        pub guard: u32,
    }

    /// The control law of the method that `memory` selects.
    pub fn law_of<R: Real, M: Stepper, const N: usize>(
        o: &Options<R, N>,
        memory: R::Bits,
    ) -> control::Law<R> {
        let mut law = o.law;
        if <M::Memory as Memory>::SWITCHES {
            let implicit = <M::Memory as Memory>::is_implicit::<R>(memory);
            law = control::choose_law::<R>(implicit, &o.stiff_law, &o.law);
        }
        law
    }

    /// The end of a trajectory.
    #[derive(Clone, Copy, Debug)]
    pub struct End<R: Real> {
        /// The time of the final state.
        pub t: R,
        /// How it ended, as a [`code`](crate::step::code), and what a method that switches
        /// [reports](crate::step::stepper::Memory::reported).
        pub code: R::Bits,
        /// Attempted steps.
        pub steps: R::Bits,
        /// Rejected steps, which are among the attempted ones.
        pub rejected: R::Bits,
        /// The number of saved states.
        pub saved: R::Bits,
        /// The [report](crate::step::guard::reported) of the growth guard.
        pub guarded: R::Bits,
    }

    /// Makes an [`End`].
    pub fn end<R: Real>(
        t: R,
        code: R::Bits,
        steps: R::Bits,
        rejected: R::Bits,
        saved: R::Bits,
        guarded: R::Bits,
    ) -> End<R> {
        End::<R> { t, code, steps, rejected, saved, guarded }
    }

    /// The source of trajectories. `should_refill` and `vote` must be called by all lanes that run
    /// together.
    ///
    /// The CPU's is `ensemble/feed.rs`, a GPU's `kernel/feed.hpp`.
    pub trait Source<R: Real, const N: usize, const P: usize> {
        /// Whether lanes are to acquire trajectories now, where those of `need` have none.
        fn should_refill(&mut self, need: R::Mask) -> bool;
        /// Whether any lane of the group has a trajectory, where these are the lanes `alive` that
        /// do.
        fn vote(&mut self, alive: R::Mask) -> bool;
        /// Gives trajectories to lanes of `need`; returns the mask of the lanes that assigned one.
        fn acquire(&mut self, need: R::Mask) -> R::Mask;
        /// The number of each lane's trajectory among all of the ensemble, whatever part of it is
        /// solved here: its lower 32 bits, and the upper ones. Undefined in lanes that have no
        /// trajectory.
        fn number(&self) -> [R::Bits; 2];
        /// `u`, with the initial states in lanes `assigned`.
        fn load_u(&self, assigned: R::Mask, u: [R; N]) -> [R; N];
        /// `p`, with the parameters in lanes `assigned`. Numbers that all trajectories share may be
        /// filled in in all lanes, here and in the next two functions.
        fn load_p(&self, assigned: R::Mask, p: [R; P]) -> [R; P];
        /// The beginning of the time span in lanes `assigned`, `t` in others.
        fn load_start(&self, assigned: R::Mask, t: R) -> R;
        /// The end of the time span in lanes `assigned`, `t` in others.
        fn load_end(&self, assigned: R::Mask, t: R) -> R;
        /// Time number `index` to stop at within the span in lanes `which`, infinite after the last
        /// one; `t` in others.
        fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
    }

    /// The sink of results.
    pub trait Sink<R: Real, const N: usize, const P: usize> {
        /// Whether there are times to save at.
        fn saves(&self) -> bool;
        /// Time number `index` to save at in lanes `which`, `t` in others. Infinite after the last
        /// one, and NaN where it is the end of the next step.
        fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
        /// Saves the state `u` at time `t`, or the observables of it, at save index `index`, for
        /// lanes `which`.
        fn save(&mut self, which: R::Mask, index: R::Bits, u: [R; N], p: [R; P], t: R);
        /// Takes the steps that lanes `which` go, in each turn of the loop: the state and the time
        /// at its beginning, the rounding error of that time, and its size.
        fn record(&mut self, which: R::Mask, u: &[R; N], t: R, low: R, h: R);
        /// How often event `index` happened in each lane's trajectory. Undefined in lanes that have
        /// none.
        fn event_count(&self, index: usize) -> R::Bits;
        /// Sets that number in lanes `which`.
        fn set_event_count(&mut self, which: R::Mask, index: usize, count: R::Bits);
        /// Whether events are logged.
        fn logs(&self) -> bool;
        /// Writes entry number `slot` of the log, of lanes `which`, where there is room: the event,
        /// as [`number_of`](crate::integrate::logged::number_of) makes it, its time, and the states
        /// before and after it.
        fn log_event(
            &mut self,
            which: R::Mask,
            slot: R::Bits,
            event: R,
            t: R,
            before: &[R; N],
            after: &[R; N],
        );
        /// Takes the final states and the ends of those lanes of `done` that have a trajectory.
        fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>);
    }
}
