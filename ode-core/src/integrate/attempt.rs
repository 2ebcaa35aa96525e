//! Step attempts and their verdicts, by error estimate and growth guard.

pub use device::*;

#[ode_macros::device(attempt)]
mod device {
    use crate::integrate::options::{self, LoopConfig};
    use crate::integrate::{dyadic, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::random::path;
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{code, control, guard, norm, stepper, timeline, vector};
    use crate::system::{Noise, System};

    /// The next step.
    #[derive(Clone, Copy, Debug)]
    pub struct Attempt<R: Real> {
        /// The arguments of the method.
        pub ask: stepper::Ask<R>,
        /// Whether the step ends at the end of the span or of its segment.
        pub last: R::Mask,
        /// Lanes that take this step: they have a trajectory and do not look ahead.
        pub run: R::Mask,
        /// Lanes that look ahead from the end of their span or segment.
        ///
        /// They do not take this step: the guard only reads its matrix. See [`guard`].
        pub looks: R::Mask,
        /// The time at the end of the step.
        pub next: timeline::Time<R>,
    }

    /// Returns the next step: as long as errors allow, or the next fixed step.
    pub fn next<R: Real, M: Stepper, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
    ) -> Attempt<R> {
        lane.attempts = lane.attempts.wrapping_add(<R::Bits as Bits>::lit(1));
        // An idle lane stays where its last trajectory ended.
        let mut run = !lane.last_attempt.less_than(lane.attempts);
        let mut looks = <R::Mask as Mask>::splat(false);
        // With fixed steps, the loop refills every idle lane at once.
        let mut last = lane.attempts.reaches(lane.last_attempt);
        let mut h = R::select(last, lane.last_dt, lane.dt);
        let mut next = timeline::after(lane.t, lane.plan);
        if C::ADAPTIVE {
            let rest = (lane.t1 - lane.t) - lane.t_low;
            let mut size = timeline::planned(lane.t, lane.t_low, lane.plan);
            let mut reach = size;
            if o.limited || C::BOUNDED {
                // Steps of equal size may end just before the end.
                reach = timeline::lengthened(size);
            }
            if C::NOISE {
                size = lane.size;
                reach = size + timeline::edge(lane.t, size, lane.t1);
                next = dyadic::end::<R>(lane);
            }
            last = rest.abs().le(reach.abs());
            h = R::select(last, rest, size);
            if M::GUARDS && o.guard != guard::OFF {
                let there = rest.equals(R::lit(0.0));
                h = R::select(there, size, h);
                looks = run & there;
                run = run & !there;
            }
        } else {
            let i = timeline::whole_from_bits::<R>(lane.attempts);
            next = timeline::grid(lane.t0, i, lane.dt);
            if C::EVENTS && !C::PASSAGES {
                // The step goes to an event, or from an event to the end of a step of the grid.
                let waits = !lane.pending.equals(<R::Bits as Bits>::lit(0));
                let size = timeline::planned(lane.t, lane.t_low, lane.plan);
                let there = timeline::after(lane.t, lane.plan);
                h = R::select(waits, size, h - lane.covered);
                last = last & !waits;
                next.t = R::select(waits, there.t, next.t);
                next.low = R::select(waits, there.low, next.low);
            }
        }
        let mut t_eval = lane.t;
        let mut reach = h;
        let mut furthest = R::lit(timeline::BEYOND);
        if o.stops && C::TIME_DEPENDENT {
            let edge = timeline::edge(lane.t, h, lane.t1);
            let begins = lane.t.equals(lane.t0);
            t_eval = R::select(begins, lane.t + edge, lane.t);
            reach = R::select(last, h - edge, h);
            reach = R::select(begins, reach - edge, reach);
            furthest = R::select(last, R::lit(1.0), furthest);
        }
        if M::GUARDS && C::ADAPTIVE && C::TIME_DEPENDENT {
            // Values beyond the end may belong to the next segment.
            if o.stops {
                let edge = timeline::edge(lane.t, h, lane.t1);
                t_eval = R::select(looks, lane.t - edge, t_eval);
            }
            reach = R::select(looks, R::lit(0.0), reach);
        }
        let mut busy = run;
        if M::ITERATES || <M::Memory as Memory>::SWITCHES {
            busy = run & lane.alive;
        }
        if <M::Memory as Memory>::SWITCHES {
            busy = busy | (looks & lane.alive);
        }
        let at = timeline::at(t_eval, lane.t_low, reach, furthest, busy);
        if M::GUARDS && !C::MASS && N % 2 == 1 {
            // For odd `N`, the determinant of a multiple of the identity has the sign of the
            // factor.
            lane.mirrored = h.lt(R::lit(0.0));
        }
        let watch = guard::watch::<R>(o.guard != guard::OFF, lane.mirrored);
        let mut ask = stepper::ask::<R>(at, h, lane.memory, watch);
        if C::NOISE {
            ask.path = path_of::<R, C, N>(o, lane, h);
        }
        Attempt::<R> { ask, last, run, looks, next }
    }

