//! Conversion of the clock, which has one number of each kind for all members, to lanes.

use crate::integrate::attempt::Attempt;
use crate::integrate::lane::Lane;
use crate::integrate::members::Leave;
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::step::timeline::Time;
use crate::step::{control, guard, stepper, timeline};
use ode_macros::inlined;

/// Broadcasts a number of the clock to all lanes.
#[inlined]
fn number<R: Real<Scalar = T>, T: Scalar>(x: T) -> R {
    R::lit(x.widen())
}

#[inlined]
fn bits<R: Real<Scalar = T>, T: Scalar>(bits: T::Bits) -> R::Bits {
    <R::Bits as Bits>::lit(bits.lane(0))
}

/// Broadcasts a truth value of the clock to all lanes.
#[inlined]
pub(super) fn mask<R: Real<Scalar = T>, T: Scalar>(mask: bool) -> R::Mask {
    <R::Mask as Mask>::splat(mask)
}

/// Broadcasts the memory of the controller to all lanes.
#[inlined]
fn memory_of<R: Real<Scalar = T>, T: Scalar>(memory: &control::Memory<T>) -> control::Memory<R> {
    let single = |x: f32| <R::Single as Real>::lit(f64::from(x));
    control::Memory { root: single(memory.root), last: single(memory.last) }
}

/// Broadcasts the reasons to drop members to all lanes.
#[inlined]
pub(super) fn leave_of<R: Real<Scalar = T>, T: Scalar>(why: &Leave<T>) -> Leave<R> {
    Leave {
        stuck: mask::<R, T>(why.stuck),
        short: mask::<R, T>(why.short),
        everyone: mask::<R, T>(why.everyone),
        control: memory_of::<R, T>(&why.control),
        h: number(why.h),
    }
}

/// Broadcasts the clock to all lanes.
#[inlined]
pub(super) fn lane_of<R: Real<Scalar = T>, T: Scalar>(clock: &Lane<T>) -> Lane<R> {
    Lane {
        t0: number(clock.t0),
        t1: number(clock.t1),
        t: number(clock.t),
        t_low: number(clock.t_low),
        dt: number(clock.dt),
        last_dt: number(clock.last_dt),
        plan: number(clock.plan),
        control: memory_of::<R, T>(&clock.control),
        memory: bits::<R, T>(clock.memory),
        attempts: bits::<R, T>(clock.attempts),
        last_attempt: bits::<R, T>(clock.last_attempt),
        before: bits::<R, T>(clock.before),
        stop: bits::<R, T>(clock.stop),
        rejected: bits::<R, T>(clock.rejected),
        fractions: bits::<R, T>(clock.fractions),
        code: bits::<R, T>(clock.code),
        saved: bits::<R, T>(clock.saved),
        save_at: number(clock.save_at),
        alive: mask::<R, T>(clock.alive),
        mirrored: mask::<R, T>(clock.mirrored),
        guarded: bits::<R, T>(clock.guarded),
        sides: bits::<R, T>(clock.sides),
        known: bits::<R, T>(clock.known),
        unsettled: mask::<R, T>(clock.unsettled),
        pending: bits::<R, T>(clock.pending),
        refused: number(clock.refused),
        covered: number(clock.covered),
        acted: number(clock.acted),
        chain: bits::<R, T>(clock.chain),
        fired: bits::<R, T>(clock.fired),
        horizon: number(clock.horizon),
        due: clock.due.map(number),
        due_events: clock.due_events.map(bits::<R, T>),
        number: clock.number.map(bits::<R, T>),
        cell: bits::<R, T>(clock.cell),
        first_cell: bits::<R, T>(clock.first_cell),
        node: bits::<R, T>(clock.node),
        moved: mask::<R, T>(clock.moved),
        begun: mask::<R, T>(clock.begun),
        size: number(clock.size),
        errors: number(clock.errors),
        weight: number(clock.weight),
    }
}

/// Broadcasts the clock's next attempt to all lanes.
#[inlined]
pub(super) fn attempt_of<R: Real<Scalar = T>, T: Scalar>(trial: &Attempt<T>) -> Attempt<R> {
    let timeline::At { t, low, reach, furthest, run } = trial.ask.at;
    let at =
        timeline::at(number(t), number(low), number(reach), number(furthest), mask::<R, T>(run));
    let guard::Watch { far, odd } = trial.ask.watch;
    let watch = guard::watch::<R>(far, mask::<R, T>(odd));
    let memory = bits::<R, T>(trial.ask.memory);
    Attempt {
        ask: stepper::ask(at, number(trial.ask.h), memory, watch),
        last: mask::<R, T>(trial.last),
        run: mask::<R, T>(trial.run),
        looks: mask::<R, T>(trial.looks),
        next: Time { t: number(trial.next.t), low: number(trial.next.low) },
    }
}
