//! The places of a step's events, and the search for the first one that acts or ends a trajectory.
//!
//! An ordinary step goes to this event. Its first size is the zero of the
//! [cubic](crate::integrate::cubic) through the event function at both ends of the rejected step.
//! If the step misses the event, the cubic of the shorter step corrects the size. If it misses the
//! event by more than half its size, the zero is searched again within the step, or the step is an
//! ordinary one before the event. A function may begin behind zero, where the last action took
//! place, and turn there. Then its event is at the turning point. So explicit
//! methods evaluate no interpolant here, except at turning points. The interpolants of implicit
//! methods are better than a cubic through the derivatives of a stiff system, and systems with a
//! mass matrix have no derivatives here. They search the zero on the interpolant.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(locate)]
mod device {
    use crate::integrate::options::Sink;
    use crate::integrate::{actions, attempt, cubic, lane, logged, roots, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{stepper, timeline};
    use crate::system::System;

    /// The increment of an event's number at its second crossing in a step.
    pub const SECOND: u64 = 64;
    /// The increment of an event's number at each correction of the step to the event.
    pub const AGAIN: u64 = 128;
    /// The largest number of corrections of the step to an event.
    pub const MOST_CORRECTIONS: u64 = 3;
    /// The largest number of points at which the search for a turning point evaluates a function.
    pub const MOST_TURNS: usize = 3;
    /// The largest miss of an event, as a fraction of the tolerance: `2^-10`.
    pub const MISSED: f64 = 0.0009765625;

    /// Returns the crossing that the number `event` of a lane's event names, without corrections.
    pub fn crossing_of<R: Real>(event: R::Bits) -> R::Bits {
        event & <R::Bits as Bits>::lit(AGAIN - 1)
    }

    /// Returns the corrections in the number `event` of a lane's event, as multiples of [`AGAIN`].
    pub fn corrections_of<R: Real>(event: R::Bits) -> R::Bits {
        event & !<R::Bits as Bits>::lit(AGAIN - 1)
    }

    /// The first event that ends the trajectory or acts.
    #[derive(Clone, Copy, Debug)]
    pub struct Place<R: Real> {
        /// Lanes with such an event within the step.
        pub cut: R::Mask,
        /// The size of the step to the event.
        pub size: R,
        /// The lane's number for the event; see [`Found::event`](crate::integrate::events::Found::event).
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
    pub fn counts_from<R: Real, S: System<N, P>, const N: usize, const P: usize>(
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
    pub fn search<
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
        let pending = crossing_of::<R>(lane.pending);
        let corrections = corrections_of::<R>(lane.pending);
        let next_correction = corrections.wrapping_add(<R::Bits as Bits>::lit(AGAIN));
        let may_correct =
            arrives & corrections.less_than(<R::Bits as Bits>::lit(MOST_CORRECTIONS * AGAIN));
        let mut corrected = nobody;
        let mut correction = zero;
        let mut made = *step;
        let logs = S::LOGGED > 0 && io.logs();
        let turning = look & !(twice | thrice).equals(none);
        if S::MASS || M::GUARDS || logs || turning.any() {
            made = M::complete::<R, S, N, P>(system, state, &trial.ask, step);
        }
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
            let mut earlier = nobody;
            let mut ahead = zero;
            if !S::MASS {
                ahead = ahead_of::<R, S, N, P>(system, &step.u, &state.p, e, end, du);
                let near = look & ahead.abs().le(missed);
                here = sides::with::<R>(here, bit, near);
                // The zero of another function may be earlier than the one that the step goes to.
                earlier = may_correct & crosses & !mine & !second_of & !near;
                let others = arrives & sides::has::<R>(lane.known, bit);
                let others = others & !mine & !second_of & near;
                // Their zeros are just ahead: first zeros for some functions, second ones for
                // others.
                let others = others & !(ahead * trial.ask.h).lt(zero);
                let towards = system.event_slope(e, &step.u, &state.p, end, du) * trial.ask.h;
                let moves = R::select(sides::has::<R>(lane.sides, bit), towards, -towards);
                beside = others & !crosses & !moves.gt(zero);
                back = others & crosses & !moves.lt(zero);
                mine = mine | beside;
                second_of = second_of | back;
                both = both & !beside;
            }
            if (crosses | both | mine | second_of).any() {
                let above = sides::has::<R>(lane.sides, bit);
                let side = R::select(above, full, -full);
                let c = on_step::<R, S, M::Kept<R, N>, N, P>(
                    system, state, lane, trial, step, du, end, e, side,
                );
                // A function that begins behind zero, where the last action took place, first rises.
                let mut sunk = nobody;
                let mut from = zero;
                if !S::MASS {
                    let rises = crosses & c.first.lt(zero) & c.lean.gt(zero) & c.slope.lt(zero);
                    let peak = cubic::peak::<R>(&c);
                    from = R::select(rises, peak[0], zero);
                    // If it stays behind zero, its event occurs where it begins to fall.
                    sunk = rises & !peak[1].gt(zero);
                }
                if !S::MASS && (mine | second_of).any() {
                    // A function that moves back to its own side changed sides by rounding: no
                    // event.
                    mine = mine & (crosses | !c.slope.gt(zero));
                    second_of = second_of & (!crosses | !c.slope.lt(zero));
                    let since = (end - lane.acted).abs();
                    let far = is_far::<R, N, P>(state, &step.u, du, end, since, ahead);
                    let far = far & ((mine & !beside) | (second_of & !back)) & !sunk;
                    let half = ahead.abs().lt((trial.ask.h * R::lit(0.5)).abs());
                    // A miss as large as the step corrects nothing: the zero is within the step and
                    // searched again, or the step is an ordinary one before the event.
                    let astray = far & mine & !half;
                    earlier = earlier | (astray & crosses & may_correct);
                    let short = astray & !crosses & ahead.abs().le(lane.refused.abs());
                    mine = mine & !short;
                    let far = far & half & may_correct;
                    let better = cubic::beyond_end::<R>(&c) * trial.ask.h;
                    let sound = (better * ahead).gt(zero) & better.abs().lt((ahead + ahead).abs());
                    correction = R::select(far, R::select(sound, better, ahead), correction);
                    corrected = corrected | far;
                }
                let mut three = (crosses | mine) & !second_of & sides::has::<R>(thrice, bit);
                let mut turn = full;
                let mut turn_back = full;
                if (both | three).any() {
                    let turns = turns_of::<R, S, M, N, P>(
                        system,
                        state,
                        trial,
                        &made,
                        &c,
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
                let mut acts = sides::has::<R>(<R::Bits as Bits>::lit(S::ACTING as u64), bit);
                if S::DELAYED > 0 {
                    let delayed = <R::Bits as Bits>::lit(S::DELAYED as u64);
                    acts = acts | sides::has::<R>(delayed, bit);
                }
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
                let begins = first_cuts & (!arrives | (earlier & single));
                let returns = second_cuts & !first_cuts & !arrives;
                let leaves = third_cuts & !first_cuts & !second_cuts & !arrives;
                let sought = begins | returns | leaves;
                if sought.any() {
                    let low = R::select(leaves, turn_back, R::select(returns, turn, from));
                    let high = R::select(leaves, full, R::select(returns, turn_back, turn));
                    let root = if S::MASS || M::GUARDS {
                        let side = R::select(returns, -side, side);
                        roots::zero_of::<R, S, M, N, P>(
                            system, state, &trial.ask, &made, e, sought, low, high, side, false,
                        )
                    } else {
                        let side = R::select(returns, -full, full);
                        cubic::zero_of::<R>(&c, sought, low, high, side)
                    };
                    let root = R::select(begins & sunk, from, root);
                    let at_end = ((full - root) * trial.ask.h).abs().le(close);
                    late = late | ((both | three) & (begins | returns) & at_end);
                    let sooner = sought & (root.lt(theta) | !cut);
                    theta = R::select(sooner, root, theta);
                    let later = number.wrapping_add(<R::Bits as Bits>::lit(SECOND));
                    let which = <R::Bits as Bits>::select(returns, later, number);
                    let anew = <R::Bits as Bits>::select(arrives, next_correction, none);
                    event = <R::Bits as Bits>::select(sooner, which | anew, event);
                    cut = cut | sooner;
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
        let mut size = theta * trial.ask.h;
        let there = trial.ask.h + correction;
        corrected = corrected & (!cut | there.abs().lt(size.abs()));
        cut = cut | corrected;
        size = R::select(corrected, there, size);
        event = <R::Bits as Bits>::select(corrected, pending | next_correction, event);
        fired = <R::Bits as Bits>::select(look & !cut, fired, none);
        here = <R::Bits as Bits>::select(look & !cut, here, none);
        undone = <R::Bits as Bits>::select(look & !cut, undone, none);
        let counts = look & !cut;
        if logs {
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

    /// Returns the cubic through the function of event `index` at the ends of a step, times `side`.
    ///
    /// In systems with a mass matrix, its slopes are zero.
    pub fn on_step<R: Real, S: System<N, P>, V, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, V>,
        du: &[R; N],
        end: R,
        index: usize,
        side: R,
    ) -> cubic::Cubic<R> {
        let first = system.event(index, &state.u, &state.p, lane.t);
        let last = system.event(index, &step.u, &state.p, end);
        let mut lean = R::lit(0.0);
        let mut slope = lean;
        if !S::MASS {
            // A third of the slope times the step: the difference from an end to the next
            // Bernstein coefficient.
            let third = trial.ask.h * R::lit(1.0 / 3.0);
            lean = system.event_slope(index, &state.u, &state.p, lane.t, &state.du) * third;
            slope = system.event_slope(index, &step.u, &state.p, end, du) * third;
        }
        cubic::cubic::<R>(side, first, lean, slope, last)
    }

    /// Returns the turning points of the function of event `index` in lanes `which`.
    ///
    /// In lanes `thrice`, it leaves its side again. `c` is its cubic. With explicit methods, cubics
    /// through the values and slopes of the interpolant converge to the first turning point. Any
    /// point beyond zero divides the zeros.
    fn turns_of<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        trial: &attempt::Attempt<R>,
        made: &stepper::Step<R, N, M::Kept<R, N>>,
        c: &cubic::Cubic<R>,
        index: usize,
        which: R::Mask,
        thrice: R::Mask,
        side: R,
    ) -> roots::Turns<R> {
        if S::MASS || M::GUARDS {
            roots::turns_of::<R, S, M, N, P>(
                system, state, &trial.ask, made, index, which, thrice, side,
            )
        } else {
            let zero = R::lit(0.0);
            let full = R::lit(1.0);
            let mut turn = cubic::turns::<R>(c)[0];
            let mut piece = *c;
            let mut low = zero;
            let mut high = full;
            let mut there = <R::Mask as Mask>::splat(false);
            let mut busy = which;
            for round in 0..MOST_TURNS {
                if busy.any() {
                    let value = side
                        * roots::value_at::<R, S, M, N, P>(
                            system, state, &trial.ask, made, index, turn, false,
                        );
                    there = there | (busy & value.lt(zero));
                    busy = busy & !there & turn.gt(low) & turn.lt(high);
                    if round + 1 < MOST_TURNS {
                        let slope = side
                            * roots::value_at::<R, S, M, N, P>(
                                system, state, &trial.ask, made, index, turn, true,
                            );
                        // The minimum is in the piece behind this point or before it.
                        let behind = slope.lt(zero);
                        let from = R::select(behind, turn, low);
                        let to = R::select(behind, high, turn);
                        let part = (to - from) / (high - low);
                        let third = slope * (to - from) * R::lit(1.0 / 3.0);
                        piece = cubic::cubic::<R>(
                            full,
                            R::select(behind, value, piece.first),
                            R::select(behind, third, piece.lean * part),
                            R::select(behind, piece.slope * part, third),
                            R::select(behind, piece.last, value),
                        );
                        busy = busy & !slope.equals(zero);
                        low = R::select(busy, from, low);
                        high = R::select(busy, to, high);
                        let next = (to - from).mul_add(cubic::turns::<R>(&piece)[0], from);
                        turn = R::select(busy, next, turn);
                    }
                }
            }
            let mut back = full;
            if thrice.any() {
                let most = cubic::turns::<R>(c)[1];
                let value = side
                    * roots::value_at::<R, S, M, N, P>(
                        system, state, &trial.ask, made, index, most, false,
                    );
                there = there & !(thrice & !value.gt(zero));
                back = R::select(thrice, most, full);
            }
            roots::turning::<R>(there, turn, back)
        }
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

    /// Returns whether a step misses its event by too much.
    ///
    /// The event is the time `ahead` of the end of the step, at `t`. In this time, the state may
    /// move by a [fraction](MISSED) of its tolerance, or by a few rounding errors. The time itself
    /// has the same relative tolerance, and is at most this fraction of the time `since` the last
    /// action: otherwise bounces that become shorter and shorter would take place above the ground
    /// or below it.
    fn is_far<R: Real, const N: usize, const P: usize>(
        state: &stepper::State<R, N, P>,
        u: &[R; N],
        du: &[R; N],
        t: R,
        since: R,
        ahead: R,
    ) -> R::Mask {
        let units = timeline::few_units::<R>();
        let part = R::lit(MISSED);
        let relative = (state.tolerances.reltol * part).max(units);
        let least = t.abs() * units;
        let mut far = ahead.abs().gt((t.abs() * relative).min(since * part).max(least));
        for d in 0..N {
            let scale = relative.mul_add(u[d].abs(), state.tolerances.abstol[d] * part);
            far = far | (du[d] * ahead).abs().gt(scale);
        }
        far
    }
}
