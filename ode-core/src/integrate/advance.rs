//! The end of a step: saved states, the move, and the next plan.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(advance)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink};
    use crate::integrate::{attempt, dyadic, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{code, guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Saves states within a step, or at its end, in lanes that move.
    ///
    /// If there are such times, the step is [completed](Stepper::complete) first.
    pub fn record<
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
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &mut stepper::Step<R, N, M::Kept<R, N>>,
        moves: R::Mask,
    ) {
        let h = length_of::<R, C>(lane, trial);
        let reach = reach_of::<R, C>(lane, trial);
        let mut ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
        let mut want = moves & trial.run & ahead.abs().le(reach);
        if o.every_step {
            // `save_at` is infinite if the memory for saved states is full.
            want = moves & trial.run & !lane.save_at.equals(math::infinity::<R>());
        }
        if !C::NOISE && !o.every_step && want.any() {
            *step = M::complete::<R, S, N, P>(system, state, &trial.ask, step);
        }
        while want.any() {
            let mut saved = step.u;
            if o.every_step {
                let end = R::select(trial.last, lane.t1, trial.next.t);
                lane.save_at = R::select(want, end, lane.save_at);
            } else {
                let mut there = ahead.abs().ge(h.abs());
                let mut within = step.u;
                if C::NOISE {
                    // Such a time is the step's end, which rounding moved.
                    let units = timeline::edge(lane.t, h, trial.next.t);
                    there = (ahead + units).ge(h);
                    if (want & !there).any() {
                        let ask = up_to::<R>(&trial.ask, ahead, h);
                        let part = M::step::<R, S, N, P>(system, state, &ask);
                        within = part.u;
                    }
                } else {
                    within = M::interpolate::<R, N, P>(state, &trial.ask, step, ahead / h);
                }
                // A point at the end of the step is the state itself.
                saved = vector::choose::<R, N>(there, step.u, within);
            }
            io.save(want, lane.saved, saved, state.p, lane.save_at);
            let one = <R::Bits as Bits>::lit(1);
            lane.saved = <R::Bits as Bits>::select(want, lane.saved.wrapping_add(one), lane.saved);
            lane.save_at = io.save_time(want, lane.saved, lane.save_at);
            ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
            want = want & ahead.abs().le(reach);
            if o.every_step {
                want = <R::Mask as Mask>::splat(false);
            }
        }
    }

    /// The least part of a step to a saved time, `2^-30`: methods divide by its length.
    pub const LEAST_PART: f64 = 9.313225746154785e-10;

    /// Returns the arguments of the step from the same beginning to a distance `ahead`.
    ///
    /// `h` is the size of the step. The path of the noise is the same one: interpolation would
    /// give states of too little variance.
    pub fn up_to<R: Real>(ask: &stepper::Ask<R>, ahead: R, h: R) -> stepper::Ask<R> {
        let mut part = *ask;
        let within = ahead.max(h * R::lit(LEAST_PART));
        part.h = within;
        part.at.reach = ask.at.reach * (within / h);
        part.path.reach = within;
        part.path.ends_within = ask.path.ends_within | within.lt(h);
        part
    }

    /// Returns the distance between the rounded times of a step's ends.
    ///
    /// It differs from the size of adaptive steps with noise, whose times are not rounded to it.
    pub fn length_of<R: Real, C: LoopConfig>(
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
    ) -> R {
        let mut length = trial.ask.h;
        if C::NOISE && C::ADAPTIVE {
            let between = (trial.next.t - lane.t) + (trial.next.low - lane.t_low);
            length = R::select(trial.last, length, between);
        }
        length
    }

    /// Returns the greatest distance of saved times that belong to the step.
    pub fn reach_of<R: Real, C: LoopConfig>(
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
    ) -> R {
        let mut reach = length_of::<R, C>(lane, trial).abs();
        if C::SCHEDULED || C::EVENTS {
            // At an action, the state before it is saved, even if rounding puts its time past the
            // step.
            let none = <R::Bits as Bits>::lit(0);
            let acts = trial.last | !lane.pending.equals(none);
            let end = R::select(trial.last, lane.t1, trial.next.t);
            let units = end.abs().mul_add(timeline::few_units::<R>(), reach);
            reach = R::select(acts, units, reach);
        }
        if C::NOISE {
            // A path moves by the root of the time, so it moves far within rounding errors.
            reach = reach + timeline::edge(lane.t, trial.ask.h, trial.next.t);
        }
        reach
    }

    /// Moves lanes with an accepted adaptive step, and plans the next step.
    ///
    /// A trajectory fails if its steps no longer advance the time.
    pub fn adaptively<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
    ) {
        let small = if C::NOISE {
            on_tree::<R, N>(o, lane, trial, verdict, moves)
        } else {
            forward::<R, M, C, N>(o, lane, trial, verdict, moves)
        };
        if (!verdict.accept | small).any() {
            let beyond = !verdict.square.lt(R::lit(norm::SQUARE_MAX));
            let failing = trial.run & lane.alive & !moves;
            let small = small & lane.alive;
            if C::EVENTS {
                // A rejected step goes to no event.
                let none = <R::Bits as Bits>::lit(0);
                lane.pending = <R::Bits as Bits>::select(failing, none, lane.pending);
            }
            if refuse::<R>(lane, trial, failing, small, beyond).any() {
                let mut stuck = shorten::<R>(lane, trial, failing, small);
                // If the derivative is not finite, no step is small enough.
                let before = M::du_before::<R, N>(&step.k);
                let hopeless = failing & !norm::is_finite::<R, N>(&before);
                if S::HAS_DOMAIN {
                    stuck =
                        stuck | (failing & stays_outside::<R, N, P, M::Kept<R, N>>(state, step));
                }
                let code = cause::<R>(hopeless, verdict.square, step.code);
                let given_up = stuck | hopeless;
                lane.code = <R::Bits as Bits>::select(given_up, code, lane.code);
                lane.last_attempt =
                    <R::Bits as Bits>::select(given_up, lane.attempts, lane.last_attempt);
            }
        }
    }

    /// Moves lanes `moves` to the time at the end of an adaptive step.
    fn arrive<R: Real>(lane: &mut lane::Lane<R>, trial: &attempt::Attempt<R>, moves: R::Mask) {
        lane.t = R::select(moves, R::select(trial.last, lane.t1, trial.next.t), lane.t);
        if !R::DOUBLE {
            let low = R::select(trial.last, R::lit(0.0), trial.next.low);
            lane.t_low = R::select(moves, low, lane.t_low);
        }
    }

    /// Moves lanes with an accepted step, and plans the next step.
    ///
    /// Returns the lanes with a next step below the smallest one.
    pub fn forward<R: Real, M: Stepper, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
    ) -> R::Mask {
        let h = trial.ask.h;
        let done = moves & trial.last;
        let more = lane::looks_ahead::<R, M>(lane, o.guard);
        let all = lane.attempts.wrapping_add(more);
        lane.last_attempt = <R::Bits as Bits>::select(done, all, lane.last_attempt);
        let mut size = h;
        let before = lane.plan;
        if C::SCHEDULED || (M::GUARDS && o.guard == guard::REJECT) {
            // The last step as planned, before the end shortened it.
            size = timeline::planned(lane.t, lane.t_low, lane.plan);
        }
        arrive::<R>(lane, trial, moves);
        lane.plan = timeline::plan(lane.t, lane.t_low, h, verdict.factor);
        let mut small = <R::Mask as Mask>::splat(false);
        if o.limited {
            let size = h * verdict.factor;
            small = trial.run & !done & size.abs().le(o.dtmin);
            // A step to an event may be shorter than the smallest step.
            small = small & lane.pending.equals(<R::Bits as Bits>::lit(0));
            let size = size.abs().at_most(o.dtmax).copysign(h);
            lane.plan = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
        }
        if M::GUARDS && o.guard != guard::OFF {
            let ahead = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
            lane.plan = R::select(done, ahead, lane.plan);
        }
        if C::SCHEDULED {
            // The segment after an action continues with this size.
            let ahead = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
            lane.plan = R::select(done, ahead, lane.plan);
        }
        if C::SCHEDULED || C::WATCHES {
            lane.plan = R::select(trial.run, lane.plan, before);
        }
        small
    }

    /// Moves lanes with an accepted step to the next [node](dyadic), and divides rejected nodes.
    ///
    /// Returns the lanes with a next step below the smallest one.
    pub fn on_tree<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
    ) -> R::Mask {
        let done = moves & trial.last;
        lane.last_attempt = <R::Bits as Bits>::select(done, lane.attempts, lane.last_attempt);
        arrive::<R>(lane, trial, moves);
        let failing = trial.run & lane.alive & !moves;
        let h = trial.ask.h;
        let square = verdict.square * R::lit(1.0 / N as f64);
        let factor = verdict.factor;
        let small = dyadic::choose::<R, N>(o, lane, h, square, factor, moves, done, failing);
        // The plan shows whether the next step advances the time.
        let plan = timeline::plan(lane.t, lane.t_low, lane.size, R::lit(1.0));
        lane.plan = R::select(trial.run, plan, lane.plan);
        small
    }

    /// Counts the rejected steps of lanes `failing`; returns the lanes that need a check.
    ///
    /// Most steps fail because they are too long, and need no check. Lanes with an error `beyond`
    /// all bounds, or with a step below the smallest one (`small`), need a check. So do lanes in
    /// which a 64th of the step would not advance the time: rounding may make the next step as long
    /// as this one.
    ///
    /// `failing` excludes lanes without a trajectory. Their steps fail forever, and rejections must
    /// not make them idle lanes.
    pub fn refuse<R: Real>(
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        failing: R::Mask,
        small: R::Mask,
        beyond: R::Mask,
    ) -> R::Mask {
        let one = <R::Bits as Bits>::lit(1);
        lane.rejected =
            <R::Bits as Bits>::select(failing, lane.rejected.wrapping_add(one), lane.rejected);
        let part = timeline::plan(lane.t, lane.t_low, trial.ask.h, R::lit(1.0 / 64.0));
        let stalls = timeline::stalls(lane.t, lane.t_low, part);
        small | (failing & (beyond | stalls))
    }

    /// Plans a shorter step in lanes `failing`; returns the lanes that cannot shorten theirs.
    pub fn shorten<R: Real>(
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        failing: R::Mask,
        small: R::Mask,
    ) -> R::Mask {
        let h = trial.ask.h;
        let size = timeline::planned(lane.t, lane.t_low, lane.plan);
        let shorter = timeline::plan(lane.t, lane.t_low, h, R::lit(0.25));
        lane.plan = R::select(failing & size.abs().ge(h.abs()), shorter, lane.plan);
        small | (failing & timeline::stalls(lane.t, lane.t_low, lane.plan))
    }

    /// Returns whether smaller steps would stay outside the domain, too.
    ///
    /// In such a lane, the state moves by no more than rounding.
    pub fn stays_outside<R: Real, const N: usize, const P: usize, V>(
        state: &stepper::State<R, N, P>,
        step: &stepper::Step<R, N, V>,
    ) -> R::Mask {
        let outside = <R::Bits as Bits>::lit(code::OUTSIDE);
        let mut still = step.code.equals(outside);
        for d in 0..N {
            let moved = (step.u[d] - state.u[d]).abs();
            let few = state.u[d].abs() * timeline::few_units::<R>();
            still = still & moved.le(few);
        }
        still
    }

    /// Returns the code of a trajectory that fails.
    ///
    /// `square` is the scaled error of the last step, squared, and `step_code` its code. `hopeless`
    /// lanes have a derivative that is not finite.
    pub fn cause<R: Real>(hopeless: R::Mask, square: R, step_code: R::Bits) -> R::Bits {
        let code = <R::Bits as Bits>::select(
            hopeless | !norm::is_finite::<R, 1>(&[square]),
            <R::Bits as Bits>::lit(code::NON_FINITE),
            <R::Bits as Bits>::lit(code::DT_MIN),
        );
        let solved = step_code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
        <R::Bits as Bits>::select(solved, code, step_code)
    }

    /// Moves lanes by fixed steps.
    pub fn by_fixed_steps<R: Real, M: Stepper, C: LoopConfig, const N: usize, const P: usize>(
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
    ) {
        to_next::<R, C>(lane, trial);
        // There is no smaller step to try.
        let none = <R::Bits as Bits>::lit(code::SUCCESS);
        lane.code = <R::Bits as Bits>::select(lane.code.equals(none), step.code, lane.code);
    }

    /// Moves lanes to the time at the end of a fixed step.
    pub fn to_next<R: Real, C: LoopConfig>(lane: &mut lane::Lane<R>, trial: &attempt::Attempt<R>) {
        lane.t = R::select(trial.last, lane.t1, trial.next.t);
        if C::TIME_DEPENDENT && !R::DOUBLE {
            lane.t_low = R::select(trial.last, R::lit(0.0), trial.next.low);
        }
    }
}
