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
//! cubic are on the stored side. Most steps need no other test. Otherwise the step is searched in
//! two cases: the side differs at its end, or the cubic turns often enough to cross zero twice or
//! three times. The turning points are searched on the method's interpolant, and lie between the
//! zeros. So the search finds all zeros of a cubic, and may miss zeros if a step has four of them.
//! The states of systems with a mass matrix have unknown derivatives, so such systems have no
//! slopes here. In these systems only the ends of steps are tested.
//!
//! A step without an event costs only the comparison of sides and slopes at its ends. If one lane
//! may have an event, all lanes search together.
//!
//! Zeros are searched on the method's interpolant ([`roots`](crate::integrate::roots)).
//!
//! # Conditions
//!
//! A condition is a truth value at the ends of accepted steps. If it holds there, its effects take
//! place there. Conditions do not change where steps end. They are evaluated after the search, in
//! [`find`], and their actions run in [`act`].
//!
//! # At an event
//!
//! Events that only count do not change the steps, with one exception: if the interpolant
//! [misses](crate::integrate::dense) the solution, the step is halved before it is searched. If an
//! event ends the trajectory or has an action, the step is rejected, and an ordinary step to the
//! event replaces it. If that step misses the event by more than a [fraction](MISSED) of the
//! tolerance, Newton's method corrects its size, and the step is made once more. So the state and
//! the time at the event have the order of the method, not of its interpolant.
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
        actions, attempt, begin, first_step, jumps, lane, logged, recording, roots, sides,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, guard, stepper, timeline, vector};
    use crate::system::System;

    /// The events of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Found<R: Real, const N: usize> {
        /// Lanes with a rejected step, since an event is within it.
        pub cut: R::Mask,
        /// Lanes with an accepted step.
        pub goes: R::Mask,
        /// The size of the step to the event, in lanes `cut`.
        pub size: R,
        /// The event there, counted from one.
        ///
        /// [`SECOND`] is added if the function returns there, and [`AGAIN`] for the second step to
        /// the event.
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
            cut: nobody,
            goes: nobody,
            size: zero,
            event: none,
            fired: none,
            here: none,
            held: none,
            holds: nobody,
            du: [zero; N],
            t: zero,
            t_low: zero,
        }
    }

    /// The increment of an event's number at its second crossing in a step.
    pub const SECOND: u64 = 64;
    /// The increment of an event's number when the step to the event is corrected.
    pub const AGAIN: u64 = 128;
    /// The largest miss of an event, as a fraction of the tolerance: `2^-10`.
    pub const MISSED: f64 = 0.0009765625;

    /// Finds and counts the events of a step, in lanes that move by it.
    ///
    /// The result contains the lanes with a rejected step, and the events at the end of an accepted
    /// one. `before` is the lane before the verdict on the step.
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
        moves: R::Mask,
    ) -> Found<R, N> {
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let mut found = nothing::<R, N>();
        found.t = lane.t;
        found.t_low = lane.t_low;
        let made = step.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
        found.goes = moves & trial.run & lane.alive & made;
        let end = R::select(trial.last, lane.t1, trial.next.t);
        if S::EVENTS > 0 && !S::MASS {
            if M::FSAL {
                found.du = M::du_after::<R, N>(&step.k);
            } else {
                found.du = system.rhs(&step.u, &state.p, end);
            }
        }
        let third = trial.ask.h * R::lit(1.0 / 3.0);
        let mut bit = <R::Bits as Bits>::lit(1);
        if S::EVENTS > 0 {
            let mut loud = !lane.pending.equals(none);
            if S::TIMED > 0 {
                loud = loud | trial.last;
            }
            for e in 0..S::EVENTS {
                let above = sides::has::<R>(lane.sides, bit);
                let side = R::select(above, R::lit(1.0), R::lit(-1.0));
                let g = system.event(e, &step.u, &state.p, end);
                let mut quiet = sides::has::<R>(lane.known, bit) & (side * g).gt(zero);
                if !S::MASS {
                    // A third of the slope times the step: the difference from an end to the next
                    // coefficient.
                    let slope = system.event_slope(e, &step.u, &state.p, end, &found.du) * third;
                    let first = system.event(e, &state.u, &state.p, lane.t);
                    let lean = system.event_slope(e, &state.u, &state.p, lane.t, &state.du) * third;
                    let inner = (side * (first + lean)).gt(zero) & (side * (g - slope)).gt(zero);
                    quiet = quiet & inner;
                }
                loud = loud | !quiet;
                bit = bit.wrapping_add(bit);
            }
            loud = loud & found.goes;
            bit = <R::Bits as Bits>::lit(1);
            if loud.any() {
                let mut sides = lane.sides;
                let mut known = lane.known;
                let mut crossed = none;
                let mut twice = none;
                let mut thrice = none;
                let mut broken = <R::Mask as Mask>::splat(false);
                for e in 0..S::EVENTS {
                    let above = sides::has::<R>(lane.sides, bit);
                    let was = sides::has::<R>(lane.known, bit);
                    let g = system.event(e, &step.u, &state.p, end);
                    let mut rises = g.gt(zero);
                    let mut falls = g.lt(zero);
                    broken = broken | !g.equals(g);
                    let mut slope = zero;
                    if !S::MASS {
                        slope = system.event_slope(e, &step.u, &state.p, end, &found.du) * third;
                        let flat = g.equals(zero);
                        rises = rises | (flat & slope.gt(zero));
                        falls = falls | (flat & slope.lt(zero));
                    }
                    let mut crosses = was & ((above & falls) | (!above & rises));
                    if !S::MASS {
                        let first = system.event(e, &state.u, &state.p, lane.t);
                        let lean =
                            system.event_slope(e, &state.u, &state.p, lane.t, &state.du) * third;
                        // A function that an action left at rest does not cross zero until it
                        // moves.
                        let still = was & g.equals(first) & lean.equals(zero);
                        crosses = crosses & !still;
                        rises = rises & !still;
                        falls = falls & !still;
                        let side = R::select(above, R::lit(1.0), R::lit(-1.0));
                        if S::TIMED > 0 {
                            // At the time of an action, a function may be zero up to rounding. Its
                            // event occurs before the action.
                            let far = lane.t1.abs() * timeline::few_units::<R>() * R::lit(32.0);
                            let there = (g * third).abs().le((slope * far).abs());
                            let moves = (side * slope).lt(zero) & !crosses;
                            let reaches = was & trial.last & there & moves;
                            crosses = crosses | reaches;
                            rises = (rises & !reaches) | (reaches & !above);
                            falls = (falls & !reaches) | (reaches & above);
                        }
                        let turns =
                            turns_beyond::<R>(side * first, side * lean, side * slope, side * g);
                        twice = sides::with::<R>(twice, bit, was & turns[0] & !crosses);
                        thrice = sides::with::<R>(thrice, bit, was & turns[1]);
                    }
                    crossed = sides::with::<R>(crossed, bit, crosses);
                    sides = sides::with::<R>(sides, bit, rises);
                    sides = <R::Bits as Bits>::select(falls, sides & !bit, sides);
                    known = sides::with::<R>(known, bit, rises | falls);
                    bit = bit.wrapping_add(bit);
                }
                let some = crossed | twice | lane.pending;
                let look = found.goes & !some.equals(none);
                if look.any() {
                    let place = search::<R, S, M, Q, N, P>(
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
                    found.goes = found.goes & !found.cut;
                    // At its event, rounding may have moved the function to either side.
                    sides = sides ^ place.undone;
                    // The rejected step leaves no traces.
                    lane.control =
                        control::choose_memory::<R>(found.cut, &before.control, &lane.control);
                    lane.memory = <R::Bits as Bits>::select(found.cut, before.memory, lane.memory);
                    lane.guarded =
                        <R::Bits as Bits>::select(found.cut, before.guarded, lane.guarded);
                }
                lane.sides = <R::Bits as Bits>::select(found.goes, sides, lane.sides);
                lane.known = <R::Bits as Bits>::select(found.goes, known, lane.known);
                let broken = broken & found.goes;
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
        if S::CONDITIONS > 0 {
            bit = <R::Bits as Bits>::lit(1);
            for e in 0..S::CONDITIONS {
                let holds = system.holds(e, &step.u, &state.p, end).gt(zero);
                found.held = sides::with::<R>(found.held, bit, found.goes & holds);
                found.holds = found.holds | (found.goes & holds);
                bit = bit.wrapping_add(bit);
            }
        }
        found
    }

    /// Returns whether a function may cross zero twice, and whether three times.
    ///
    /// The function is above zero at the beginning of the step. Its values at the ends are `first`
    /// and `last`, and thirds of its slopes are `lean` and `slope`. A cubic does neither unless it
    /// turns, and unless its Bernstein coefficients change sign as often.
    fn turns_beyond<R: Real>(first: R, lean: R, slope: R, last: R) -> [R::Mask; 2] {
        let zero = R::lit(0.0);
        // The coefficients of the cubic's slope are `lean`, `inner`, and `slope`.
        let inner = (last - first) - (lean + slope);
        let leaves = lean.lt(zero) | (lean.equals(zero) & inner.lt(zero));
        let returns = slope.gt(zero) | (slope.equals(zero) & inner.gt(zero));
        let both = (lean * slope).gt(zero) & (lean * inner).lt(zero);
        let both = both & (inner * inner).gt(lean * slope);
        let after = (first + lean).lt(zero);
        let before = (last - slope).lt(zero);
        let twice = ((leaves & returns) | both) & (after | before);
        [twice, both & leaves & after & !before]
    }

    /// The first event that ends the trajectory or acts.
    #[derive(Clone, Copy, Debug)]
    pub struct Place<R: Real> {
        /// Lanes with such an event within the step.
        pub cut: R::Mask,
        /// The size of the step to the event.
        pub size: R,
        /// The lane's number for the event; see [`Found::event`].
        pub event: R::Bits,
        /// The events of this kind at the end of the step.
        pub fired: R::Bits,
        /// The events with functions at zero there, up to rounding.
        pub here: R::Bits,
        /// The events with a computed side at the end of the step that must be flipped.
        pub undone: R::Bits,
    }

    /// Returns whether the event of this bit counts if its function leaves this side.
    ///
    /// The side is `above` zero or below it.
    fn counts_from<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        above: R::Mask,
        bit: R::Bits,
    ) -> R::Mask {
        let falls = sides::has::<R>(<R::Bits as Bits>::lit(S::FALLING as u64), bit);
        let rises = sides::has::<R>(<R::Bits as Bits>::lit(S::RISING as u64), bit);
        (above & falls) | (!above & rises)
    }

    /// Finds the events of lanes `look`, and counts them if the step is accepted.
    ///
    /// Functions in `crossed` have crossed zero, and functions in `twice` may have crossed zero
    /// twice. Functions in both `crossed` and `thrice` may have crossed zero three times.
    fn search<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        du: &[R; N],
        end: R,
        crossed: R::Bits,
        twice: R::Bits,
        thrice: R::Bits,
        look: R::Mask,
    ) -> Place<R> {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let nobody = <R::Mask as Mask>::splat(false);
        let full = R::lit(1.0);
        let zero = R::lit(0.0);
        let arrives = look & !lane.pending.equals(none);
        let twice_there = <R::Bits as Bits>::lit(AGAIN);
        let pending = lane.pending & !twice_there;
        let first_there = arrives & (lane.pending & twice_there).equals(none);
        let mut corrected = nobody;
        let mut correction = zero;
        let made = M::complete::<R, S, N, P>(system, state, &trial.ask, step);
        // Events no farther away than the miss of this step are at the same time.
        let close = (lane.t.abs() + trial.ask.h.abs()) * timeline::few_units::<R>();
        let mut missed = close;
        if !S::MASS && arrives.any() {
            let mut which = one;
            for e in 0..S::EVENTS {
                let returns = which.wrapping_add(<R::Bits as Bits>::lit(SECOND));
                let here = arrives & (pending.equals(which) | pending.equals(returns));
                if here.any() {
                    let ahead = ahead_of::<R, S, N, P>(system, &step.u, &state.p, e, end, du);
                    missed = R::select(here, missed + ahead.abs(), missed);
                }
                which = which.wrapping_add(one);
            }
        }
        let mut theta = full;
        let mut event = none;
        let mut cut = nobody;
        let mut fired = none;
        let mut here = none;
        let mut undone = none;
        let mut once = none;
        let mut again = none;
        let mut third = none;
        let mut bent = none;
        let mut wavy = none;
        let mut bit = one;
        let mut number = one;
        for e in 0..S::EVENTS {
            let crosses = look & sides::has::<R>(crossed, bit);
            let mut mine = arrives & pending.equals(number);
            let mut second_of =
                arrives & pending.equals(number.wrapping_add(<R::Bits as Bits>::lit(SECOND)));
            let mut both = look & sides::has::<R>(twice, bit) & !mine & !second_of;
            let mut beside = nobody;
            let mut back = nobody;
            let mut ahead = zero;
            if !S::MASS {
                ahead = ahead_of::<R, S, N, P>(system, &step.u, &state.p, e, end, du);
                let near = look & ahead.abs().le(missed);
                here = sides::with::<R>(here, bit, near);
                let others = arrives & sides::has::<R>(lane.known, bit);
                let others = others & !mine & !second_of & near;
                // Their zeros are just ahead: first zeros for some functions, second ones for
                // others.
                let others = others & !(ahead * trial.ask.h).lt(zero);
                beside = others & !crosses;
                back = others & crosses;
                mine = mine | beside;
                second_of = second_of | back;
                both = both & !beside;
            }
            if (crosses | both | mine | second_of).any() {
                let above = sides::has::<R>(lane.sides, bit);
                let side = R::select(above, full, -full);
                if !S::MASS && (mine | second_of).any() {
                    let slope = system.event_slope(e, &step.u, &state.p, end, du);
                    let moves = side * slope * full.copysign(trial.ask.h);
                    // A function that moves back to its own side changed sides by rounding: no
                    // event.
                    mine = mine & (crosses | !moves.gt(zero));
                    second_of = second_of & (!crosses | !moves.lt(zero));
                    let far = is_far::<R, N, P>(state, &step.u, du, ahead);
                    let far = far & ahead.abs().lt((trial.ask.h * R::lit(0.5)).abs());
                    let far = far & ((mine & !beside) | (second_of & !back)) & first_there;
                    correction = R::select(far, ahead, correction);
                    corrected = corrected | far;
                }
                let mut three = (crosses | mine) & !second_of & sides::has::<R>(thrice, bit);
                let mut turn = full;
                let mut turn_back = full;
                if (both | three).any() {
                    let turns = roots::turns_of::<R, S, M, N, P>(
                        system,
                        state,
                        &trial.ask,
                        &made,
                        e,
                        both | three,
                        three,
                        side,
                    );
                    both = both & turns.there;
                    three = three & turns.there;
                    turn = R::select(both | three, turns.first, full);
                    turn_back = R::select(three, turns.second, full);
                }
                let any = crosses | both | mine | second_of;
                let first = any & counts_from::<R, S, N, P>(above, bit);
                let second = (both | second_of | three) & counts_from::<R, S, N, P>(!above, bit);
                let again_first = first & three;
                // Whether the first, second and third crossing end the trajectory or act.
                let acts = sides::has::<R>(<R::Bits as Bits>::lit(S::ACTING as u64), bit);
                let count = io.event_count(e);
                let next = count.wrapping_add(one);
                let passed = <R::Bits as Bits>::select(first, next, count);
                let after = passed.wrapping_add(one);
                let last = <R::Bits as Bits>::select(second, after, passed).wrapping_add(one);
                let ends_first = actions::ends::<R, S, N, P>(system, state, lane.t, e, next);
                let ends_second = actions::ends::<R, S, N, P>(system, state, lane.t, e, after);
                let ends_third = actions::ends::<R, S, N, P>(system, state, lane.t, e, last);
                let first_cuts = first & (acts | ends_first);
                let second_cuts = second & (acts | ends_second);
                let third_cuts = again_first & (acts | ends_third);
                // In a step to an event, other crossings occur at the end of the step.
                let single = first_cuts & !both & !second_of & !three;
                let happens = single | (second_cuts & second_of) | third_cuts;
                fired = sides::with::<R>(fired, bit, happens);
                let differs = (mine & !crosses) | (second_of & crosses);
                undone = sides::with::<R>(undone, bit, differs);
                once = sides::with::<R>(once, bit, first);
                again = sides::with::<R>(again, bit, second);
                third = sides::with::<R>(third, bit, again_first);
                bent = sides::with::<R>(bent, bit, both | second_of | three);
                wavy = sides::with::<R>(wavy, bit, three);
                // In a step to another event, several crossings with an action occur at its end.
                let mut late = (both | three) & (first_cuts | second_cuts) & arrives;
                let begins = first_cuts & !arrives;
                let returns = second_cuts & !first_cuts & !arrives;
                let leaves = third_cuts & !first_cuts & !second_cuts & !arrives;
                let sought = begins | returns | leaves;
                if sought.any() {
                    let low = R::select(leaves, turn_back, R::select(returns, turn, zero));
                    let high = R::select(leaves, full, R::select(returns, turn_back, turn));
                    let side = R::select(returns, -side, side);
                    let root = roots::zero_of::<R, S, M, N, P>(
                        system, state, &trial.ask, &made, e, sought, low, high, side, false,
                    );
                    let at_end = ((full - root) * trial.ask.h).abs().le(close);
                    late = late | ((both | three) & (begins | returns) & at_end);
                    let earlier = sought & (root.lt(theta) | !cut);
                    theta = R::select(earlier, root, theta);
                    let later = number.wrapping_add(<R::Bits as Bits>::lit(SECOND));
                    let which = <R::Bits as Bits>::select(returns, later, number);
                    event = <R::Bits as Bits>::select(earlier, which, event);
                    cut = cut | earlier;
                }
                // If two crossings with an action are at the end of the step, up to rounding, no
                // other step is needed. If the first crossing acts, the later ones do not count.
                fired = sides::with::<R>(fired, bit, late);
                let left = late & first_cuts;
                undone = sides::with::<R>(undone, bit, left & both);
                again = <R::Bits as Bits>::select(left, again & !bit, again);
                bent = <R::Bits as Bits>::select(left, bent & !bit, bent);
                third = <R::Bits as Bits>::select(late, third & !bit, third);
                wavy = <R::Bits as Bits>::select(late, wavy & !bit, wavy);
            }
            bit = bit.wrapping_add(bit);
            number = number.wrapping_add(one);
        }
        // An event at the end of the step, up to rounding, needs no other step.
        let rest = ((full - theta) * trial.ask.h).abs();
        cut = cut & !rest.le(close);
        cut = cut | corrected;
        let size = R::select(corrected, trial.ask.h + correction, theta * trial.ask.h);
        event = <R::Bits as Bits>::select(corrected, lane.pending | twice_there, event);
        fired = <R::Bits as Bits>::select(look & !cut, fired, none);
        here = <R::Bits as Bits>::select(look & !cut, here, none);
        undone = <R::Bits as Bits>::select(look & !cut, undone, none);
        let counts = look & !cut;
        if S::LOGGED > 0 && io.logs() {
            let first = once & !(fired & !bent);
            let second = again & !(fired & !wavy);
            logged::within::<R, S, M, Q, N, P>(
                system,
                io,
                state,
                lane,
                &trial.ask,
                &made,
                end,
                first,
                second,
                third & !fired,
                bent,
                wavy,
                counts,
            );
        }
        bit = one;
        for e in 0..S::EVENTS {
            let first = counts & sides::has::<R>(once, bit);
            let second = counts & sides::has::<R>(again, bit);
            let last = counts & sides::has::<R>(third, bit);
            if (first | second | last).any() {
                let count = io.event_count(e);
                let count = <R::Bits as Bits>::select(first, count.wrapping_add(one), count);
                let count = <R::Bits as Bits>::select(second, count.wrapping_add(one), count);
                let count = <R::Bits as Bits>::select(last, count.wrapping_add(one), count);
                io.set_event_count(first | second | last, e, count);
            }
            bit = bit.wrapping_add(bit);
        }
        Place::<R> { cut, size, event, fired, here, undone }
    }

    /// Returns the time from state `u` to an event's zero, by linear extrapolation.
    fn ahead_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        index: usize,
        t: R,
        du: &[R; N],
    ) -> R {
        -system.event(index, u, p, t) / system.event_slope(index, u, p, t, du)
    }

    /// Returns whether a state moves too far for its tolerance in the time `ahead`.
    ///
    /// `ahead` is the miss of a step to its event. The event was searched on the interpolant, which
    /// is less accurate than steps are.
    fn is_far<R: Real, const N: usize, const P: usize>(
        state: &stepper::State<R, N, P>,
        u: &[R; N],
        du: &[R; N],
        ahead: R,
    ) -> R::Mask {
        let mut far = <R::Mask as Mask>::splat(false);
        for d in 0..N {
            let scale = state.tolerances.reltol.mul_add(u[d].abs(), state.tolerances.abstol[d]);
            far = far | (du[d] * ahead).abs().gt(scale * R::lit(MISSED));
        }
        far
    }

    /// Applies the events of a step, or plans the step to an event.
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
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let h = trial.ask.h;
        if S::EVENTS > 0 && !M::FSAL && !S::MASS {
            state.du = vector::choose::<R, N>(found.goes, found.du, state.du);
        }
        let aimed = lane.pending;
        let arrived = follow::<R, C, N>(lane, h, found);
        if ((found.goes & !found.fired.equals(none)) | found.holds).any() {
            happen::<R, S, M, Q, C, N, P>(system, io, o, state, lane, h, arrived, aimed, found);
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
        let arrived = found.goes & !lane.pending.equals(none);
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
            lane.covered = R::select(found.goes, covered, lane.covered);
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
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let nobody = <R::Mask as Mask>::splat(false);
        let before = state.u;
        let p_before = state.p;
        let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
        let mut over = nobody;
        if C::RECORDS && C::EVENTS {
            let which = found.goes & !found.fired.equals(none);
            recording::cause::<R, S, Q, N, P>(io, state, lane.t, aimed, found.fired, which);
        }
        let mut slot = none;
        if S::LOGGED + S::CONDITIONS_LOGGED > 0 && io.logs() {
            slot = logged::slot_of_first::<R, S, Q, N, P>(io, found.fired);
        }
        let mut bit = one;
        let mut number = one;
        for e in 0..S::EVENTS {
            let here = found.goes & sides::has::<R>(found.fired, bit);
            if here.any() {
                let before = state.u;
                let acts = here & sides::has::<R>(acting, bit);
                actions::change::<R, S, Q, N, P>(system, io, state, e, lane.t, acts);
                if S::LOGGED > 0 && io.logs() {
                    let logs = here & logged::is_logged::<R, S, N, P>(bit);
                    let rises = sides::has::<R>(lane.sides, bit);
                    let which = logged::number_of::<R>(number, rises);
                    io.log_event(logs, slot, which, lane.t, &before, &state.u);
                    slot = <R::Bits as Bits>::select(logs, slot.wrapping_add(one), slot);
                }
                let count = io.event_count(e);
                over = over | (here & actions::ends::<R, S, N, P>(system, state, lane.t, e, count));
            }
            bit = bit.wrapping_add(bit);
            number = number.wrapping_add(one);
        }
        let mut by_event = found.goes & !(found.fired & acting).equals(none);
        let mut acted = by_event;
        bit = one;
        number = <R::Bits as Bits>::lit((S::EVENTS + S::TIMED + 1) as u64);
        for e in 0..S::CONDITIONS {
            let index = actions::condition::<R, S, N, P>(e);
            let here = found.goes & sides::has::<R>(found.held, bit);
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
        if S::EVENTS > 0 && S::ACTING + S::CONDITIONS_ACTING > 0 {
            let moved = acted & !over;
            if moved.any() {
                let here = found.fired | found.here;
                ended = over
                    | jumps::happen::<R, S, Q, N, P>(
                        system,
                        io,
                        state,
                        lane,
                        moved,
                        found.fired,
                        here,
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
                system,
                state,
                lane.t,
                h,
                found.fired | found.here,
                &before,
                &p_before,
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
                    let acted_here = found.fired & acting;
                    let at_zero = sides::at_zero::<R, S, N, P>(
                        system, state, lane.t, &before, &p_before, &found.du, since, acted_here,
                    );
                    near = near | !at_zero[1].equals(none);
                    rests = at_zero[0] | (at_zero[1] & lane.fired);
                    // An event that acts is due if an action makes its function, at zero here, move
                    // across zero.
                    let counts = sides::in_direction::<R, S, N, P>(sides[0]);
                    due = acting & !found.fired & sides[1] & sides[2] & counts;
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
            let fired = earlier | (found.fired & acting);
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
