//! The loop's state of a lane.

pub use device::*;

#[ode_macros::device(lane)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{control, guard, timeline};

    /// The largest number of delayed actions that wait in a trajectory.
    pub const MOST_DUE: usize = 8;

    /// The progress of a lane's trajectory, without its arrays.
    ///
    /// The arrays are in the [`State`](crate::step::stepper::State). Called functions take their
    /// addresses, and a variable with its address taken stays in memory.
    #[derive(Clone, Copy, Debug)]
    pub struct Lane<R: Real> {
        /// The start of the span, or of its current segment.
        pub t0: R,
        /// The end of the span, or of its current segment.
        pub t1: R,
        /// The time, rounded.
        pub t: R,
        /// The rounding error of the time, `exact - t`.
        pub t_low: R,
        /// The fixed step size; with noise and adaptive steps, the length of a cell.
        pub dt: R,
        /// The size of the last fixed step.
        pub last_dt: R,
        /// The end of the next step that errors allow, as [`timeline::plan`] computes it.
        pub plan: R,
        /// The memory of the step-size controller.
        pub control: control::Memory<R>,
        /// The [memory](crate::step::stepper::Memory) of the method.
        pub memory: R::Bits,
        /// The number of attempted steps in the current segment.
        ///
        /// An idle lane may continue to count.
        pub attempts: R::Bits,
        /// The number of the segment's last attempt; the lane is idle from then on.
        ///
        /// At first, it is the number of allowed attempts. If the segment ends early, it is the
        /// number of the attempt that ended it. It is zero if the segment has no steps.
        pub last_attempt: R::Bits,
        /// The number of attempted steps in earlier segments.
        pub before: R::Bits,
        /// The number of times to stop at that were passed.
        pub stop: R::Bits,
        /// The number of rejected adaptive steps.
        pub rejected: R::Bits,
        /// The number of fixed steps that ended at an event within a step of the grid.
        pub fractions: R::Bits,
        /// The [`code`](crate::step::code) of the trajectory's end.
        ///
        /// [`SUCCESS`](crate::step::code::SUCCESS) until then.
        pub code: R::Bits,
        /// The saved count: the number of saved states.
        pub saved: R::Bits,
        /// The next time to save at.
        pub save_at: R,
        /// Whether the lane has a trajectory.
        pub alive: R::Mask,
        /// Whether short steps have a negative determinant.
        pub mirrored: R::Mask,
        /// The state of the [guard](crate::step::guard).
        pub guarded: R::Bits,
        /// The events with functions above zero, as far as the side is `known`.
        ///
        /// This field and the following ones belong to systems with
        /// [events](crate::integrate::events).
        pub sides: R::Bits,
        /// The events with a known side.
        pub known: R::Bits,
        /// Whether an event function may not be strictly on its stored side, or the lane searches.
        pub unsettled: R::Mask,
        /// The event that the next step goes to, counted from one; zero if none.
        pub pending: R::Bits,
        /// The size of the adaptive step that was rejected for that event.
        pub refused: R,
        /// The time that fixed steps to events have covered of the next step of the grid.
        pub covered: R,
        /// The time of the last action.
        pub acted: R,
        /// The number of preceding actions at the same time, or in contact.
        pub chain: R::Bits,
        /// The events that acted last, and before in the same chain of actions.
        pub fired: R::Bits,
        /// The end of the span.
        ///
        /// This field and the following ones belong to systems with
        /// [delayed actions](crate::integrate::delays).
        pub horizon: R,
        /// The due times of delayed actions.
        pub due: [R; MOST_DUE],
        /// The events of these actions; zero if a due time is unused.
        pub due_events: [R::Bits; MOST_DUE],
        /// The number of the path of the noise, for systems with noise.
        pub number: [R::Bits; 2],
        /// The number of the cell, counted from the beginning of the trajectory.
        ///
        /// This field and the following ones belong to systems with noise and to adaptive steps:
        /// see [`dyadic`](crate::integrate::dyadic).
        pub cell: R::Bits,
        /// The number of the segment's first cell.
        pub first_cell: R::Bits,
        /// The number of the node in the tree of the cell, which is the next step.
        pub node: R::Bits,
        /// Whether the last iteration made the step of the node before.
        pub moved: R::Mask,
        /// Whether a segment begins at the node.
        pub begun: R::Mask,
        /// The length of the node.
        pub size: R,
        /// The mean square of recent errors, in tolerances, for steps of this length.
        pub errors: R,
        /// The weight of the next squared error in this mean.
        pub weight: R,
    }

    /// Returns a lane before its first trajectory.
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
            last_attempt: none,
            before: none,
            stop: none,
            rejected: none,
            fractions: none,
            code: none,
            saved: none,
            save_at: zero,
            alive: <R::Mask as Mask>::splat(true),
            mirrored: <R::Mask as Mask>::splat(false),
            guarded: none,
            sides: none,
            known: none,
            unsettled: <R::Mask as Mask>::splat(false),
            pending: none,
            refused: zero,
            covered: zero,
            acted: zero,
            chain: none,
            fired: none,
            horizon: zero,
            due: [zero; MOST_DUE],
            due_events: [none; MOST_DUE],
            number: [none; 2],
            cell: none,
            first_cell: none,
            node: none,
            moved: <R::Mask as Mask>::splat(false),
            begun: <R::Mask as Mask>::splat(false),
            size: zero,
            errors: zero,
            weight: zero,
        }
    }

    /// Returns whether a lane is idle.
    ///
    /// An idle lane needs a trajectory, the next segment of its span, or a restart.
    pub fn is_in_need<R: Real>(lane: &Lane<R>) -> R::Mask {
        !lane.attempts.less_than(lane.last_attempt)
    }

    /// Returns whether the trajectory of a lane cannot be solved.
    ///
    /// An attempt although the segment has none marks such a trajectory.
    pub fn is_unsound<R: Real>(lane: &Lane<R>) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        lane.last_attempt.equals(none) & none.less_than(lane.attempts)
    }

    /// Returns whether an adaptive lane is at the end of its segment.
    pub fn is_at_end<R: Real>(lane: &Lane<R>) -> R::Mask {
        ((lane.t1 - lane.t) - lane.t_low).equals(R::lit(0.0))
    }

    /// Returns the number of look-ahead attempts at the end: 0 or 1.
    ///
    /// `setting` is the guard's; see [`guard`].
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

    /// Returns the distance of the next saved time from the beginning of the step.
    ///
    /// With fixed steps, the distance is computed from the beginning of the span, which is more
    /// accurate than from the rounded time.
    pub fn ahead<R: Real>(lane: &Lane<R>, adaptive: bool) -> R {
        let mut ahead = (lane.save_at - lane.t) - lane.t_low;
        if !adaptive {
            let one = <R::Bits as Bits>::lit(1);
            let done = timeline::whole_from_bits::<R>(lane.attempts.wrapping_sub(one));
            // A fraction of the step, to an event, may have been made already.
            ahead = (-done).mul_add(lane.dt, lane.save_at - lane.t0) - lane.covered;
        }
        ahead
    }
}
