//! Steps to events, and the effects of events and conditions at the end of a step.
//!
//! # At an event
//!
//! Events that only count do not change the steps, with one exception: if the interpolant
//! [misses](crate::integrate::dense) the solution, the step is halved before it is searched. If an
//! event ends the trajectory or has an action, the step is rejected, and an ordinary step to the
//! event replaces it. If that step misses the event by more than a
//! [fraction](crate::integrate::locate::MISSED) of the tolerance, its size is corrected, and the
//! step is made again. So the state and the time at the event have the order of the method, not of
//! its interpolant.
//!
//! If a step contains several such events, the new step goes to the first one. Another event occurs
//! at the same time if its side differs there, too, or if its zero is no farther away than the step
//! has missed its event. Events at the same time occur in the order of their declaration.
//!
//! A function may be [at zero](crate::integrate::sides::is_at_zero) where an event or a scheduled
//! action occurs, up to the resolution of times. Its sign after the action may be due to rounding,
//! so its slope determines its side. If an action moves another function exactly to zero, that
//! function keeps its side.
//!
//! An action may leave the function of its event at zero, up to rounding, and at rest there. Then
//! the function is in contact: it stays on the side that it came from, so the event occurs again
//! only when the function moves to the other side. The same holds if the function was only at zero
//! since the last action. If an action turns the function of another acting event back across its
//! zero, that event is due there. A trajectory fails after
//! [`MOST_AT_ONCE`](crate::integrate::actions::MOST_AT_ONCE) consecutive actions if the state moves
//! between them by no more than rounding.
//!
//! After an action, the derivative is evaluated again and the controller is reset. The next step
//! has the size of the rejected step. Fixed steps stay on their grid: two shorter steps replace the
//! step with the event.
//!
//! # Implementation
//!
//! A step that must end at an event is rejected like a step with too large an error. The event of
//! the next step is stored in [`Lane::pending`](crate::integrate::lane::Lane::pending). The next
//! step is an ordinary one, among the steps of other lanes. So adaptive solves have no code for
//! fractions of a step, and saving, error estimates and the guard need no code for events.
//!
//! Event counts and the log are memory of the sink. Lanes access them only when an event occurs, so
//! they cost no registers.

pub use device::*;

