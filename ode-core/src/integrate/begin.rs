//! What happens between trajectories: a lane hands in the finished one and begins the next.

pub use device::*;

#[ode_macros::device(begin)]
mod device {
    use crate::integrate::lane;
    use crate::integrate::options::{self, Plan, Sink, Source};
    use crate::integrate::{consistent, first_step};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{code, control, guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Lanes in need, by reason. Each lane has exactly one.
    #[derive(Clone, Copy, Debug)]
    pub struct Need<R: Real> {
        /// The trajectory is over, or the lane has none yet.
        pub over: R::Mask,
        /// The growth guard restarts the trajectory.
        pub anew: R::Mask,
        /// The lane has reached a time to stop at and begins the next part of the span.
        pub again: R::Mask,
    }

    /// Hands in the finished trajectories of lanes in need.
    pub fn hand_in<
        R: Real,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: Plan,
        const N: usize,
        const P: usize,
    >(
        feed: &mut Q,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        need: R::Mask,
    ) -> Need<R> {
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        let mut anew = nobody;
        if M::GUARDS && C::ADAPTIVE {
            anew = need & lane.alive & lane.code.equals(<R::Bits as Bits>::lit(code::ANEW));
        }
        let mut over = need & !anew;
        let mut again = nobody;
        if o.stops {
            // A lane without an attempted step may have no trajectory.
            let tried = need & lane.alive & none.less_than(lane.allowed);
            let end = feed.load_end(tried, lane.t1);
            again = tried & lane.t.equals(lane.t1) & !lane.t1.equals(end) & lane.code.equals(none);
            over = over & !again;
        }
        if o.stops || M::GUARDS {
            let steps = lane.before.wrapping_add(lane.allowed);
            lane.before = <R::Bits as Bits>::select(need, steps, lane.before);
        } else {
            lane.before = lane.allowed;
        }
        let ok = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut code = ok;
        if C::ADAPTIVE {
            let early = <R::Bits as Bits>::lit(code::MAX_STEPS);
            code = <R::Bits as Bits>::select(lane.t.equals(lane.t1), ok, early);
        }
        code = <R::Bits as Bits>::select(lane.code.equals(none), code, lane.code);
        let broken = !norm::is_finite::<R, N>(&state.u) & code.equals(ok);
        let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
        code = <R::Bits as Bits>::select(broken, non_finite, code);
        if <M::Memory as Memory>::SWITCHES {
            code = code | <M::Memory as Memory>::reported::<R>(lane.memory);
        }
        let mut reached = lane.t;
        if !C::ADAPTIVE {
            reached = R::select(lane.allowed.equals(none), lane.t0, lane.t1);
        }
        let report = guard::reported::<R>(lane.guarded);
        let end = options::end::<R>(reached, code, lane.before, lane.rejected, lane.saved, report);
        feed.finish(over, state.u, end);
        Need::<R> { over, anew, again }
    }

    /// Begins the next trajectory of lanes in need, or the next part of its span. The lane gets a
    /// consistent state, a derivative and a first step. Returns the lanes that are in need again:
    /// those that failed, and those whose span has no length.
    pub fn begin<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: Plan,
        const N: usize,
        const P: usize,
    >(
        system: S,
        feed: &mut Q,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        need: R::Mask,
        reasons: &Need<R>,
    ) -> R::Mask {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let assigned = feed.acquire(reasons.over);
        let fresh = assigned | reasons.anew;
        let begins = fresh | reasons.again;
        state.u = feed.load_u(fresh, state.u);
        state.p = feed.load_p(fresh, state.p);
        let start = feed.load_start(fresh, lane.t0);
        let end = feed.load_end(begins, lane.t1);
        let mut steps_left = o.max_steps;
        if o.stops || M::GUARDS {
            lane.before = <R::Bits as Bits>::select(assigned, none, lane.before);
            steps_left = o.max_steps.wrapping_sub(lane.before);
        }
        if o.stops {
            let passed =
                <R::Bits as Bits>::select(reasons.again, lane.stop.wrapping_add(one), lane.stop);
            lane.stop = <R::Bits as Bits>::select(fresh, none, passed);
            lane.t0 = R::select(reasons.again, lane.t1, R::select(fresh, start, lane.t0));
            let next = feed.stop_time(begins, lane.stop, end);
            let next = R::select(next.equals(math::infinity::<R>()), end, next);
            lane.t1 = R::select(begins, next, lane.t1);
        } else {
            lane.t0 = start;
            lane.t1 = end;
        }
        lane.t = R::select(begins, lane.t0, lane.t);
        lane.t_low = R::select(begins, zero, lane.t_low);
        lane.attempts = <R::Bits as Bits>::select(need, none, lane.attempts);
        lane.allowed = <R::Bits as Bits>::select(need, steps_left, lane.allowed);
        lane.rejected = <R::Bits as Bits>::select(assigned, none, lane.rejected);
        // Steps before a restart count as rejected.
        lane.rejected = <R::Bits as Bits>::select(reasons.anew, lane.before, lane.rejected);
        lane.code = <R::Bits as Bits>::select(fresh, none, lane.code);
        if M::GUARDS {
            lane.guarded = <R::Bits as Bits>::select(assigned, none, lane.guarded);
            // Something may have fed a mode that counted as zero.
            let next = guard::next_part::<R>(lane.guarded);
            lane.guarded = <R::Bits as Bits>::select(reasons.again, next, lane.guarded);
        }
        let mut law = o.law;
        if <M::Memory as Memory>::SWITCHES {
            lane.memory = <R::Bits as Bits>::select(fresh, none, lane.memory);
            let implicit = <M::Memory as Memory>::is_implicit::<R>(lane.memory);
            law = control::choose_law::<R>(implicit, &o.stiff_law, &o.law);
        }
        let forgotten = control::fresh::<R>(&law);
        lane.control = control::choose_memory::<R>(begins, &forgotten, &lane.control);
        let span = lane.t1 - lane.t0;
        let mut t_eval = lane.t0;
        if o.stops && (!S::AUTONOMOUS || S::STEPWISE) {
            t_eval = lane.t0 + timeline::edge(lane.t0, span, lane.t1);
        }
        let mut h0 = o.dt.abs();
        if S::ALGEBRAIC > 0 {
            let start = consistent::consistent::<R, S, N, P>(
                system,
                &state.u,
                &state.p,
                t_eval,
                &state.tolerances,
            );
            state.u = vector::choose::<R, N>(begins, start.u, state.u);
            lane.code = <R::Bits as Bits>::select(begins, start.code, lane.code);
        }
        let f = system.rhs(&state.u, &state.p, t_eval);
        let mut k = f;
        if S::MASS {
            k = consistent::derivative::<R, S, N, P>(system, &state.u, &state.p, t_eval, &f);
        }
        if M::GUARDS && S::MASS && o.guard != guard::OFF {
            let scale = R::lit(consistent::SHORT).copysign(span);
            let negative =
                guard::is_negative::<R, S, N, P>(system, &state.u, &state.p, t_eval, scale);
            lane.mirrored = (begins & negative) | (lane.mirrored & !begins);
        }
        state.du = vector::choose::<R, N>(begins, if M::NEEDS_DU { k } else { f }, state.du);
        if C::ADAPTIVE {
            let automatic = h0.equals(zero) & begins;
            if automatic.any() {
                let chosen = first_step::size::<R, S, M, N, P>(
                    system,
                    &state.u,
                    &state.p,
                    t_eval,
                    span,
                    &k,
                    &state.tolerances,
                );
                h0 = R::select(automatic, chosen, h0);
            }
            let blind = automatic & first_step::is_blind::<R>(h0, lane.t0, span);
            let too_short = <R::Bits as Bits>::lit(code::DT_MIN);
            lane.code =
                <R::Bits as Bits>::select(blind & lane.code.equals(none), too_short, lane.code);
            h0 = h0.max(timeline::least_step(lane.t0));
            if o.limited {
                h0 = h0.max(o.dtmin).at_most(o.dtmax);
            }
            let next = timeline::plan(lane.t0, zero, h0.copysign(span), R::lit(1.0));
            lane.plan = R::select(begins, next, lane.plan);
        } else {
            let count = timeline::steps(lane.t0, lane.t1, h0);
            h0 = h0.copysign(span);
            lane.dt = R::select(begins, h0, lane.dt);
            let allowed = timeline::whole_to_bits(count);
            lane.allowed = <R::Bits as Bits>::select(begins, allowed, lane.allowed);
            let rest = (R::lit(1.0) - count).mul_add(h0, span);
            lane.last_dt = R::select(begins, rest, lane.last_dt);
        }
        if C::SAVES && feed.saves() {
            lane.saved = <R::Bits as Bits>::select(fresh, none, lane.saved);
            lane.save_at = feed.save_time(fresh, lane.saved, lane.save_at);
            let mut at_start = fresh & lane.save_at.equals(lane.t0);
            if S::ALGEBRAIC > 0 {
                at_start = at_start & lane.code.equals(none);
            }
            feed.save(at_start, lane.saved, state.u, state.p, lane.save_at);
            lane.saved = <R::Bits as Bits>::select(at_start, one, lane.saved);
            lane.save_at = feed.save_time(at_start, lane.saved, lane.save_at);
        }

        // A lane that finds no trajectory left steps on without ever reaching an end. Its results
        // are ignored, so the hot path needs no code for it.
        let idle = reasons.over & !assigned;
        lane.alive = lane.alive & !idle;
        lane.t = R::select(idle, math::not_a_number::<R>(), lane.t);
        lane.save_at = R::select(idle, math::infinity::<R>(), lane.save_at);
        lane.allowed = <R::Bits as Bits>::select(idle, !none, lane.allowed);
        // A span of no length is already at its end, so its lane is in need again.
        let mut ended = assigned & lane.t0.equals(lane.t1);
        if C::ADAPTIVE || S::ALGEBRAIC > 0 {
            ended = ended | (begins & !lane.code.equals(none));
        }
        lane.allowed = <R::Bits as Bits>::select(ended, none, lane.allowed);
        begins & lane.allowed.equals(none)
    }
}
