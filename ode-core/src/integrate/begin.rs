//! The end of a lane's trajectory or segment, and the start of the next one.
//!
//! A span of no length is valid, since durations of zero occur in data. There is one exception: if
//! the unit in the last place of its times exceeds one, rounding may have emptied a longer span.
//! The host then returns an error (`problem/options/times.rs`).

pub use device::*;

// A start depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::collapsible_if, clippy::too_many_arguments)]
#[ode_macros::device(begin)]
mod device {
    use crate::integrate::lane;
    use crate::integrate::options::{self, LoopConfig, Sink, Source};
    use crate::integrate::{
        actions, consistent, delays, dyadic, first_step, jumps, recording, sides, thinning, timed,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{code, control, guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Idle lanes by reason; each lane has one of three reasons.
    #[derive(Clone, Copy, Debug)]
    pub struct Need<R: Real> {
        /// Lanes without a trajectory, or with a finished one.
        pub over: R::Mask,
        /// Lanes with a trajectory that restarts carefully.
        pub anew: R::Mask,
        /// Lanes at a time to stop at, where the next segment begins.
        pub again: R::Mask,
    }

    /// Makes a [`Need`].
    pub fn need<R: Real>(over: R::Mask, anew: R::Mask, again: R::Mask) -> Need<R> {
        Need::<R> { over, anew, again }
    }

    /// Delivers the finished trajectories of idle lanes to the sink.
    pub fn hand_in<
        R: Real,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
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
            // A lane without any attempted step may have no trajectory.
            let tried = need & lane.alive & none.less_than(lane.last_attempt);
            let end = io.load_end(tried, lane.t1);
            again = tried & lane.t.equals(lane.t1) & !lane.t1.equals(end) & lane.code.equals(none);
            over = over & !again;
        }
        count_attempts::<R, M, C, N>(o, lane, need);
        let end = ending::<R, M, C, N>(lane, &state.u);
        if C::RECORDS && (C::WATCHES || C::SCHEDULED) {
            let kind = <R::Bits as Bits>::lit(recording::END as u64).wrapping_add(lane.stop);
            io.record_mark(over, kind, &state.u, &state.p, end.t);
        }
        io.finish(over, state.u, end);
        Need::<R> { over, anew, again }
    }

