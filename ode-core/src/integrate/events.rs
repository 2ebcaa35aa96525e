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
//! A lane with a step that may contain an event makes the step again, with the same bits, until
//! enough lanes wait. Then these lanes search together, and go to their events together.
//!
//! [`locate`](crate::integrate::locate) has the search.
//!
//! # Conditions
//!
//! A condition is a truth value at the ends of accepted steps. If it holds there, its effects take
//! place there. Conditions do not change where steps end. They are evaluated in [`watch`], and their
//! actions run in [`act`].
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
//! An action may leave the function of its event at zero, up to rounding, and at rest there. Then
//! the function is in contact: it stays on the side that it came from, so the event occurs again
//! only when the function moves to the other side. The same holds if the function was only at zero
//! since the last action. If an action turns the function of another acting event back across its zero, that event
//! is due there. A trajectory fails after [`MOST_AT_ONCE`](crate::integrate::actions::MOST_AT_ONCE)
//! consecutive actions if the state moves between them by no more than rounding.
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

// A step depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(events)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink};
    use crate::integrate::{
        actions, attempt, begin, cubic, delays, first_step, jumps, lane, locate, logged, recording,
        roots, sides,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, guard, stepper, timeline};
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
    pub fn watch<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
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
        if S::EVENTS > 0 {
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
                        // A function that has crossed zero before may be behind it by rounding.
                        let behind = crosses & there & c.slope.gt(zero);
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
                    let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
                    lane.code = <R::Bits as Bits>::select(broken, non_finite, lane.code);
                    if C::ADAPTIVE {
                        lane.last_attempt =
                            <R::Bits as Bits>::select(broken, lane.attempts, lane.last_attempt);
                    }
                }
            }
        }
    }

    /// Returns 1 if the function of the event of this bit is above zero, otherwise -1.
    fn side_of<R: Real>(lane: &lane::Lane<R>, bit: R::Bits) -> R {
        R::select(sides::has::<R>(lane.sides, bit), R::lit(1.0), R::lit(-1.0))
    }

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
        found: &Found<R, N>,
        near: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let h = trial.ask.h;
        let aimed = lane.pending;
        let arrived = follow::<R, C, N>(lane, h, found);
        if (found.goes & (!found.fired.equals(none) | found.holds)).any() {
            happen::<R, S, M, Q, C, N, P>(system, io, o, state, lane, h, arrived, aimed, found);
        }
        if C::EVENTS {
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
        found: &Found<R, N>,
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
        found: &Found<R, N>,
    ) -> R::Mask {
        let goes = found.goes;
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let nobody = <R::Mask as Mask>::splat(false);
        let before = state.u;
        let p_before = state.p;
        // Events that only count are at zero here, too.
        let at_zero = sides::near::<R, S, N, P>(system, state, lane.t, goes);
        let at_zero = found.fired | found.here | at_zero;
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
                let rises = sides::has::<R>(lane.sides, bit);
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
            if C::ADAPTIVE {
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
            if S::EVENTS > 0 && !S::MASS {
                if by_event.any() {
                    let acted_here = ran;
                    let at_zero = sides::at_zero::<R, S, N, P>(
                        system, state, lane.t, &before, &p_before, &found.du, since, acted_here,
                    );
                    near = near | !at_zero[1].equals(none);
                    rests = at_zero[0] | (at_zero[1] & lane.fired);
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
            let there = ((sides[0] | stays) & !kept) | (rests & !lane.sides) | (due & !sides[0]);
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