// An action depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(effects)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink};
    use crate::integrate::{
        actions, attempt, begin, delays, events, first_step, jumps, lane, logged, recording, sides,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, guard, stepper, timeline};
    use crate::system::System;

    /// Applies the events of a step, or plans the step to an event, in lanes `near`.
    pub fn act<
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
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        found: &events::Found<R, N>,
        near: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let h = trial.ask.h;
        let aimed = lane.pending;
        let mut arrived = <R::Mask as Mask>::splat(false);
        if !C::PASSAGES {
            arrived = follow::<R, C, N>(lane, h, found);
        }
        if (found.goes & (!found.fired.equals(none) | found.holds)).any() {
            happen::<R, S, M, Q, C, N, P>(system, io, o, state, lane, h, arrived, aimed, found);
        }
        if C::EVENTS && !C::PASSAGES {
            if near.any() {
                sides::settle::<R, S, N, P>(system, state, lane, near);
                lane.unsettled = lane.unsettled | found.cut;
            }
        }
    }

    /// Plans the steps to events in lanes `found.cut`; returns the lanes that have made such a step.
    ///
    /// The attempted step has the size `h`.
    pub fn follow<R: Real, C: LoopConfig, const N: usize>(
        lane: &mut lane::Lane<R>,
        h: R,
        found: &events::Found<R, N>,
    ) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let cut = found.cut;
        let goes = found.goes;
        let arrived = goes & !lane.pending.equals(none);
        if C::ADAPTIVE {
            let rejected = lane.rejected.wrapping_add(one);
            lane.rejected = <R::Bits as Bits>::select(cut, rejected, lane.rejected);
            // The correction of a step to an event keeps the size of the first rejected step.
            lane.refused = R::select(cut & lane.pending.equals(none), h, lane.refused);
        } else {
            // A step to an event is a fraction of a step of the grid, which is attempted again.
            lane.t = R::select(cut, found.t, lane.t);
            lane.t_low = R::select(cut, found.t_low, lane.t_low);
            let before = lane.attempts.wrapping_sub(one);
            lane.attempts = <R::Bits as Bits>::select(cut | arrived, before, lane.attempts);
            let fractions = lane.fractions.wrapping_add(one);
            lane.fractions = <R::Bits as Bits>::select(arrived, fractions, lane.fractions);
            let covered = R::select(arrived, lane.covered + h, R::lit(0.0));
            lane.covered = R::select(goes, covered, lane.covered);
        }
        let plan = timeline::plan(lane.t, lane.t_low, found.size, R::lit(1.0));
        lane.plan = R::select(cut, plan, lane.plan);
        lane.pending = <R::Bits as Bits>::select(cut, found.event, none);
        arrived
    }

    /// Runs the actions of events and conditions; returns the lanes with an ended trajectory.
    pub fn happen<
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
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        h: R,
        arrived: R::Mask,
        aimed: R::Bits,
        found: &events::Found<R, N>,
    ) -> R::Mask {
        let goes = found.goes;
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let nobody = <R::Mask as Mask>::splat(false);
        let before = state.u;
        let p_before = state.p;
        let mut at_zero = none;
        // The sides to which functions have moved.
        let mut reached = lane.sides;
        if C::PASSAGES {
            reached = reached ^ found.returned;
        } else {
            // Events that only count are at zero here, too.
            let near = sides::near::<R, S, N, P>(system, state, lane.t, goes);
            at_zero = near | found.fired | found.here;
        }
        let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
        let mut over = nobody;
        if C::RECORDS && C::EVENTS {
            let which = found.goes & !found.fired.equals(none);
            recording::cause::<R, S, Q, N, P>(io, state, lane.t, aimed, found.fired, which);
        }
        // The events with an action here, and those with one that waits for its due time.
        let mut ran = none;
        let mut waiting = none;
        let end = lane.t1;
        let mut slot = none;
        if S::LOGGED + S::CONDITIONS_LOGGED > 0 && io.logs() {
            slot = logged::slot_of_first::<R, S, Q, N, P>(io, found.fired);
        }
        let mut bit = one;
        let mut number = one;
        for e in 0..S::EVENTS {
            let here = goes & sides::has::<R>(found.fired, bit);
            if here.any() {
                let rises = sides::has::<R>(reached, bit);
                let effects = jumps::occur::<R, S, Q, N, P>(
                    system, io, state, lane, e, bit, number, here, rises, &mut slot,
                );
                ran = sides::with::<R>(ran, bit, effects.acts);
                waiting = sides::with::<R>(waiting, bit, effects.waits);
                over = over | effects.over;
            }
            bit = bit.wrapping_add(bit);
            number = number.wrapping_add(one);
        }
        let mut by_event = goes & !ran.equals(none);
        let mut acted = by_event;
        bit = one;
        number = <R::Bits as Bits>::lit((S::EVENTS + S::TIMED + 1) as u64);
        for e in 0..S::CONDITIONS {
            let index = actions::condition::<R, S, N, P>(e);
            let here = goes & sides::has::<R>(found.held, bit);
            if here.any() {
                let count = io.event_count(index).wrapping_add(one);
                io.set_event_count(here, index, count);
                let acting = <R::Bits as Bits>::lit(S::CONDITIONS_ACTING as u64);
                let acts = here & sides::has::<R>(acting, bit);
                let before = state.u;
                actions::change::<R, S, Q, N, P>(system, io, state, index, lane.t, acts);
                if S::CONDITIONS_LOGGED > 0 && io.logs() {
                    let logs = here & logged::is_condition_logged::<R, S, N, P>(bit);
                    let which = logged::number_of::<R>(number, here);
                    io.log_event(logs, slot, which, lane.t, &before, &state.u);
                    slot = <R::Bits as Bits>::select(logs, slot.wrapping_add(one), slot);
                }
                acted = acted | acts;
                over = over
                    | (here & actions::ends::<R, S, N, P>(system, state, lane.t, index, count));
            }
            bit = bit.wrapping_add(bit);
            number = number.wrapping_add(one);
        }
        let terminated = <R::Bits as Bits>::lit(code::TERMINATED);
        lane.code = <R::Bits as Bits>::select(over, terminated, lane.code);
        let mut ended = over;
        if S::DELAYED > 0 {
            ended = ended | (found.goes & !lane.code.equals(none));
        }
        if S::EVENTS > 0 && S::ACTING + S::DELAYED + S::CONDITIONS_ACTING > 0 {
            let moved = acted & !ended;
            if moved.any() {
                ended = ended
                    | jumps::happen::<R, S, Q, N, P>(
                        system,
                        io,
                        state,
                        lane,
                        moved,
                        found.fired & !(waiting & !ran),
                        at_zero,
                        &before,
                        &p_before,
                    );
            }
        }
        let mut at_end = nobody;
        if C::ADAPTIVE {
            at_end = lane::is_at_end::<R>(lane);
        }
        // The step that would have been made without the event.
        let mut whole = R::select(arrived, lane.covered, h);
        if C::ADAPTIVE {
            whole = R::select(arrived, lane.refused, h);
        }
        let goes_on = acted & !ended;
        by_event = by_event & !ended;
        let mut ends = ended & !at_end;
        if S::DELAYED > 0 {
            if C::ADAPTIVE {
                // Steps continue with the size of the rejected step, as after an action.
                let waits = arrived & !waiting.equals(none) & !acted & !ended & !at_end;
                let fresh = control::fresh::<R>(&options::law_of::<R, M, N>(o, lane.memory));
                lane.control = control::choose_memory::<R>(waits, &fresh, &lane.control);
                let plan = timeline::plan(lane.t, lane.t_low, whole, R::lit(1.0));
                lane.plan = R::select(waits, plan, lane.plan);
            } else {
                delays::count_again::<R>(lane, !lane.t1.equals(end) & !ended);
            }
        }
        if goes_on.any() {
            let begun = begin::begun::<R>(nobody, nobody, goes_on);
            let k = begin::derivative::<R, S, M, N, P>(system, o, state, lane, &begun, lane.t);
            let fresh = control::fresh::<R>(&options::law_of::<R, M, N>(o, lane.memory));
            // Conditions keep the controller's history: steps continue as errors allow.
            lane.control = control::choose_memory::<R>(by_event, &fresh, &lane.control);
            if M::GUARDS {
                let next = guard::next_part::<R>(lane.guarded);
                lane.guarded = <R::Bits as Bits>::select(goes_on, next, lane.guarded);
            }
            if C::ADAPTIVE && !C::NOISE {
                // The rejected step's size is a better estimate than the size of the step to the
                // event.
                let planned = timeline::planned(lane.t, lane.t_low, lane.plan);
                let mut size = R::select(by_event, whole, planned);
                let goes_on = goes_on & !at_end;
                if o.dt.equals(R::lit(0.0)).any() && goes_on.any() {
                    let rest = lane.t1 - lane.t;
                    let next = first_step::after_action::<R, S, M, N, P>(
                        system, state, lane.t, rest, size, &k, goes_on,
                    );
                    let mut next = next.max(timeline::least_step(lane.t));
                    if o.limited {
                        next = next.max(o.dtmin);
                    }
                    size = next.copysign(size);
                }
                let plan = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
                lane.plan = R::select(goes_on, plan, lane.plan);
            }
            let sides = sides::sides_of::<R, S, N, P>(
                system, state, lane.t, h, at_zero, &before, &p_before, nobody,
            );
            // A function that its action leaves at rest at zero, such as the height of a ball that
            // does not bounce, stays on the side that it came from. So does a function in contact.
            let since = (lane.t - lane.acted).abs();
            let resolution =
                (lane.t.abs() + whole.abs()) * timeline::few_units::<R>() * R::lit(8.0);
            let mut near = since.le(resolution);
            let mut rests = none;
            let mut due = none;
            if C::PASSAGES {
                rests = ran & !sides[1];
            } else if S::EVENTS > 0 && !S::MASS {
                if by_event.any() {
                    let acted_here = ran;
                    let contact = sides::at_zero::<R, S, N, P>(
                        system, state, lane.t, &before, &p_before, &found.du, since, acted_here,
                    );
                    near = near | !contact[1].equals(none);
                    rests = contact[0] | (contact[1] & lane.fired);
                    // An event that acts is due if an action makes its function, at zero here, move
                    // across zero.
                    let counts = sides::in_direction::<R, S, N, P>(sides[0]);
                    let across = sides[1] & lane.known & (sides[0] ^ lane.sides);
                    due = acting & !found.fired & sides[2] & across & counts;
                }
            }
            let kept = rests | due;
            // A function that an action leaves at zero, and at rest, stays on its side.
            let stays = lane.sides & lane.known & !sides[1];
            let there = ((sides[0] | stays) & !kept) | (rests & !reached) | (due & !sides[0]);
            let known = lane.known | sides[1] | kept;
            lane.sides = <R::Bits as Bits>::select(goes_on, there, lane.sides);
            lane.known = <R::Bits as Bits>::select(goes_on, known, lane.known);
            // The times of accumulating events converge, until the time no longer advances or they
            // differ only by rounding.
            let chain = <R::Bits as Bits>::select(near, lane.chain.wrapping_add(one), none);
            let earlier = <R::Bits as Bits>::select(near, lane.fired, none);
            let fired = earlier | ran;
            lane.fired = <R::Bits as Bits>::select(by_event, fired, lane.fired);
            lane.chain = <R::Bits as Bits>::select(by_event, chain, lane.chain);
            lane.acted = R::select(by_event, lane.t, lane.acted);
            let many = by_event
                & <R::Bits as Bits>::lit(actions::MOST_AT_ONCE as u64).less_than(lane.chain);
            let too_many = <R::Bits as Bits>::lit(code::TOO_MANY_EVENTS);
            lane.code =
                <R::Bits as Bits>::select(many & lane.code.equals(none), too_many, lane.code);
            ends = ends | (goes_on & !lane.code.equals(none));
        }
        if !C::ADAPTIVE {
            // The step to the event is the last one of the grid, not a fraction of a step.
            let part = ends & arrived;
            let counted = lane.attempts.wrapping_add(one);
            lane.attempts = <R::Bits as Bits>::select(part, counted, lane.attempts);
            let fractions = lane.fractions.wrapping_sub(one);
            lane.fractions = <R::Bits as Bits>::select(part, fractions, lane.fractions);
            lane.t1 = R::select(ends, lane.t, lane.t1);
        }
        lane.last_attempt = <R::Bits as Bits>::select(ends, lane.attempts, lane.last_attempt);
        ended | ends
    }
}
