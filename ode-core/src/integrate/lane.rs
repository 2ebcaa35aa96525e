//! The loop's state of a lane.

pub use device::*;

#[ode_macros::device(lane)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{control, guard, timeline};

    /// The progress of a lane's trajectory, without the arrays: these are apart, in the
    /// [`State`](crate::step::stepper::State), since functions that are called take their
    /// addresses, and a variable whose address is taken stays in memory.
    #[derive(Clone, Copy, Debug)]
    pub struct Lane<R: Real> {
        /// The beginning of the span or, with times to stop at, of its current part.
        pub t0: R,
        /// The end of the span, or of its current part.
        pub t1: R,
        /// The time, rounded.
        pub t: R,
        /// The rounding error of the time, `exact - t`.
        pub t_low: R,
        /// The size of fixed steps.
        pub dt: R,
        /// The size of the last fixed step.
        pub last_dt: R,
        /// The end of the next step that errors allow, as [`timeline::plan`] computes it.
        pub plan: R,
        /// The memory of the step-size controller.
        pub control: control::Memory<R>,
        /// The [memory](crate::step::stepper::Memory) of the method.
        pub memory: R::Bits,
        /// Attempted steps, in the current part of the span. A lane that waits may go on counting.
        pub attempts: R::Bits,
        /// The number of attempts that are allowed; from the end of the trajectory on, the number
        /// that it took.
        pub allowed: R::Bits,
        /// Attempted steps in earlier parts of the span.
        pub before: R::Bits,
        /// The number of times to stop at that were passed.
        pub stop: R::Bits,
        /// Rejected steps; of fixed steps, those that ended at an event within a step of the grid.
        pub rejected: R::Bits,
        /// Why the trajectory ended, as a [`code`](crate::step::code);
        /// [`SUCCESS`](crate::step::code::SUCCESS) until then.
        pub code: R::Bits,
        /// The number of saved states.
        pub saved: R::Bits,
        /// The next time to save at.
        pub save_at: R,
        /// Whether the lane has a trajectory.
        pub alive: R::Mask,
        /// Whether the determinant of short steps is negative.
        pub mirrored: R::Mask,
        /// The state of the [guard](crate::step::guard).
        pub guarded: R::Bits,
        /// The events whose functions are above zero, as far as that is `known`. This and what
        /// follows are of systems with [events](crate::integrate::events).
        pub sides: R::Bits,
        /// The events whose side is known.
        pub known: R::Bits,
        /// The event that the next step goes to, counted from one; zero if it goes to none.
        pub pending: R::Bits,
        /// The size of the step that was refused for that event; of fixed steps, the part of the
        /// next one that was made already.
        pub cut: R,
        /// The time of the last action.
        pub acted: R,
        /// The number of actions before that at the same time, or at one place but for rounding.
        pub chain: R::Bits,
        /// The events that acted last, and in the chain before.
        pub fired: R::Bits,
    }

    /// A lane before its first trajectory.
    pub fn empty<R: Real>(t0: R, t1: R, law: &control::Law<R>) -> Lane<R> {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        Lane::<R> {
            t0,
            t1,
            t: zero,
            t_low: zero,
            dt: zero,
            last_dt: zero,
            plan: zero,
            control: control::fresh::<R>(law),
            memory: none,
            attempts: none,
            allowed: none,
            before: none,
            stop: none,
            rejected: none,
            code: none,
            saved: none,
            save_at: zero,
            alive: <R::Mask as Mask>::splat(true),
            mirrored: <R::Mask as Mask>::splat(false),
            guarded: none,
            sides: none,
            known: none,
            pending: none,
            cut: zero,
            acted: zero,
            chain: none,
            fired: none,
        }
    }

    /// Whether a lane needs a trajectory, or the next part of its span.
    pub fn is_in_need<R: Real>(lane: &Lane<R>) -> R::Mask {
        !lane.attempts.less_than(lane.allowed)
    }

    /// Whether a lane of adaptive steps is at the end of its span or of its part.
    pub fn is_at_end<R: Real>(lane: &Lane<R>) -> R::Mask {
        ((lane.t1 - lane.t) - lane.t_low).equals(R::lit(0.0))
    }

    /// The number of attempts, none or one, by which a lane at its end looks ahead, if the guard
    /// has this setting; see [`guard`].
    pub fn looks_ahead<R: Real, M: Stepper>(lane: &Lane<R>, setting: u32) -> R::Bits {
        let none = <R::Bits as Bits>::lit(0);
        let mut attempts = none;
        if M::GUARDS && setting != guard::OFF {
            attempts = <R::Bits as Bits>::lit(1);
            if <M::Memory as Memory>::SWITCHES {
                let implicit = <M::Memory as Memory>::is_implicit::<R>(lane.memory);
                attempts = <R::Bits as Bits>::select(implicit, attempts, none);
            }
        }
        attempts
    }

    /// The distance of the next time to save from the beginning of the step. With fixed steps it is
    /// computed from the beginning of the span, which is more accurate than from the rounded time.
    pub fn ahead<R: Real>(lane: &Lane<R>, adaptive: bool) -> R {
        let mut ahead = (lane.save_at - lane.t) - lane.t_low;
        if !adaptive {
            let one = <R::Bits as Bits>::lit(1);
            let done = timeline::whole_from_bits::<R>(lane.attempts.wrapping_sub(one));
            // A part of the step may have been made, to an event.
            ahead = (-done).mul_add(lane.dt, lane.save_at - lane.t0) - lane.cut;
        }
        ahead
    }
}
