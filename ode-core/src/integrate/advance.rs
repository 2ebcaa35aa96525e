//! After a step: states within it are saved, and the lane moves to its end, or plans a shorter
//! step.

pub use device::*;

// The number of arguments is that of what a step depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(advance)]
mod device {
    use crate::integrate::options::{self, Plan, Sink};
    use crate::integrate::{attempt, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{code, guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Saves the states at saved times within a step, or the one at its end, of lanes that move.
    /// Where there are such times the step is [completed](Stepper::complete).
    pub fn record<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Sink<R, N, P>,
        C: Plan,
        const N: usize,
        const P: usize,
    >(
        system: S,
        feed: &mut Q,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &mut stepper::Step<R, N, M::Kept<R, N>>,
        moves: R::Mask,
    ) {
        let h = trial.ask.h;
        let mut ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
        let mut want = moves & trial.run & ahead.abs().le(h.abs());
        if o.every_step {
            // Where there is room for another state.
            want = moves & trial.run & !lane.save_at.equals(math::infinity::<R>());
        }
        if !o.every_step && want.any() {
            *step = M::complete::<R, S, N, P>(system, state, &trial.ask, step);
        }
        while want.any() {
            let mut saved = step.u;
            if o.every_step {
                let end = R::select(trial.last, lane.t1, trial.next.t);
                lane.save_at = R::select(want, end, lane.save_at);
            } else {
                let within = M::interpolate::<R, N, P>(state, &trial.ask, step, ahead / h);
                // A point at the end of the step is the state itself.
                saved = vector::choose::<R, N>(ahead.equals(h), step.u, within);
            }
            feed.save(want, lane.saved, saved, state.p, lane.save_at);
            let one = <R::Bits as Bits>::lit(1);
            lane.saved = <R::Bits as Bits>::select(want, lane.saved.wrapping_add(one), lane.saved);
            lane.save_at = feed.save_time(want, lane.saved, lane.save_at);
            ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
            want = want & ahead.abs().le(h.abs());
            if o.every_step {
                want = <R::Mask as Mask>::splat(false);
            }
        }
    }

    /// Moves lanes whose adaptive step was accepted, and plans the next step. A trajectory whose
    /// steps no longer advance time is given up.
    pub fn adaptively<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
    ) {
        let h = trial.ask.h;
        let run = trial.run;
        let done = moves & trial.last;
        let more = lane::looks_ahead::<R, M>(lane, o.guard);
        let all = lane.attempts.wrapping_add(more);
        lane.allowed = <R::Bits as Bits>::select(done, all, lane.allowed);
        let mut size = h;
        if M::GUARDS && o.guard == guard::REJECT {
            // The last step as it was planned, before the end shortened it.
            size = timeline::planned(lane.t, lane.t_low, lane.plan);
        }
        lane.t = R::select(moves, R::select(trial.last, lane.t1, trial.next.t), lane.t);
        if !R::DOUBLE {
            let low = R::select(trial.last, R::lit(0.0), trial.next.low);
            lane.t_low = R::select(moves, low, lane.t_low);
        }
        lane.plan = timeline::plan(lane.t, lane.t_low, h, verdict.factor);
        let mut trouble = !verdict.accept;
        let mut small = <R::Mask as Mask>::splat(false);
        if o.limited {
            let size = h * verdict.factor;
            small = run & !done & size.abs().le(o.dtmin);
            trouble = trouble | small;
            let size = size.abs().at_most(o.dtmax).copysign(h);
            lane.plan = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
        }
        if M::GUARDS && o.guard != guard::OFF {
            let ahead = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
            lane.plan = R::select(done, ahead, lane.plan);
        }
        if trouble.any() {
            // The steps of a lane without a trajectory fail for ever, which must not make it a lane
            // in need.
            let failing = run & lane.alive & !moves;
            small = small & lane.alive;
            let one = <R::Bits as Bits>::lit(1);
            lane.rejected =
                <R::Bits as Bits>::select(failing, lane.rejected.wrapping_add(one), lane.rejected);
            // Most rejected steps are just too long. Where a 64th of the step would not advance
            // time, rounding may make the next one as long as this one; errors beyond all bounds
            // have other reasons.
            let part = timeline::plan(lane.t, lane.t_low, h, R::lit(1.0 / 64.0));
            let beyond = !verdict.square.lt(R::lit(norm::SQUARE_MAX));
            let stalls = timeline::stalls(lane.t, lane.t_low, part);
            let odd = small | (failing & (beyond | stalls));
            if odd.any() {
                let size = timeline::planned(lane.t, lane.t_low, lane.plan);
                let shorter = timeline::plan(lane.t, lane.t_low, h, R::lit(0.25));
                lane.plan = R::select(failing & size.abs().ge(h.abs()), shorter, lane.plan);
                let mut stuck = small | (failing & timeline::stalls(lane.t, lane.t_low, lane.plan));
                // Where the derivative is not finite no step is small enough.
                let before = M::du_before::<R, N>(&step.k);
                let hopeless = failing & !norm::is_finite::<R, N>(&before);
                if S::HAS_DOMAIN {
                    // Smaller steps would not leave the domain either, as rounding does not let the
                    // state move.
                    let outside = <R::Bits as Bits>::lit(code::OUTSIDE);
                    let mut still = failing & step.code.equals(outside);
                    for d in 0..N {
                        let moved = (step.u[d] - state.u[d]).abs();
                        let few = state.u[d].abs() * timeline::few_units::<R>();
                        still = still & moved.le(few);
                    }
                    stuck = stuck | still;
                }
                let code = <R::Bits as Bits>::select(
                    hopeless | !norm::is_finite::<R, 1>(&[verdict.square]),
                    <R::Bits as Bits>::lit(code::NON_FINITE),
                    <R::Bits as Bits>::lit(code::DT_MIN),
                );
                let solved = step.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
                let code = <R::Bits as Bits>::select(solved, code, step.code);
                let given_up = stuck | hopeless;
                lane.code = <R::Bits as Bits>::select(given_up, code, lane.code);
                lane.allowed = <R::Bits as Bits>::select(given_up, lane.attempts, lane.allowed);
            }
        }
    }

    /// Moves lanes by fixed steps.
    pub fn by_fixed_steps<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
    ) {
        lane.t = R::select(trial.last, lane.t1, trial.next.t);
        if (!S::AUTONOMOUS || S::STEPWISE) && !R::DOUBLE {
            lane.t_low = R::select(trial.last, R::lit(0.0), trial.next.low);
        }
        // There is no smaller step to try.
        let none = <R::Bits as Bits>::lit(code::SUCCESS);
        lane.code = <R::Bits as Bits>::select(lane.code.equals(none), step.code, lane.code);
    }
}
