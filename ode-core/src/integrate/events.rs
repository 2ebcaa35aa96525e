//! Events: zeros of functions of the state, and their effects.
//!
//! For each event, a lane stores on which side of zero the event's function is. An event occurs if
//! the side changes in a direction that counts. After an event, the function counts as having
//! changed sides, even if rounding disagrees. After an action, the new state determines the side;
//! if the function is zero there, its direction determines the side.
//!
//! # Within a step
//!
//! After an accepted step, the function of an event is approximated by the cubic through its values
//! and slopes at both ends. The step contains no event if all four Bernstein coefficients of the
//! cubic have the same sign. Most steps need no other test ([`watch`]). The side itself is not part
//! of it: a lane is [unsettled](crate::integrate::lane::Lane::unsettled) if a function is not
//! strictly on its stored side at the beginning of the step, and unsettled lanes leave the common
//! path.
//!
//! Otherwise the step is searched in two cases: the side differs at its end, or the cubic turns
//! often enough to cross zero twice or three times. The turning points are searched on the method's
//! interpolant, and lie between the zeros. So the search finds all zeros of a cubic, and may miss
//! zeros if a step has four of them. The states of systems with a mass matrix have unknown
//! derivatives, so such systems have no slopes here. In these systems only the ends of steps are
//! tested.
//!
//! Systems with noise have other [rules](crate::integrate::passages).
//!
//! A lane with a step that may contain an event makes the step again, with the same bits, until
//! enough lanes wait. Then these lanes search together, and go to their events together.
//!
//! [`locate`](crate::integrate::locate) has the search.
//!
//! # Conditions
//!
//! A condition is a truth value at the ends of accepted steps. If it holds there, its effects take
//! place there. Conditions do not change where steps end.
//!
//! [`effects`](crate::integrate::effects) has the steps to events, and the effects of both.

pub use device::*;

// A step depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(events)]
mod device {
    use crate::integrate::options::{LoopConfig, Sink};
    use crate::integrate::{attempt, cubic, lane, locate, roots, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, stepper, timeline};
    use crate::system::System;

