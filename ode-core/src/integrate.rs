//! The integration loop: every solver, on every width.
//!
//! Each lane carries one trajectory with a time, a step size and a state of its own. A lane whose
//! trajectory ends hands it to the [`Feed`] and takes the next one, inside the loop, so that no
//! lane waits for another.
//!
//! # Time
//!
//! [`timeline`](crate::timeline) has the arithmetic. A step size is signed: a reversed time span is one
//! with negative steps. With a fixed step, time is `t0 + i h` with an integer `i`, and the last step ends
//! on `t1`, shortened where the span is not a multiple of `h`.
//!
//! Times to stop at divide a span into parts, each of which is begun anew: with the derivative there, and
//! a first step. To a lane the end of a part is the end of its span, handled where trajectories are taken,
//! so the hot loop knows nothing of it, but that right-hand sides are told times strictly within the part:
//! what they do at its ends may belong to the one before it or to the one after it.

pub use device::*;

/// What happened to a trajectory, as the lanes count it.
#[ode_macros::device(code)]
pub mod code {
    /// Reached the end.
    pub const SUCCESS: u64 = 0;
    /// Used up its steps.
    pub const MAX_STEPS: u64 = 1;
    /// Needed steps too small to advance time.
    pub const DT_MIN: u64 = 2;
    /// The state or its derivative is infinite or not a number.
    pub const NON_FINITE: u64 = 3;
    /// A linear system of an implicit method had no solution, however small the step, or with the step
    /// that was given.
    pub const SINGULAR: u64 = 4;
    /// The nonlinear equations of an implicit method were not solved, however small the step, or with
    /// the step that was given.
    pub const DIVERGED: u64 = 5;
    /// No consistent initial state was found: one that solves the algebraic equations.
    pub const INCONSISTENT: u64 = 6;
    /// The solution leaves its domain, however small the step, or with the step that was given.
    pub const OUTSIDE: u64 = 7;
    /// Not an end: it is to begin again, and to watch for growth.
    pub const ANEW: u64 = 8;
}

#[ode_macros::device(integrate)]
mod device {
    use super::code;
    use crate::controller;
    use crate::first;
    use crate::guard;
    use crate::initial;
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::methods::Stepper;
    use crate::methods::auto;
    use crate::methods::stepper;
    use crate::system::System;
    use crate::timeline;

    /// What all trajectories of a solve share.
    #[derive(Clone, Copy, Debug)]
    pub struct Options<R: Real, const N: usize> {
        /// Of errors.
        pub tolerances: stepper::Tolerances<R, N>,
        /// The step size (fixed), or the first one; 0: chosen automatically. Its sign is ignored.
        pub dt: R,
        /// Trajectories whose errors demand a step of this size or below are given up.
        pub dtmin: R,
        /// The largest step.
        pub dtmax: R,
        /// Whether there is a smallest or a largest step.
        pub limited: bool,
        /// Whether there are times to stop at.
        pub stops: bool,
        /// Whether the end of every step is saved.
        pub every_step: bool,
        /// How step sizes follow from errors.
        pub law: controller::Law<R>,
        /// The same for the implicit one of two methods.
        pub stiff_law: controller::Law<R>,
        /// Which law that is.
        pub kind: u32,
        /// Steps tried, accepted or not, after which a trajectory is given up.
        pub max_steps: R::Bits,
        /// What becomes of steps that may pass over growth: [`guard::OFF`], [`guard::REPORT`] or
        /// [`guard::REJECT`].
        pub guard: u32,
    }

    /// [`Options`] of their parts; `steps` are `dt`, `dtmin` and `dtmax`.
    #[allow(clippy::too_many_arguments)]
    pub fn options<R: Real, const N: usize>(
        tolerances: stepper::Tolerances<R, N>,
        steps: [R; 3],
        limited: bool,
        stops: bool,
        every_step: bool,
        law: controller::Law<R>,
        stiff_law: controller::Law<R>,
        kind: u32,
        max_steps: R::Bits,
        guard: u32,
    ) -> Options<R, N> {
        let [dt, dtmin, dtmax] = steps;
        Options::<R, N> {
            tolerances,
            dt,
            dtmin,
            dtmax,
            limited,
            stops,
            every_step,
            law,
            stiff_law,
            kind,
            max_steps,
            guard,
        }
    }