    /// Adds the attempts of idle lanes to those of earlier segments.
    ///
    /// At its end, an adaptive lane may make one more attempt for the growth guard. This attempt
    /// ([`lane::looks_ahead`]) is subtracted from the count of steps.
    pub fn count_attempts<R: Real, M: Stepper, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        need: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        if o.stops || M::GUARDS {
            let mut steps = lane.before.wrapping_add(lane.last_attempt);
            if M::GUARDS && C::ADAPTIVE {
                let there = lane::is_at_end::<R>(lane);
                let there = there & none.less_than(lane.last_attempt);
                let looks = lane::looks_ahead::<R, M>(lane, o.guard);
                steps = <R::Bits as Bits>::select(there, steps.wrapping_sub(looks), steps);
            }
            lane.before = <R::Bits as Bits>::select(need, steps, lane.before);
        } else {
            lane.before = lane.last_attempt;
        }
    }

    /// Returns the end of a trajectory after its attempts were [counted](count_attempts).
    ///
    /// `u` is the final state.
    pub fn ending<R: Real, M: Stepper, C: LoopConfig, const N: usize>(
        lane: &lane::Lane<R>,
        u: &[R; N],
    ) -> options::End<R> {
        let none = <R::Bits as Bits>::lit(0);
        let ok = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut code = ok;
        if C::ADAPTIVE {
            let early = <R::Bits as Bits>::lit(code::MAX_STEPS);
            code = <R::Bits as Bits>::select(lane.t.equals(lane.t1), ok, early);
        }
        code = <R::Bits as Bits>::select(lane.code.equals(none), code, lane.code);
        let broken = lane::is_unsound::<R>(lane) | (!norm::is_finite::<R, N>(u) & code.equals(ok));
        let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
        code = <R::Bits as Bits>::select(broken, non_finite, code);
        if <M::Memory as Memory>::SWITCHES {
            code = code | <M::Memory as Memory>::reported::<R>(lane.memory);
        }
        let mut reached = lane.t;
        if !C::ADAPTIVE {
            reached = R::select(lane.last_attempt.equals(none), lane.t0, lane.t1);
        }
        let report = guard::reported::<R>(lane.guarded);
        let mut steps = lane.before;
        let mut rejected = none;
        if C::ADAPTIVE {
            rejected = lane.rejected;
        } else {
            // These steps were made in addition to those of the grid.
            steps = steps.wrapping_add(lane.fractions);
        }
        options::end::<R>(reached, code, steps, rejected, lane.saved, report)
    }

    /// Lanes that begin, by the start that they make.
    #[derive(Clone, Copy, Debug)]
    pub struct Begun<R: Real> {
        /// Lanes that took a trajectory.
        pub assigned: R::Mask,
        /// Lanes at the beginning of a trajectory: `assigned` lanes and restarts.
        pub fresh: R::Mask,
        /// Lanes at the beginning of a trajectory or segment.
        pub begins: R::Mask,
        /// Lanes among `begins` that continue after a scheduled or delayed action, or a jump.
        pub goes_on: R::Mask,
        /// Lanes among `begins` that continue without an action, because no jump occurred at a
        /// [candidate](thinning).
        pub resumes: R::Mask,
    }

    /// Makes a [`Begun`].
    pub fn begun<R: Real>(assigned: R::Mask, fresh: R::Mask, begins: R::Mask) -> Begun<R> {
        let nobody = <R::Mask as Mask>::splat(false);
        Begun::<R> { assigned, fresh, begins, goes_on: nobody, resumes: nobody }
    }

    /// Begins the next trajectory or segment of idle lanes.
    ///
    /// A start needs a consistent state, a derivative, and a first step. Returns the lanes that are
    /// idle again, because the start failed or the span has no length.
    pub fn begin<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        clocks: &mut thinning::Clocks<R>,
        need: R::Mask,
        reasons: &Need<R>,
    ) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        let assigned = io.acquire(reasons.over);
        let fresh = assigned | reasons.anew;
        let begins = fresh | reasons.again;
        let mut begun = begun::<R>(assigned, fresh, begins);
        let stop = lane.stop;
        load::<R, S, Q, N, P>(io, o, state, lane, reasons, &begun);
        if C::NOISE || C::JUMPS {
            let number = io.path_number(lane.t0);
            lane.number[0] = <R::Bits as Bits>::select(assigned, number[0], lane.number[0]);
            lane.number[1] = <R::Bits as Bits>::select(assigned, number[1], lane.number[1]);
        }
        reset::<R, M, N>(o, lane, need, reasons, &begun);
        if C::RECORDS && (C::WATCHES || C::SCHEDULED) {
            if M::GUARDS && C::ADAPTIVE {
                io.forget_actions(reasons.anew);
            }
            if C::TIME_DEPENDENT {
                let kind = recording::SEGMENT;
                io.record_action(reasons.again, kind, &state.u, &state.p, lane.t0);
            }
        }
        let mut first = state.u;
        let p_first = state.p;
        let mut here = none;
        if C::SCHEDULED && C::EVENTS && !C::PASSAGES {
            here = sides::near::<R, S, N, P>(system, state, lane.t, reasons.again);
        }
        let mut acted = <R::Mask as Mask>::splat(false);
        if S::TIMED > 0 {
            acted = timed::act::<R, S, Q, N, P>(system, io, state, lane, begins, fresh, &mut first);
            begun.goes_on = acted & reasons.again;
        }
        let mut ran = delays::none_ran::<R>();
        if S::DELAYED > 0 {
            ran = delays::run::<R, S, Q, N, P>(system, io, state, lane, reasons.again);
            delays::shorten::<R>(lane, begins);
            let delayed = !ran.events.equals(none);
            acted = acted | delayed;
            begun.goes_on = begun.goes_on | delayed;
        }
        if C::JUMPS {
            let jumped = thinning::run::<R, S, Q, N, P>(
                system, io, o, state, lane, clocks, begins, fresh, acted,
            );
            thinning::shorten::<R, S, N, P>(lane, clocks, begins);
            acted = acted | jumped;
            begun.goes_on = begun.goes_on | jumped;
            begun.resumes = reasons.again & lane.stop.equals(stop) & !acted;
        }
        let mut over = ran.over;
        if C::SCHEDULED && C::EVENTS {
            let moved = begun.goes_on & !over;
            if moved.any() {
                over = over
                    | jumps::happen::<R, S, Q, N, P>(
                        system, io, state, lane, moved, ran.events, here, &first, &p_first,
                    );
            }
        }
        let t_eval = first_time::<R, C, N>(o, lane);
        let k = derivative::<R, S, M, N, P>(system, o, state, lane, &begun, t_eval);
        if C::ADAPTIVE {
            if C::NOISE {
                let end = io.load_end(begun.fresh, lane.t1);
                dyadic::begin::<R, N>(o, lane, begun.fresh, begun.begins, end);
            } else {
                plan::<R, S, M, N, P>(system, o, state, lane, &begun, t_eval, &k);
            }
            let at_stop = reasons.again & !begun.resumes;
            if o.stops && R::DOUBLE && !S::AUTONOMOUS && at_stop.any() {
                let pole = is_pole::<R, S, N, P>(
                    system,
                    &state.u,
                    &state.p,
                    lane.t0,
                    lane.t1,
                    &state.tolerances,
                );
                let ends = at_stop & pole & lane.code.equals(none);
                let singular = <R::Bits as Bits>::lit(code::SINGULAR);
                lane.code = <R::Bits as Bits>::select(ends, singular, lane.code);
            }
        } else {
            count::<R, N>(o, lane, &begun);
            if C::JUMPS {
                // Without this limit, a high rate would be an endless solve.
                let many = reasons.again & !lane.before.less_than(o.max_steps);
                let limit = <R::Bits as Bits>::lit(code::MAX_STEPS);
                lane.code =
                    <R::Bits as Bits>::select(many & lane.code.equals(none), limit, lane.code);
            }
        }
        if C::WATCHES {
            sides::arm::<R, S, Q, C, N, P>(
                system, io, state, lane, begins, fresh, acted, here, &first, &p_first,
            );
        }
        let mut unsound = fresh & is_unsound::<R, Q, N, P>(io, o, &state.p, lane, fresh);
        if S::TIMED > 0 {
            unsound =
                unsound | (fresh & timed::is_unknown::<R, S, N, P>(system, &state.p, lane.t0));
        }
        // See `lane::is_unsound`.
        let one = <R::Bits as Bits>::lit(1);
        lane.attempts = <R::Bits as Bits>::select(unsound, one, lane.attempts);
        if C::SAVES && io.saves() {
            first = vector::choose::<R, N>(acted, first, state.u);
            save::<R, S, Q, N, P>(io, first, state.p, lane, &begun);
        }
        let idle = reasons.over & !assigned;
        park::<R>(lane, idle);
        // A span without length is at its end already, so its lane is idle again.
        let mut ended = (assigned & lane.t0.equals(lane.t1)) | unsound | over;
        if C::ADAPTIVE || C::JUMPS || S::ALGEBRAIC > 0 {
            ended = ended | (begins & !lane.code.equals(none));
        }
        lane.last_attempt = <R::Bits as Bits>::select(ended, none, lane.last_attempt);
        begins & lane.last_attempt.equals(none)
    }

    /// Returns the time of the first evaluation of a span or segment.
    pub fn first_time<R: Real, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
    ) -> R {
        let mut t = lane.t0;
        if o.stops && C::TIME_DEPENDENT {
            t = lane.t0 + timeline::edge(lane.t0, lane.t1 - lane.t0, lane.t1);
        }
        t
    }

    /// Loads initial states, parameters and time spans, or the next segments.
    pub fn load<
        R: Real,
        S: System<N, P>,
        Q: Source<R, N, P> + Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        reasons: &Need<R>,
        begun: &Begun<R>,
    ) {
        let fresh = begun.fresh;
        let begins = begun.begins;
        state.u = io.load_u(fresh, state.u);
        let before = state.p;
        io.load_p(fresh, &mut state.p);
        if S::MODES > 0 {
            // Each lane has its own modes, even if all lanes begin with the same values.
            actions::choose_modes::<R, S, N, P>(state, &before, !fresh);
        }
        let start = io.load_start(fresh, lane.t0);
        let end = io.load_end(begins, lane.t1);
        if o.stops {
            let none = <R::Bits as Bits>::lit(0);
            let mut stopped = reasons.again;
            if S::DELAYED > 0 || S::JUMPS > 0 {
                // The due time of an action, or a candidate, ends a segment, too.
                let stop = io.stop_time(reasons.again, lane.stop, end);
                stopped = stopped & lane.t1.equals(stop);
            }
            let passed = lane.stop.wrapping_add(<R::Bits as Bits>::lit(1));
            let passed = <R::Bits as Bits>::select(stopped, passed, lane.stop);
            lane.stop = <R::Bits as Bits>::select(fresh, none, passed);
            lane.t0 = R::select(reasons.again, lane.t1, R::select(fresh, start, lane.t0));
            let next = io.stop_time(begins, lane.stop, end);
            let next = R::select(next.equals(math::infinity::<R>()), end, next);
            lane.t1 = R::select(begins, next, lane.t1);
        } else {
            lane.t0 = start;
            lane.t1 = end;
        }
        if S::DELAYED > 0 {
            delays::forget::<R>(lane, fresh, end);
        }
        lane.t = R::select(begins, lane.t0, lane.t);
        lane.t_low = R::select(begins, R::lit(0.0), lane.t_low);
    }

    /// Returns whether a new trajectory cannot be solved.
    ///
    /// The reason is a NaN among its parameters `p`, or a span that is not finite. If the
    /// right-hand side only compares a parameter, its NaN does not reach the state.
    pub fn is_unsound<
        R: Real,
        Q: Source<R, N, P> + Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        o: &options::Options<R, N>,
        p: &[R; P],
        lane: &lane::Lane<R>,
        fresh: R::Mask,
    ) -> R::Mask {
        let mut end = lane.t1;
        if o.stops {
            end = io.load_end(fresh, end);
        }
        let mut unsound = !norm::is_finite::<R, 1>(&[end - lane.t0]);
        #[rolled(P > options::MANY_PARAMETERS * (2 - R::DOUBLE as usize))]
        for d in 0..P {
            unsound = unsound | !p[d].equals(p[d]);
        }
        unsound
    }

    /// Resets counts, code, and the memories of guard, method and controller.
    pub fn reset<R: Real, M: Stepper, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        need: R::Mask,
        reasons: &Need<R>,
        begun: &Begun<R>,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let assigned = begun.assigned;
        let mut steps_left = o.max_steps;
        if o.stops || M::GUARDS {
            lane.before = <R::Bits as Bits>::select(assigned, none, lane.before);
            steps_left = o.max_steps.wrapping_sub(lane.before);
        }
        lane.attempts = <R::Bits as Bits>::select(need, none, lane.attempts);
        lane.last_attempt = <R::Bits as Bits>::select(need, steps_left, lane.last_attempt);
        lane.rejected = <R::Bits as Bits>::select(assigned, none, lane.rejected);
        lane.fractions = <R::Bits as Bits>::select(assigned, none, lane.fractions);
        // Steps before a restart count as rejected.
        lane.rejected = <R::Bits as Bits>::select(reasons.anew, lane.before, lane.rejected);
        lane.code = <R::Bits as Bits>::select(begun.fresh, none, lane.code);
        if M::GUARDS {
            lane.guarded = <R::Bits as Bits>::select(assigned, none, lane.guarded);
            // A mode that counted as zero may have received input since.
            let next = guard::next_part::<R>(lane.guarded);
            lane.guarded = <R::Bits as Bits>::select(reasons.again, next, lane.guarded);
        }
        if <M::Memory as Memory>::SWITCHES {
            lane.memory = <R::Bits as Bits>::select(begun.fresh, none, lane.memory);
        }
        let forgotten = control::fresh::<R>(&options::law_of::<R, M, N>(o, lane.memory));
        lane.control = control::choose_memory::<R>(begun.begins, &forgotten, &lane.control);
    }

    /// Makes states consistent at `t`, and returns their derivatives.
    pub fn derivative<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        begun: &Begun<R>,
        t: R,
    ) -> [R; N] {
        let begins = begun.begins;
        consistent::settle::<R, S, N, P>(system, state, lane, begins, t);
        let f = system.rhs(&state.u, &state.p, t);
        let mut k = f;
        if S::MASS {
            k = consistent::derivative::<R, S, N, P>(system, &state.u, &state.p, t, &f);
        }
        if M::GUARDS && S::MASS && o.guard != guard::OFF {
            let scale = R::lit(consistent::SHORT).copysign(lane.t1 - lane.t0);
            let negative = guard::is_negative::<R, S, N, P>(system, &state.u, &state.p, t, scale);
            lane.mirrored = (begins & negative) | (lane.mirrored & !begins);
        }
        state.du = vector::choose::<R, N>(begins, if M::NEEDS_DU { k } else { f }, state.du);
        k
    }

    /// Returns whether the derivative has a pole at `t`, the beginning of a segment.
    ///
    /// An example is `1 / (t - p)` at `p`. The pole has order one or more, so the integral of the
    /// derivative is infinite. At three distances beyond the pole, far below those that matter, the
    /// derivative falls as the reciprocal of the distance. Neither `1 / sqrt(t - p)` nor
    /// `sin(t) / t` does. The loop makes this test in `f64`, at the beginning of segments after the
    /// first one.
    ///
    /// A pole with a factor below the tolerances does not count, such as the pole of `-u / t` if
    /// `u` goes through zero. But such a pole counts if it drives `u` away from zero, as the pole
    /// of `u / t` does. The remaining solution is then an error, and grows without bound. The form
    /// `u / t` does not show whether there is a pole, so the test uses the actual state.
    #[called]
    pub fn is_pole<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        end: R,
        tolerances: &norm::Tolerances<R, N>,
    ) -> R::Mask {
        let span = end - t;
        let least = timeline::edge(t, span, end).abs() * R::lit(16.0);
        let near = least.at_most(span.abs() * R::lit(FARTHEST)).copysign(span);
        let further = near * R::lit(16.0);
        let at_near = system.rhs(u, p, t + near);
        let behind = system.rhs(u, p, t + further);
        let far = system.rhs(u, p, t + further * R::lit(16.0));
        let mut pole = <R::Mask as Mask>::splat(false);
        for d in 0..N {
            let a = at_near[d].abs();
            let b = behind[d].abs();
            let c = far[d].abs();
            let first_order = R::lit(LEAST_RATIO);
            let steep = a.ge(b * first_order) & b.ge(c * first_order);
            let product = a * c;
            let square = b * b * R::lit(1.1);
            let one_power = product.le(square) & square.le(product * R::lit(1.25));
            let scale = tolerances.reltol.mul_add(u[d].abs(), tolerances.abstol[d]);
            let factor = at_near[d] * near;
            let away = factor * R::lit(1.0).copysign(u[d]);
            let grows = away.gt(R::lit(0.0)) & away.ge(u[d].abs() * R::lit(LEAST_POWER));
            pole = pole | (steep & one_power & (factor.abs().ge(scale) | grows));
        }
        pole
    }

    /// The fraction of a span that [`is_pole`] examines, divided by 256.
    pub const FARTHEST: f64 = 0.0009765625;
    /// The least power of the distance from a pole that counts as growth.
    ///
    /// With this power, a solution that is driven away from zero grows by a factor of more than a
    /// thousand from the nearest times.
    pub const LEAST_POWER: f64 = 0.25;
    /// The growth of a first-order pole at a 16th of the distance, less rounding.
    pub const LEAST_RATIO: f64 = 15.0;

    /// Plans the first adaptive step.
    ///
    /// If the size is automatic, it follows from the derivative `k` at `t`.
    pub fn plan<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        begun: &Begun<R>,
        t: R,
        k: &[R; N],
    ) {
        let none = <R::Bits as Bits>::lit(code::SUCCESS);
        let span = lane.t1 - lane.t0;
        let mut h0 = o.dt.abs();
        let automatic = h0.equals(R::lit(0.0)) & begun.begins;
        let mut fresh = automatic;
        if S::JUMPS > 0 {
            let size = timeline::planned(lane.t0, R::lit(0.0), lane.plan);
            h0 = R::select(begun.resumes, size.abs(), h0);
        }
        if S::TIMED > 0 || S::DELAYED > 0 || S::JUMPS > 0 {
            let goes_on = automatic & begun.goes_on;
            fresh = automatic & !goes_on & !begun.resumes;
            if goes_on.any() {
                // The last step as planned, before the end of its segment shortened it.
                let size = timeline::planned(lane.t0, R::lit(0.0), lane.plan);
                let size = first_step::after_action::<R, S, M, N, P>(
                    system, state, t, span, size, k, goes_on,
                );
                h0 = R::select(goes_on, size, h0);
            }
        }
        if fresh.any() {
            let size = first_step::size::<R, S, M, N, P>(
                system,
                &state.u,
                &state.p,
                t,
                span,
                k,
                &state.tolerances,
            );
            h0 = R::select(fresh, size, h0);
        }
        let blind = automatic & first_step::is_blind::<R>(h0, lane.t0, span);
        let too_short = <R::Bits as Bits>::lit(code::DT_MIN);
        lane.code = <R::Bits as Bits>::select(blind & lane.code.equals(none), too_short, lane.code);
        h0 = within_limits::<R, N>(o, lane.t0, h0);
        let next = timeline::plan(lane.t0, R::lit(0.0), h0.copysign(span), R::lit(1.0));
        lane.plan = R::select(begun.begins, next, lane.plan);
    }

    /// Returns the size of the first step within the limits of sizes at time `t0`.
    pub fn within_limits<R: Real, const N: usize>(o: &options::Options<R, N>, t0: R, size: R) -> R {
        let mut size = size.max(timeline::least_step(t0));
        if o.limited {
            size = size.max(o.dtmin).at_most(o.dtmax);
        }
        size
    }

    /// Counts the fixed steps of a span; the last one may be shorter.
    pub fn count<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        begun: &Begun<R>,
    ) {
        let span = lane.t1 - lane.t0;
        let mut h0 = o.dt.abs();
        let count = timeline::steps(lane.t0, lane.t1, h0);
        h0 = h0.copysign(span);
        lane.dt = R::select(begun.begins, h0, lane.dt);
        let last = timeline::whole_to_bits(count);
        lane.last_attempt = <R::Bits as Bits>::select(begun.begins, last, lane.last_attempt);
        let rest = (R::lit(1.0) - count).mul_add(h0, span);
        lane.last_dt = R::select(begun.begins, rest, lane.last_dt);
    }

    /// Saves initial states `u` if the span's beginning is a saved time.
    pub fn save<
        R: Real,
        S: System<N, P>,
        Q: Source<R, N, P> + Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        u: [R; N],
        p: [R; P],
        lane: &mut lane::Lane<R>,
        begun: &Begun<R>,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        lane.saved = <R::Bits as Bits>::select(begun.fresh, none, lane.saved);
        lane.save_at = io.save_time(begun.fresh, lane.saved, lane.save_at);
        let mut at_start = begun.fresh & lane.save_at.equals(lane.t0);
        if S::ALGEBRAIC > 0 {
            at_start = at_start & lane.code.equals(none);
        }
        io.save(at_start, lane.saved, u, p, lane.save_at);
        lane.saved = <R::Bits as Bits>::select(at_start, one, lane.saved);
        lane.save_at = io.save_time(at_start, lane.saved, lane.save_at);
    }

    /// Parks lanes without a trajectory, when none is left.
    ///
    /// They continue without reaching an end, and their results are ignored. So the hot path has no
    /// code for them.
    pub fn park<R: Real>(lane: &mut lane::Lane<R>, idle: R::Mask) {
        let none = <R::Bits as Bits>::lit(0);
        lane.alive = lane.alive & !idle;
        lane.t = R::select(idle, math::not_a_number::<R>(), lane.t);
        lane.save_at = R::select(idle, math::infinity::<R>(), lane.save_at);
        lane.last_attempt = <R::Bits as Bits>::select(idle, !none, lane.last_attempt);
    }
}