    /// The events and conditions of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Found<R: Real, const N: usize> {
        /// Lanes that move by the step.
        pub goes: R::Mask,
        /// Lanes with a step that may contain an event.
        pub near: R::Mask,
        /// Lanes with a rejected step, since an event is within it.
        pub cut: R::Mask,
        /// The size of the step to the event, in lanes `cut`.
        pub size: R,
        /// The event there, counted from one.
        ///
        /// [`SECOND`](locate::SECOND) is added if the function returns there, and
        /// [`AGAIN`](locate::AGAIN) for each correction of the step to the event.
        pub event: R::Bits,
        /// The events at the end of the step that end the trajectory or act.
        pub fired: R::Bits,
        /// The events with functions at zero there, up to rounding.
        pub here: R::Bits,
        /// The events with functions that crossed zero and returned, in systems with noise.
        pub returned: R::Bits,
        /// The conditions that hold at the end of the step.
        pub held: R::Bits,
        /// Lanes with a condition that holds.
        ///
        /// This follows from `held`. But if a kernel tested `held` against zero, ptxas 13.0 treated
        /// two conditions that hold at the same time as none.
        pub holds: R::Mask,
        /// The derivative at the end of the step, in systems with events.
        pub du: [R; N],
        /// The time at the end of the step, rounded.
        pub end: R,
        /// The time at the beginning of the step, rounded.
        pub t: R,
        /// The rounding error of that time.
        pub t_low: R,
    }

    /// Returns the result for a system without events.
    pub fn nothing<R: Real, const N: usize>() -> Found<R, N> {
        let nobody = <R::Mask as Mask>::splat(false);
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        Found::<R, N> {
            goes: nobody,
            near: nobody,
            cut: nobody,
            size: zero,
            event: none,
            fired: none,
            here: none,
            returned: none,
            held: none,
            holds: nobody,
            du: [zero; N],
            end: zero,
            t: zero,
            t_low: zero,
        }
    }

    /// Tests whether a step may contain events, and evaluates the conditions at its end.
    ///
    /// Most steps need no other test. Lanes `moves` have a trajectory and an accepted step.
    pub fn watch<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        moves: R::Mask,
    ) -> Found<R, N> {
        let zero = R::lit(0.0);
        let mut found = nothing::<R, N>();
        found.t = lane.t;
        found.t_low = lane.t_low;
        found.goes = moves;
        found.end = R::select(trial.last, lane.t1, trial.next.t);
        if S::EVENTS > 0 && !C::PASSAGES {
            if !S::MASS {
                if M::FSAL {
                    found.du = M::du_after::<R, N>(&step.k);
                } else {
                    found.du = system.rhs(&step.u, &state.p, found.end);
                }
            }
            let mut quiet = !lane.unsettled;
            if S::TIMED + S::DELAYED > 0 {
                quiet = quiet & !trial.last;
            }
            let third = trial.ask.h * R::lit(1.0 / 3.0);
            for e in 0..S::EVENTS {
                let first = system.event(e, &state.u, &state.p, lane.t);
                let last = system.event(e, &step.u, &state.p, found.end);
                if S::MASS {
                    quiet = quiet & (first * last).gt(zero);
                } else {
                    let from = system.event_slope(e, &state.u, &state.p, lane.t, &state.du);
                    let to = system.event_slope(e, &step.u, &state.p, found.end, &found.du);
                    quiet = quiet & cubic::stays::<R>(first, from, third, to, last);
                }
            }
            found.near = found.goes & !quiet;
        }
        if S::CONDITIONS > 0 {
            let mut bit = <R::Bits as Bits>::lit(1);
            for e in 0..S::CONDITIONS {
                let holds = system.holds(e, &step.u, &state.p, found.end).gt(zero);
                found.held = sides::with::<R>(found.held, bit, found.goes & holds);
                found.holds = found.holds | (found.goes & holds);
                bit = bit.wrapping_add(bit);
            }
        }
        found
    }

    /// Takes a step back in lanes `which`, which make it again when more lanes search events.
    ///
    /// `before` is the lane before the verdict on the step.
    pub fn wait<R: Real>(lane: &mut lane::Lane<R>, before: &lane::Lane<R>, which: R::Mask) {
        forget::<R>(lane, before, which);
        let attempts = before.attempts.wrapping_sub(<R::Bits as Bits>::lit(1));
        lane.attempts = <R::Bits as Bits>::select(which, attempts, lane.attempts);
    }

    /// Removes the traces of a step from lanes `which`.
    pub fn forget<R: Real>(lane: &mut lane::Lane<R>, before: &lane::Lane<R>, which: R::Mask) {
        lane.control = control::choose_memory::<R>(which, &before.control, &lane.control);
        lane.memory = <R::Bits as Bits>::select(which, before.memory, lane.memory);
        lane.guarded = <R::Bits as Bits>::select(which, before.guarded, lane.guarded);
    }

    /// Finds and counts the events of a step, in lanes `found.near`.
    ///
    /// Stores the lanes with a rejected step, and the events at the end of an accepted one.
    /// `before` is the lane before the verdict on the step.
    pub fn find<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        before: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        found: &mut Found<R, N>,
    ) {
        let near = found.near;
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let end = found.end;
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            if near.any() {
                let mut sides = lane.sides;
                let mut known = lane.known;
                let mut crossed = none;
                let mut twice = none;
                let mut thrice = none;
                let mut broken = <R::Mask as Mask>::splat(false);
                for e in 0..S::EVENTS {
                    let above = sides::has::<R>(lane.sides, bit);
                    let was = sides::has::<R>(lane.known, bit);
                    let side = side_of::<R>(lane, bit);
                    let c = locate::on_step::<R, S, M::Kept<R, N>, N, P>(
                        system, state, lane, trial, step, &found.du, end, e, side,
                    );
                    let stays = c.last.gt(zero);
                    let leaves = c.last.lt(zero);
                    broken = broken | !c.last.equals(c.last);
                    // The side at the end, of a function at zero there by its slope.
                    let flat = c.last.equals(zero);
                    let mut keeps = stays | (flat & c.slope.gt(zero));
                    let mut crosses = leaves | (flat & c.slope.lt(zero));
                    if !S::MASS {
                        // A function that an action left at rest does not cross zero until it
                        // moves.
                        let still = was & c.last.equals(c.first) & c.lean.equals(zero);
                        keeps = keeps & !still;
                        crosses = crosses & !still;
                        let slope = system.event_slope(e, &step.u, &state.p, end, &found.du);
                        let there = sides::is_at_zero::<R>(c.last, slope, end);
                        // A function that has crossed zero before may be behind it by rounding, or
                        // since an action took place behind it.
                        let beneath = c.first.lt(zero)
                            & (c.first + c.lean).lt(zero)
                            & (c.last - c.slope).lt(zero);
                        let behind = crosses & (there | beneath) & c.slope.gt(zero);
                        crosses = crosses & !behind;
                        keeps = keeps | behind;
                        if C::SCHEDULED {
                            // At the time of an action, a function may be zero up to rounding. Its
                            // event occurs before the action.
                            let reaches = was & trial.last & there & c.slope.lt(zero) & !crosses;
                            crosses = crosses | reaches;
                            keeps = keeps & !reaches;
                        }
                        let turns = cubic::turns_beyond::<R>(&c);
                        twice = sides::with::<R>(twice, bit, was & turns[0] & !crosses);
                        thrice = sides::with::<R>(thrice, bit, was & turns[1]);
                    }
                    crossed = sides::with::<R>(crossed, bit, was & crosses);
                    let rises = (keeps & above) | (crosses & !above);
                    let falls = (keeps & !above) | (crosses & above);
                    sides = sides::with::<R>(sides, bit, rises);
                    sides = <R::Bits as Bits>::select(falls, sides & !bit, sides);
                    known = sides::with::<R>(known, bit, rises | falls);
                    bit = bit.wrapping_add(bit);
                }
                let some = crossed | twice | lane.pending;
                let look = near & !some.equals(none);
                if look.any() {
                    let place = locate::search::<R, S, M, Q, N, P>(
                        system, io, state, lane, trial, step, &found.du, end, crossed, twice,
                        thrice, look,
                    );
                    found.cut = place.cut;
                    found.event = place.event;
                    found.fired = place.fired;
                    found.here = place.here;
                    let least = timeline::least_step(lane.t)
                        .max(trial.ask.h.abs() * roots::least_part::<R>());
                    found.size = place.size.abs().max(least).copysign(trial.ask.h);
                    // At its event, rounding may have moved the function to either side.
                    sides = sides ^ place.undone;
                    forget::<R>(lane, before, found.cut);
                }
                found.goes = found.goes & !found.cut;
                found.holds = found.holds & !found.cut;
                let goes = near & found.goes;
                lane.sides = <R::Bits as Bits>::select(goes, sides, lane.sides);
                lane.known = <R::Bits as Bits>::select(goes, known, lane.known);
                let broken = broken & goes;
                if broken.any() {
                    fail::<R, C>(lane, broken);
                }
            }
        }
    }

    /// Ends the trajectories of lanes `which`, with an event function that is a NaN.
    pub fn fail<R: Real, C: LoopConfig>(lane: &mut lane::Lane<R>, which: R::Mask) {
        let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
        lane.code = <R::Bits as Bits>::select(which, non_finite, lane.code);
        if C::ADAPTIVE {
            lane.last_attempt = <R::Bits as Bits>::select(which, lane.attempts, lane.last_attempt);
        }
    }

    /// Returns 1 if the function of the event of this bit is above zero, otherwise -1.
    fn side_of<R: Real>(lane: &lane::Lane<R>, bit: R::Bits) -> R {
        R::select(sides::has::<R>(lane.sides, bit), R::lit(1.0), R::lit(-1.0))
    }
}