    /// Takes back the attempts of lanes `waits`, which have no increments of the noise yet.
    pub fn wait<R: Real>(lane: &mut lane::Lane<R>, trial: &mut Attempt<R>, waits: R::Mask) {
        let nobody = <R::Mask as Mask>::splat(false);
        lane.moved = nobody;
        lane.begun = nobody;
        let attempts = lane.attempts.wrapping_sub(<R::Bits as Bits>::lit(1));
        lane.attempts = <R::Bits as Bits>::select(waits, attempts, lane.attempts);
        trial.run = trial.run & !waits;
        trial.ask.path.ends_within = trial.ask.path.ends_within & trial.run;
    }

    /// Returns the interval of the next step on the path of the noise.
    ///
    /// The last step of a span or segment may be shorter than its interval.
    pub fn path_of<R: Real, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        h: R,
    ) -> path::Path<R> {
        let mut step = lane.attempts.wrapping_sub(<R::Bits as Bits>::lit(1));
        if o.stops {
            step = step.wrapping_add(lane.before);
        }
        let mut interval =
            path::path::<R>(o.noise_seed, lane.number, step, o.noise_levels, lane.dt);
        if C::ADAPTIVE {
            interval = dyadic::path_of::<R, N>(o, lane);
        }
        beginning::<R>(interval, h)
    }

    /// Returns the beginning of an interval, of length `h`.
    ///
    /// An interval that rounding shortened is a whole one.
    pub fn beginning<R: Real>(interval: path::Path<R>, h: R) -> path::Path<R> {
        let mut part = interval;
        part.ends_within = h.lt(part.length * R::lit(WHOLE));
        part.reach = h;
        part
    }

    /// The least fraction of a step that counts as a whole one: `1 - 2^-16`.
    pub const WHOLE: f64 = 0.9999847412109375;

    /// Returns the plan of the next step, limited by the system's step bounds.
    pub fn bounded<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
    ) -> R {
        let direction = lane.t1 - lane.t0;
        let longest = bound::<R, S, N, P>(system, &state.u, &state.p, lane.t, direction);
        shortened::<R, N>(o, lane, longest)
    }

    /// Returns the longest step from time `t` that the system's bounds allow.
    ///
    /// `direction` has the sign of the steps.
    pub fn bound<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        direction: R,
    ) -> R {
        let sign = R::lit(1.0).copysign(direction);
        let mut longest = math::infinity::<R>();
        for index in 0..S::BOUNDS {
            let bound = system.step_bound(index, u, p, t, sign);
            let is_bound = bound.lt(longest) & bound.gt(R::lit(0.0));
            longest = R::select(is_bound, bound, longest);
        }
        longest
    }

    /// Returns the plan of the next step, limited to `longest`.
    ///
    /// A step that would end shortly before that bound is extended to it. Steps to an event are not
    /// extended, nor are steps of a solve with a smallest or largest step.
    pub fn shortened<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        longest: R,
    ) -> R {
        let size = timeline::planned(lane.t, lane.t_low, lane.plan);
        let mut reach = size.abs();
        if !o.limited {
            let free = lane.pending.equals(<R::Bits as Bits>::lit(0));
            reach = R::select(free, reach * R::lit(1.0625), reach);
        }
        let bounded = longest.max(timeline::least_step(lane.t));
        let plan = timeline::plan(lane.t, lane.t_low, bounded.copysign(size), R::lit(1.0));
        R::select(bounded.lt(reach), plan, lane.plan)
    }

    /// Attempts a step.
    pub fn attempt<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
    ) -> stepper::Step<R, N, M::Kept<R, N>> {
        let step = M::step::<R, S, N, P>(system, state, ask);
        within_domain::<R, S, N, P, M::Kept<R, N>>(system, state, ask, step)
    }

    /// Attempts a step on a path, from the increments of the noise.
    pub fn attempt_on<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
    ) -> stepper::Step<R, N, M::Kept<R, N>> {
        let step = M::step_on::<R, S, N, P>(system, state, ask, wiener);
        within_domain::<R, S, N, P, M::Kept<R, N>>(system, state, ask, step)
    }

    /// Returns a step with [`code::OUTSIDE`] if its state is outside the system's domain.
    fn within_domain<R: Real, S: System<N, P>, const N: usize, const P: usize, V>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: stepper::Step<R, N, V>,
    ) -> stepper::Step<R, N, V> {
        let mut step = step;
        if S::HAS_DOMAIN {
            let none = <R::Bits as Bits>::lit(code::SUCCESS);
            let time = timeline::stage::<R, S, N, P>(&ask.at, R::lit(1.0));
            let outside = system.out_of_domain(&step.u, &state.p, time) & step.code.equals(none);
            let left = <R::Bits as Bits>::lit(code::OUTSIDE);
            step.code = <R::Bits as Bits>::select(outside, left, step.code);
        }
        step
    }

    /// The verdict of the error estimate and of the guard on a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Verdict<R: Real> {
        /// Whether the step is accepted.
        pub accept: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R,
        /// The scaled error, squared, as [`norm::scaled_error_sq`] computes it.
        pub square: R,
    }

    /// Returns the verdict on fixed steps, and the initial one of adaptive steps.
    pub fn accepted<R: Real>() -> Verdict<R> {
        let zero = R::lit(0.0);
        Verdict::<R> { accept: <R::Mask as Mask>::splat(true), factor: zero, square: zero }
    }

    /// Returns the verdict of the error estimate on a step.
    pub fn judge<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
    ) -> Verdict<R> {
        let square = squared_error::<R, S, M, N, P>(state, ask, step);
        decide::<R, M, N>(o, lane, square, step.memory)
    }

    /// Returns the scaled error of a step, squared, as [`norm::scaled_error_sq`] computes it.
    ///
    /// If the step has no new state, the result is [`norm::SQUARE_MAX`].
    pub fn squared_error<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
    ) -> R {
        let mut square = M::scaled_error_sq::<R, N, P>(state, ask, step);
        if S::HAS_DOMAIN || M::ITERATES {
            let max_square = R::lit(norm::SQUARE_MAX);
            let solved = step.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
            square = R::select(solved, square, max_square);
        }
        square
    }

    /// Returns the verdict on a step from its scaled error, squared.
    ///
    /// `after` is the method's memory after the step.
    pub fn decide<R: Real, M: Stepper, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        square: R,
        after: R::Bits,
    ) -> Verdict<R> {
        let law = options::law_of::<R, M, N>(o, lane.memory);
        let n = R::lit(N as f64);
        let decision = control::decide::<R>(square, n, &lane.control, &law, o.kind);
        lane.control = decision.memory;
        if <M::Memory as Memory>::SWITCHES {
            // Errors of one method are no history for the other method.
            let switched = <M::Memory as Memory>::has_switched::<R>(lane.memory, after);
            let new = next_memory::<R, M, N>(o, after);
            lane.control = control::choose_memory::<R>(switched, &new, &lane.control);
        }
        let factor = R::from_single(decision.factor);
        Verdict::<R> { accept: decision.accept, factor, square }
    }

    /// Returns the controller's memory before the first step of the method that `memory` selects.
    pub fn next_memory<R: Real, M: Stepper, const N: usize>(
        o: &options::Options<R, N>,
        memory: R::Bits,
    ) -> control::Memory<R> {
        control::fresh::<R>(&options::law_of::<R, M, N>(o, memory))
    }

    /// Returns the verdict after the guard's check, which follows the error check; see [`guard`].
    ///
    /// Only this function calls the second factorisation. A call from a second place, at the
    /// beginning of trajectories, made the compiler spill many more registers. A kernel with 20
    /// states then took 1.4 times as long.
    ///
    /// Two alternatives were measured at 4 to 19% of a kernel: a second factorisation in each step
    /// of all trajectories, and evidence of growth from a step's stages.
    pub fn watch_growth<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        verdict: &Verdict<R>,
    ) -> Verdict<R> {
        let mut verdict = *verdict;
        let run = trial.run | trial.looks;
        let careful = guard::is_careful::<R>(lane.guarded);
        let mut shown = is_shown::<R, C, N>(o, lane, trial, &verdict);
        if C::ADAPTIVE && o.guard == guard::REJECT {
            if M::ITERATES {
                shown = shown & step.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
            }
            if <M::Memory as Memory>::SWITCHES {
                shown = shown & <M::Memory as Memory>::was_implicit::<R>(step.memory);
            }
            if C::BOUNDED {
                let h = trial.ask.h;
                let longest = bound::<R, S, N, P>(system, &state.u, &state.p, lane.t, h);
                let reaches = longest.le(h.abs() * R::lit(1.0625));
                shown = shown | (reaches & trial.run & lane.alive);
            }
        }
        if M::GUARDS && (step.grows | careful | shown).any() {
            // Pivots that are NaN may have either sign.
            let solved = run & norm::is_finite::<R, N>(&step.u);
            // A careful trajectory has tested the ends of its steps already.
            let grows = solved & step.grows & !(trial.looks & careful);
            let mut soon = solved & trial.run & (shown | careful) & !grows;
            if soon.any() {
                // Growth may begin within the step.
                let ends = careful & verdict.accept;
                soon = soon
                    & passes_soon::<R, S, M, N, P>(
                        system,
                        vector::choose::<R, N>(ends, step.u, state.u),
                        state.p,
                        &trial.ask,
                        ends,
                        lane.mirrored,
                    );
            }
            verdict =
                judge_growth::<R, M, C, N>(o, lane, trial, step.memory, &verdict, grows, soon);
        }
        verdict
    }

    /// Returns whether a step suggests earlier growth that error estimates did not resolve.
    ///
    /// A component may have grown too fast while it was too small for error estimates, and has
    /// become large enough now. The same holds for a step that is short for another reason than its
    /// error: its error does not limit growth.
    pub fn is_shown<R: Real, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        trial: &Attempt<R>,
        verdict: &Verdict<R>,
    ) -> R::Mask {
        let mut shown = <R::Mask as Mask>::splat(false);
        if C::ADAPTIVE && o.guard == guard::REJECT {
            // Exclude the beginning, where all steps so far were rejected.
            let one = <R::Bits as Bits>::lit(1);
            let mut still = lane.rejected.equals(lane.attempts.wrapping_sub(one));
            if o.stops {
                still = lane.t.equals(lane.t0);
            }
            shown = !verdict.accept & verdict.factor.lt(R::lit(guard::SHOWN)) & !still;
            if o.stops {
                shown = shown | trial.last;
            }
            if o.limited {
                shown = shown | trial.ask.h.abs().ge(o.dtmax);
            }
            shown = shown & trial.run & lane.alive;
        }
        shown
    }

    /// Returns whether a step of `1/SOON` times this size is beyond the pole.
    ///
    /// The step begins at the state `u`: the state at the beginning of the attempted step or, in
    /// lanes `ends`, at its end.
    pub fn passes_soon<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        u: [R; N],
        p: [R; P],
        ask: &stepper::Ask<R>,
        ends: R::Mask,
        mirrored: R::Mask,
    ) -> R::Mask {
        let scale = R::lit(guard::SOON / M::DIAGONAL) / ask.h;
        let end = timeline::stage::<R, S, N, P>(&ask.at, R::lit(1.0));
        let t = R::select(ends, end, ask.at.t);
        guard::would_pass::<R, S, N, P>(system, u, p, t, scale, mirrored)
    }

    /// Returns the verdict on a step beyond or near the pole.
    ///
    /// See [`guard::judge`]. `after` is the method's memory after the step.
    pub fn judge_growth<R: Real, M: Stepper, C: LoopConfig, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &Attempt<R>,
        after: R::Bits,
        verdict: &Verdict<R>,
        grows: R::Mask,
        soon: R::Mask,
    ) -> Verdict<R> {
        let mut verdict = *verdict;
        let run = trial.run | trial.looks;
        let refuse = C::ADAPTIVE && o.guard == guard::REJECT;
        let judged = guard::judge::<R>(
            lane.guarded,
            grows,
            soon,
            verdict.accept | trial.looks,
            run,
            verdict.factor,
            refuse,
        );
        lane.guarded = judged.state;
        if C::ADAPTIVE {
            verdict.accept = verdict.accept & !judged.refused;
            verdict.factor = judged.factor;
            let forgotten = next_memory::<R, M, N>(o, after);
            lane.control = control::choose_memory::<R>(judged.refused, &forgotten, &lane.control);
            let anew = judged.anew & lane.alive;
            let begin = <R::Bits as Bits>::lit(code::ANEW);
            lane.code = <R::Bits as Bits>::select(anew, begin, lane.code);
            lane.last_attempt = <R::Bits as Bits>::select(anew, lane.attempts, lane.last_attempt);
        }
        verdict
    }
}