    /// Where trajectories come from and where results go: all that differs by platform.
    pub trait Feed<R: Real, const N: usize, const P: usize> {
        /// Whether there are times to save at.
        fn saves(&self) -> bool;
        /// Whether lanes that run together are to take new trajectories now, of which `need` have
        /// none. Must be called by all of them together.
        fn due(&mut self, need: R::Mask) -> bool;
        /// Told which lanes that run together have a trajectory, after some of them took one;
        /// whether any has. Must be called by all of them together.
        fn regroup(&mut self, alive: R::Mask) -> bool;
        /// Gives a trajectory to lanes of `need`; the mask of those that got one.
        fn take(&mut self, need: R::Mask) -> R::Mask;
        /// `u` with the initial states of lanes `got` filled in.
        fn load_u(&self, got: R::Mask, u: [R; N]) -> [R; N];
        /// `p` with the parameters of lanes `got` filled in. What all trajectories share is filled in
        /// for all lanes, here and in the next two.
        fn load_p(&self, got: R::Mask, p: [R; P]) -> [R; P];
        /// The beginning of the time span, for lanes `got`; else `t`.
        fn load_start(&self, got: R::Mask, t: R) -> R;
        /// The end of the time span, for lanes `got`; else `t`.
        fn load_end(&self, got: R::Mask, t: R) -> R;
        /// The time to stop at number `index` within the span, for lanes `which`, infinite after the last
        /// one; else `t`.
        fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
        /// The time at which to save number `slot`, for lanes `which`; else `t`. Infinite after the last one,
        /// and not a number where it is the end of the next step.
        fn save_time(&self, which: R::Mask, slot: R::Bits, t: R) -> R;
        /// Saves the state `u` at time `t`, or what is computed from it, as number `slot`, for lanes
        /// `which`.
        fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N], p: [R; P], t: R);
        /// Takes the result of lanes `done`, those of them that have a trajectory: its final state and the
        /// time of that, how it ended ([`code`]), its steps, how many of them were rejected, how many
        /// states were saved, and what the guard [reports](guard::reported).
        #[allow(clippy::too_many_arguments)]
        fn finish(
            &mut self,
            done: R::Mask,
            u: [R; N],
            t: R,
            code: R::Bits,
            steps: R::Bits,
            rejected: R::Bits,
            slot: R::Bits,
            guarded: R::Bits,
        );
    }

    /// Integrates every trajectory of `feed` from the beginning to the end of its time span.
    ///
    /// `ADAPTIVE`: step sizes follow the error estimate; otherwise they are `o.dt`. `SAVE`: the
    /// feed may have times to save at. `K` is the method's number of stages.
    pub fn integrate<
        R: Real,
        S: System<N, P>,
        M: Stepper<K>,
        Q: Feed<R, N, P>,
        const N: usize,
        const P: usize,
        const K: usize,
        const ADAPTIVE: bool,
        const SAVE: bool,
    >(
        feed: &mut Q,
        o: &Options<R, N>,
    ) {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let n = R::lit(N as f64);
        let mut tolerances = o.tolerances;
        if !ADAPTIVE {
            tolerances = stepper::tight::<R, N>(&o.tolerances);
        }

        let saves = feed.saves();
        let nobody = <R::Mask as Mask>::splat(false);
        let mut u = [zero; N];
        let mut p = feed.load_p(nobody, [zero; P]);
        let mut k1 = [zero; N];
        // The ends of the span or, with times to stop at, of a part of it.
        let mut t0 = feed.load_start(nobody, zero);
        let mut t1 = feed.load_end(nobody, zero);
        let mut t = zero;
        let mut t_low = zero;
        // The size of fixed steps, and the next step that errors allow, as [`timeline::plan`] has it.
        let mut dt = zero;
        let mut plan = zero;
        let mut memory = controller::fresh::<R>(&o.law);
        // Steps tried, and where the lane stops trying: the number it may try, from its end on the
        // number it has tried. So a lane that waits may go on counting.
        let mut clock = none;
        let mut limit = none;
        // Steps tried in the parts before this one, and times to stop at that were passed.
        let mut before = none;
        let mut stop = none;
        let mut rejected = none;
        let mut code = none;
        // Of a method that switches.
        let mut mode = none;
        let mut slot = none;
        let mut save_at = zero;
        let mut tail = zero;
        let mut alive = <R::Mask as Mask>::splat(true);
        // Whether determinants of short steps are negative, and the state of the guard.
        let mut mirrored = nobody;
        let mut guarded = none;

        loop {
            let mut need = !clock.less_than(limit);
            while need.any() {
                let mut anew = nobody;
                if M::GUARDS && ADAPTIVE {
                    anew = need & alive & code.equals(<R::Bits as Bits>::lit(code::ANEW));
                }
                let mut over = need & !anew;
                let mut again = nobody;
                if o.stops {
                    // A lane that has tried no step may have no trajectory.
                    let tried = need & alive & none.less_than(limit);
                    let end = feed.load_end(tried, t1);
                    again = tried & !anew & t.equals(t1) & !t1.equals(end) & code.equals(none);
                    over = over & !again;
                }
                if o.stops || M::GUARDS {
                    before = <R::Bits as Bits>::select(need, before.wrapping_add(limit), before);
                } else {
                    before = limit;
                }
                let ok = <R::Bits as Bits>::lit(code::SUCCESS);
                let mut why = ok;
                if ADAPTIVE {
                    let early = <R::Bits as Bits>::lit(code::MAX_STEPS);
                    why = <R::Bits as Bits>::select(t.equals(t1), ok, early);
                }
                why = <R::Bits as Bits>::select(code.equals(none), why, code);
                let broken = !stepper::is_finite::<R, N>(&u) & why.equals(ok);
                let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
                why = <R::Bits as Bits>::select(broken, non_finite, why);
                if M::SWITCHES {
                    why = why | auto::reported::<R>(mode);
                }
                let mut reached = t;
                if !ADAPTIVE {
                    reached = R::select(limit.equals(none), t0, t1);
                }
                let report = guard::reported::<R>(guarded);
                feed.finish(over, u, reached, why, before, rejected, slot, report);

                let got = feed.take(over);
                let fresh = got | anew;
                let begins = fresh | again;
                u = feed.load_u(fresh, u);
                p = feed.load_p(fresh, p);
                let start = feed.load_start(fresh, t0);
                let end = feed.load_end(begins, t1);
                let mut steps_left = o.max_steps;
                if o.stops || M::GUARDS {
                    before = <R::Bits as Bits>::select(got, none, before);
                    steps_left = o.max_steps.wrapping_sub(before);
                }
                if o.stops {
                    let passed = <R::Bits as Bits>::select(again, stop.wrapping_add(one), stop);
                    stop = <R::Bits as Bits>::select(fresh, none, passed);
                    t0 = R::select(again, t1, R::select(fresh, start, t0));
                    let next = feed.stop_time(begins, stop, end);
                    let next = R::select(next.equals(math::infinity::<R>()), end, next);
                    t1 = R::select(begins, next, t1);
                } else {
                    t0 = start;
                    t1 = end;
                }
                t = R::select(begins, t0, t);
                t_low = R::select(begins, zero, t_low);
                clock = <R::Bits as Bits>::select(need, none, clock);
                limit = <R::Bits as Bits>::select(need, steps_left, limit);
                rejected = <R::Bits as Bits>::select(got, none, rejected);
                // Those before a new beginning are among them.
                rejected = <R::Bits as Bits>::select(anew, before, rejected);
                code = <R::Bits as Bits>::select(fresh, none, code);
                if M::GUARDS {
                    guarded = <R::Bits as Bits>::select(got, none, guarded);
                    // What it let go may have been given something to grow from.
                    let next = guard::next_part::<R>(guarded);
                    guarded = <R::Bits as Bits>::select(again, next, guarded);
                }
                let mut law = o.law;
                if M::SWITCHES {
                    mode = <R::Bits as Bits>::select(fresh, none, mode);
                    let stiff = auto::has::<R>(mode, auto::STIFF);
                    law = controller::choose_law::<R>(stiff, &o.stiff_law, &o.law);
                }
                let forgotten = controller::fresh::<R>(&law);
                memory = controller::choose_memory::<R>(begins, &forgotten, &memory);
                let span = t1 - t0;
                let mut told = t0;
                if o.stops && (!S::AUTONOMOUS || S::STEPWISE) {
                    told = t0 + timeline::edge(t0, span, t1);
                }
                let mut first = o.dt.abs();
                if S::ALGEBRAIC > 0 {
                    let start = initial::consistent::<R, S, N, P>(&u, &p, told, &tolerances);
                    u = stepper::choose::<R, N>(begins, start.u, u);
                    code = <R::Bits as Bits>::select(begins, start.code, code);
                }
                let f = S::rhs(&u, &p, told);
                let mut k = f;
                if S::MASS {
                    k = initial::slope::<R, S, N, P>(&u, &p, told, &f);
                }
                if M::GUARDS && S::MASS && o.guard != guard::OFF {
                    let scale = R::lit(initial::SHORT).copysign(span);
                    let negative = guard::is_negative::<R, S, N, P>(&u, &p, told, scale);
                    mirrored = (begins & negative) | (mirrored & !begins);
                }
                k1 = stepper::choose::<R, N>(begins, if M::SLOPE { k } else { f }, k1);
                if ADAPTIVE {
                    let automatic = first.equals(zero) & begins;
                    if automatic.any() {
                        let chosen =
                            first::size::<R, S, M, N, P, K>(&u, &p, told, span, &k, &tolerances);
                        first = R::select(automatic, chosen, first);
                    }
                    let blind = automatic & first::is_blind::<R>(first, t0, span);
                    let too_short = <R::Bits as Bits>::lit(code::DT_MIN);
                    code = <R::Bits as Bits>::select(blind & code.equals(none), too_short, code);
                    first = first.max(timeline::least_step(t0));
                    if o.limited {
                        first = first.max(o.dtmin).at_most(o.dtmax);
                    }
                    let next = timeline::plan(t0, zero, first.copysign(span), R::lit(1.0));
                    plan = R::select(begins, next, plan);
                } else {
                    let count = timeline::steps(t0, t1, first);
                    first = first.copysign(span);
                    dt = R::select(begins, first, dt);
                    limit =
                        <R::Bits as Bits>::select(begins, timeline::whole_to_bits(count), limit);
                    let rest = (R::lit(1.0) - count).mul_add(first, span);
                    tail = R::select(begins, rest, tail);
                }
                if SAVE && saves {
                    slot = <R::Bits as Bits>::select(fresh, none, slot);
                    save_at = feed.save_time(fresh, slot, save_at);
                    let mut at_start = fresh & save_at.equals(t0);
                    if S::ALGEBRAIC > 0 {
                        at_start = at_start & code.equals(none);
                    }
                    feed.save(at_start, slot, u, p, save_at);
                    slot = <R::Bits as Bits>::select(at_start, one, slot);
                    save_at = feed.save_time(at_start, slot, save_at);
                }

                // A lane for which there is nothing left goes on without ever reaching its end, with
                // nobody watching: the hot path need not know about it.
                let idle = over & !got;
                alive = alive & !idle;
                t = R::select(idle, math::not_a_number::<R>(), t);
                save_at = R::select(idle, math::infinity::<R>(), save_at);
                limit = <R::Bits as Bits>::select(idle, !none, limit);
                // A span without length is at its end already, and its lane in need again.
                let mut ended = got & t0.equals(t1);
                if ADAPTIVE || S::ALGEBRAIC > 0 {
                    ended = ended | (begins & !code.equals(none));
                }
                limit = <R::Bits as Bits>::select(ended, none, limit);
                need = begins & limit.equals(none);
            }
            if !feed.regroup(alive) {
                break;
            }

            // Taking a trajectory costs about as much as a step, in every lane of the group: the feed
            // may wait until enough lanes are in need of one.
            loop {
                clock = clock.wrapping_add(one);
                // A lane that waits for a trajectory stays where its last one ended.
                let run = !limit.less_than(clock);
                let mut last = clock.equals(limit);
                if R::LANES == 1 {
                    // The same, as no lane waits with fixed steps, and then the comparison below. (The masks of
                    // AVX2 would be packed where they are needed as vectors.)
                    last = !clock.less_than(limit);
                }
                let mut h = R::select(last, tail, dt);
                let mut next = timeline::after(t, plan);
                if ADAPTIVE {
                    let rest = (t1 - t) - t_low;
                    let size = timeline::planned(t, t_low, plan);
                    last = rest.abs().le(size.abs());
                    h = R::select(last, rest, size);
                } else {
                    next = timeline::grid(t0, timeline::whole_from_bits::<R>(clock), dt);
                }
                let mut told = t;
                let mut reach = h;
                let mut furthest = R::lit(timeline::BEYOND);
                if o.stops && (!S::AUTONOMOUS || S::STEPWISE) {
                    let edge = timeline::edge(t, h, t1);
                    let begins = t.equals(t0);
                    told = R::select(begins, t + edge, t);
                    reach = R::select(last, h - edge, h);
                    reach = R::select(begins, reach - edge, reach);
                    furthest = R::select(last, R::lit(1.0), furthest);
                }
                let mut busy = run;
                if M::ITERATES || M::SWITCHES {
                    busy = run & alive;
                }
                let at = timeline::at(told, t_low, reach, furthest, busy);
                if M::GUARDS && !S::MASS && N % 2 == 1 {
                    // That of a multiple of the identity.
                    mirrored = h.lt(zero);
                }
                let watch = guard::watch::<R>(o.guard != guard::OFF, mirrored);
                let mut step =
                    M::step::<R, S, N, P>(&u, &p, &at, h, &k1, mode, &tolerances, &watch);
                if S::HAS_DOMAIN {
                    let time = timeline::stage::<R, S, N, P>(&at, R::lit(1.0));
                    let outside = S::out_of_domain(&step.u, &p, time) & step.code.equals(none);
                    let left = <R::Bits as Bits>::lit(code::OUTSIDE);
                    step.code = <R::Bits as Bits>::select(outside, left, step.code);
                }

                let mut accept = <R::Mask as Mask>::splat(true);
                let mut square = zero;
                let mut factor = zero;
                let mut law = o.law;
                if ADAPTIVE {
                    square = M::square_norm::<R, N>(&u, &step, h, &tolerances);
                    if S::HAS_DOMAIN || M::ITERATES {
                        let most = R::lit(controller::SQUARE_MAX);
                        square = R::select(step.code.equals(none), square, most);
                    }
                    if M::SWITCHES {
                        let stiff = auto::has::<R>(mode, auto::STIFF);
                        law = controller::choose_law::<R>(stiff, &o.stiff_law, &o.law);
                    }
                    let decision = controller::decide::<R>(square, n, &memory, &law, o.kind);
                    accept = decision.accept;
                    memory = decision.memory;
                    if M::SWITCHES {
                        // The other method's errors are not this one's.
                        let turned = auto::turned::<R>(mode, step.mode);
                        let stiff = auto::has::<R>(step.mode, auto::STIFF);
                        law = controller::choose_law::<R>(stiff, &o.stiff_law, &o.law);
                        let new = controller::fresh::<R>(&law);
                        memory = controller::choose_memory::<R>(turned, &new, &memory);
                    }
                    factor = R::from_single(decision.factor);
                }
                let careful = guard::is_careful::<R>(guarded);
                // What was too small for errors to see, and now is not, may have grown too fast before; and of what
                // else made a step short errors say nothing.
                let mut shown = nobody;
                if ADAPTIVE && o.guard == guard::REJECT {
                    // Not at the beginning, where all steps were rejected.
                    let mut still = rejected.equals(clock.wrapping_sub(one));
                    if o.stops {
                        still = t.equals(t0);
                    }
                    shown = !accept & factor.lt(R::lit(guard::SHOWN)) & !still;
                    if o.stops {
                        shown = shown | last;
                    }
                    if o.limited {
                        shown = shown | h.abs().ge(o.dtmax);
                    }
                    shown = shown & run & alive;
                    if M::ITERATES {
                        shown = shown & step.code.equals(none);
                    }
                    if M::SWITCHES {
                        shown = shown & auto::has::<R>(step.mode, auto::USED);
                    }
                }
                if M::GUARDS && (step.grows | careful | shown).any() {
                    // Pivots that are not numbers have any sign.
                    let solved = run & stepper::is_finite::<R, N>(&step.u);
                    let grows = solved & step.grows;
                    let mut soon = solved & (shown | careful) & !grows;
                    if soon.any() {
                        let scale = R::lit(guard::SOON / M::DIAGONAL) / h;
                        soon = soon & guard::would_pass::<R, S, N, P>(u, p, told, scale, mirrored);
                    }
                    let refuse = ADAPTIVE && o.guard == guard::REJECT;
                    let judged =
                        guard::judge::<R>(guarded, grows, soon, accept, run, factor, refuse);
                    guarded = judged.state;
                    if ADAPTIVE {
                        accept = accept & !judged.refused;
                        factor = judged.factor;
                        let forgotten = controller::fresh::<R>(&law);
                        memory =
                            controller::choose_memory::<R>(judged.refused, &forgotten, &memory);
                        let anew = judged.anew & alive;
                        let begin = <R::Bits as Bits>::lit(code::ANEW);
                        code = <R::Bits as Bits>::select(anew, begin, code);
                        limit = <R::Bits as Bits>::select(anew, clock, limit);
                    }
                }

                if M::SWITCHES {
                    mode = <R::Bits as Bits>::select(run, step.mode, mode);
                }
                let mut moves = accept;
                if ADAPTIVE {
                    moves = accept & run;
                }
                if SAVE && saves {
                    // How far after the beginning of the step the next time to save is. With fixed steps
                    // from the beginning of the grid: it is not as coarse as `t`.
                    let mut ahead = (save_at - t) - t_low;
                    let done = timeline::whole_from_bits::<R>(clock.wrapping_sub(one));
                    if !ADAPTIVE {
                        ahead = (-done).mul_add(dt, save_at - t0);
                    }
                    let mut want = moves & run & ahead.abs().le(h.abs());
                    if o.every_step {
                        // Where there is room.
                        want = moves & run & !save_at.equals(math::infinity::<R>());
                    }
                    if !o.every_step && want.any() {
                        step = M::complete::<R, S, N, P>(&u, &p, &at, h, &step);
                    }
                    while want.any() {
                        let mut saved = step.u;
                        if o.every_step {
                            save_at = R::select(want, R::select(last, t1, next.t), save_at);
                        } else {
                            let within = M::interpolate::<R, N>(&u, &step, h, ahead / h);
                            // A point at the end of the step is the state itself.
                            saved = stepper::choose::<R, N>(ahead.equals(h), step.u, within);
                        }
                        feed.save(want, slot, saved, p, save_at);
                        slot = <R::Bits as Bits>::select(want, slot.wrapping_add(one), slot);
                        save_at = feed.save_time(want, slot, save_at);
                        ahead = (save_at - t) - t_low;
                        if !ADAPTIVE {
                            ahead = (-done).mul_add(dt, save_at - t0);
                        }
                        want = want & ahead.abs().le(h.abs());
                        if o.every_step {
                            want = nobody;
                        }
                    }
                }

                if ADAPTIVE {
                    let done = moves & last;
                    limit = <R::Bits as Bits>::select(done, clock, limit);
                    t = R::select(moves, R::select(last, t1, next.t), t);
                    if !R::DOUBLE {
                        t_low = R::select(moves, R::select(last, zero, next.low), t_low);
                    }
                    plan = timeline::plan(t, t_low, h, factor);
                    let mut trouble = !accept;
                    let mut small = nobody;
                    if o.limited {
                        let size = h * factor;
                        small = run & !done & size.abs().le(o.dtmin);
                        trouble = trouble | small;
                        let size = size.abs().at_most(o.dtmax).copysign(h);
                        plan = timeline::plan(t, t_low, size, R::lit(1.0));
                    }
                    if trouble.any() {
                        // A lane without a trajectory fails for ever, and must not be in need for that.
                        let failing = run & alive & !moves;
                        small = small & alive;
                        rejected = <R::Bits as Bits>::select(
                            failing,
                            rejected.wrapping_add(one),
                            rejected,
                        );
                        // Most are just too long. Where a 64th of the step would not advance time, rounding may
                        // make the next one as long as this; errors beyond all bounds have other reasons.
                        let part = timeline::plan(t, t_low, h, R::lit(1.0 / 64.0));
                        let beyond = !square.lt(R::lit(controller::SQUARE_MAX));
                        let odd = small | (failing & (beyond | timeline::stalls(t, t_low, part)));
                        if odd.any() {
                            let size = timeline::planned(t, t_low, plan);
                            let shorter = timeline::plan(t, t_low, h, R::lit(0.25));
                            plan = R::select(failing & size.abs().ge(h.abs()), shorter, plan);
                            let mut stuck = small | (failing & timeline::stalls(t, t_low, plan));
                            // Where the derivative is not finite no step is small enough.
                            let hopeless = failing & !stepper::is_finite::<R, N>(&step.k[0]);
                            if S::HAS_DOMAIN {
                                // Smaller steps would not leave, as rounding does not let them move.
                                let outside = <R::Bits as Bits>::lit(code::OUTSIDE);
                                let mut still = failing & step.code.equals(outside);
                                for d in 0..N {
                                    let moved = (step.u[d] - u[d]).abs();
                                    still =
                                        still & moved.le(u[d].abs() * timeline::few_units::<R>());
                                }
                                stuck = stuck | still;
                            }
                            let why = <R::Bits as Bits>::select(
                                hopeless | !stepper::is_finite::<R, 1>(&[square]),
                                <R::Bits as Bits>::lit(code::NON_FINITE),
                                <R::Bits as Bits>::lit(code::DT_MIN),
                            );
                            let solved = step.code.equals(none);
                            let why = <R::Bits as Bits>::select(solved, why, step.code);
                            let given_up = stuck | hopeless;
                            code = <R::Bits as Bits>::select(given_up, why, code);
                            limit = <R::Bits as Bits>::select(given_up, clock, limit);
                        }
                    }
                } else {
                    t = R::select(last, t1, next.t);
                    if (!S::AUTONOMOUS || S::STEPWISE) && !R::DOUBLE {
                        t_low = R::select(last, zero, next.low);
                    }
                    // There is no smaller step to try.
                    code = <R::Bits as Bits>::select(code.equals(none), step.code, code);
                }
                u = stepper::choose::<R, N>(moves, step.u, u);
                if M::FSAL {
                    k1 = stepper::choose::<R, N>(moves, step.k[M::LAST], k1);
                }
                if feed.due(!clock.less_than(limit)) {
                    break;
                }
            }
        }
    }
}
