//! The integration loop: every solver, on every width.
//!
//! Each lane carries one trajectory with a time, a step size and a state of its own. A lane whose
//! trajectory ends hands it to the [`Feed`] and takes the next one, inside the loop, so that no
//! lane waits for another.
//!
//! # Time
//!
//! A step size is signed: a reversed time span is one with negative steps. `f32` time is a pair,
//! `t + t_low` with `|t_low|` at most half a unit of `t` (Kahan), so that steps far below the
//! resolution of `t` add up. With a fixed step, time is `t0 + i h` with an integer `i`, and the
//! last of exactly `round((t1 - t0)/h)` steps ends on `t1`.

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
}

#[ode_macros::device(integrate)]
mod device {
    use super::code;
    use crate::controller;
    use crate::initial;
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::methods::Stepper;
    use crate::methods::auto;
    use crate::methods::stepper;
    use crate::system::System;

    /// What all trajectories of a solve share.
    #[derive(Clone, Copy, Debug)]
    pub struct Options<R: Real, const N: usize> {
        /// Of errors.
        pub tolerances: stepper::Tolerances<R, N>,
        /// The step size (fixed), or the first one; 0: chosen automatically. Its sign is ignored.
        pub dt: R,
        /// Steps of this size and below are given up.
        pub dtmin: R,
        /// The largest step.
        pub dtmax: R,
        /// Whether there is a largest step.
        pub limited: bool,
        /// How step sizes follow from errors.
        pub law: controller::Law<R>,
        /// The same for the implicit one of two methods.
        pub stiff_law: controller::Law<R>,
        /// Which law that is.
        pub kind: u32,
        /// Steps tried, accepted or not, after which a trajectory is given up.
        pub max_steps: R::Bits,
    }

    /// [`Options`] of their parts; `steps` are `dt`, `dtmin` and `dtmax`.
    pub fn options<R: Real, const N: usize>(
        tolerances: stepper::Tolerances<R, N>,
        steps: [R; 3],
        limited: bool,
        law: controller::Law<R>,
        stiff_law: controller::Law<R>,
        kind: u32,
        max_steps: R::Bits,
    ) -> Options<R, N> {
        let [dt, dtmin, dtmax] = steps;
        Options::<R, N> { tolerances, dt, dtmin, dtmax, limited, law, stiff_law, kind, max_steps }
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
        /// The time at which to save number `slot`, for lanes `which`, infinite after the last one;
        /// else `t`.
        fn save_time(&self, which: R::Mask, slot: R::Bits, t: R) -> R;
        /// Saves the state `u` at time `t`, or what is computed from it, as number `slot`, for lanes
        /// `which`.
        fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N], p: [R; P], t: R);
        /// Takes the result of lanes `done`, those of them that have a trajectory: its final state, how
        /// it ended ([`code`]), its steps, how many of them were rejected, and how many states were
        /// saved.
        fn finish(
            &mut self,
            done: R::Mask,
            u: [R; N],
            code: R::Bits,
            steps: R::Bits,
            rejected: R::Bits,
            slot: R::Bits,
        );
    }

    /// The smallest step worth taking, relative to time: a few units of `t` in its last place, for
    /// `f32` of the pair `t + t_low`.
    pub fn resolution<R: Real>() -> R {
        if R::DOUBLE { R::lit(RESOLUTION_DOUBLE) } else { R::lit(RESOLUTION_SINGLE) }
    }

    /// `2^-50`.
    pub const RESOLUTION_DOUBLE: f64 = 8.881784197001252e-16;
    /// `2^-44`.
    pub const RESOLUTION_SINGLE: f64 = 5.684341886080802e-14;
    /// `2^-21`: a few units in the last place of an `f32`, as [`RESOLUTION_DOUBLE`] is of an `f64`.
    pub const FEW_UNITS_SINGLE: f64 = 4.76837158203125e-7;

    /// A whole number from 0 up to [`MAX_WHOLE_SINGLE`] (`f64`: [`MAX_WHOLE_DOUBLE`]), exclusive,
    /// as an integer: added to the power of two whose unit in the last place is one.
    pub fn whole_to_bits<R: Real>(x: R) -> R::Bits {
        (x + whole::<R>()).to_bits().wrapping_sub(whole::<R>().to_bits())
    }

    /// The inverse of [`whole_to_bits`].
    pub fn whole_from_bits<R: Real>(x: R::Bits) -> R {
        R::from_bits(x.wrapping_add(whole::<R>().to_bits())) - whole::<R>()
    }

    /// The power of two of [`whole_to_bits`].
    fn whole<R: Real>() -> R {
        if R::DOUBLE { R::lit(MAX_WHOLE_DOUBLE) } else { R::lit(MAX_WHOLE_SINGLE) }
    }

    /// `2^52`.
    pub const MAX_WHOLE_DOUBLE: f64 = 4503599627370496.0;
    /// `2^23`.
    pub const MAX_WHOLE_SINGLE: f64 = 8388608.0;

    /// The first step size, positive: Hairer, Nørsett and Wanner I, II.4, "Starting step size",
    /// with the roots read off the binary logarithm; a few percent matter to nobody. Shorter, by a thousand
    /// times at most, where an Euler step of it shows that the derivative changes otherwise than a shorter
    /// one shows.
    ///
    /// `k` is the derivative `u'` at the start. At most the length of the span; that too where the
    /// norms are not finite.
    #[called]
    pub fn first_step<
        R: Real,
        S: System<N, P>,
        M: Stepper<K>,
        const N: usize,
        const P: usize,
        const K: usize,
    >(
        u: &[R; N],
        p: &[R; P],
        t: R,
        span: R,
        k: &[R; N],
        tolerances: &stepper::Tolerances<R, N>,
    ) -> R {
        let zero = [R::lit(0.0); N];
        let n = R::lit(N as f64);
        let small = R::lit(N as f64 * FIRST_SMALL);
        let size = controller::square_norm::<R, N>(u, u, &zero, tolerances);
        let slope = controller::square_norm::<R, N>(k, u, &zero, tolerances);
        let either = size.lt(small) | slope.lt(small);
        let half = <R::Single as Real>::lit(0.5);
        let ratio = controller::log2_of_mean(size, n) - controller::log2_of_mean(slope, n);
        let ratio = controller::exp2_wide::<R>(ratio * half);
        let guess = R::select(either, R::lit(1e-6), R::lit(0.01) * ratio);
        let h0 = guess.at_most(span.abs());
        // An Euler step of that size shows the second derivative.
        let little = slope_change::<R, S, N, P>(u, p, t, h0.copysign(span), k);
        let curve = controller::square_norm::<R, N>(&little, u, &zero, tolerances);
        let per_h0 = controller::reciprocal(h0);
        let curve = curve * (per_h0 * per_h0);
        let most = slope.max(curve);
        // (0.01 / m)^(1/(order + 1)) with m² = most / n.
        let log = <R::Single as Real>::lit(LOG2_FIRST) - controller::log2_of_mean(most, n);
        let root = <R::Single as Real>::lit(0.5 / (M::ORDER as f64 + 1.0));
        let h1 = controller::exp2_wide::<R>(log * root);
        let flat = most.le(R::lit(N as f64 * FIRST_FLAT));
        let h1 = R::select(flat, (h0 * R::lit(1e-3)).max(R::lit(1e-6)), h1);
        let h = h1.min(R::lit(100.0) * h0).at_most(span.abs());
        // The derivatives at the start may not show yet how stiff the system is, and error estimates have
        // zeros. So in an Euler step of this size the derivative must not change by more than itself and what
        // is in proportion to the change in the first.
        let much = slope_change::<R, S, N, P>(u, p, t, h.copysign(span), k);
        let bend = stepper::add(much, -(h / h0), &little);
        let bend = controller::square_norm::<R, N>(&bend, u, &zero, tolerances);
        let ratio = controller::log2_of_mean(slope, n) - controller::log2_of_mean(bend, n);
        let least = <R::Single as Real>::lit(LOG2_FIRST_LEAST);
        let none = <R::Single as Real>::lit(0.0);
        let shorter = h * controller::exp2_wide::<R>((ratio * half).max(least).min(none));
        R::select(either, h, shorter)
    }

    /// The change of the derivative `k` in an Euler step.
    pub fn slope_change<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        h: R,
        k: &[R; N],
    ) -> [R; N] {
        let moved = stepper::add(*u, h, k);
        let mut there = S::rhs(&moved, p, t + h);
        if S::MASS {
            there = initial::slope::<R, S, N, P>(&moved, p, t + h, &there);
        }
        stepper::add(there, R::lit(-1.0), k)
    }

    /// The binary logarithm of how much a bend shortens the first step at most.
    pub const LOG2_FIRST_LEAST: f64 = -10.0;
    /// `1e-5` squared: below it a norm is too small to divide by.
    pub const FIRST_SMALL: f64 = 1e-10;
    /// `1e-15` squared: below it the solution is a straight line.
    pub const FIRST_FLAT: f64 = 1e-30;
    /// `log2(0.01²)`.
    pub const LOG2_FIRST: f64 = -13.287712379549449;

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
        let fresh = controller::fresh::<R>(&o.law);
        let mut tolerances = o.tolerances;
        if !ADAPTIVE {
            tolerances = stepper::tight::<R, N>(&o.tolerances);
        }

        let saves = feed.saves();
        let nobody = <R::Mask as Mask>::splat(false);
        let mut u = [zero; N];
        let mut p = feed.load_p(nobody, [zero; P]);
        let mut k1 = [zero; N];
        let mut t0 = feed.load_start(nobody, zero);
        let mut t1 = feed.load_end(nobody, zero);
        let mut t = zero;
        let mut t_low = zero;
        let mut dt = zero;
        let mut memory = fresh;
        // Steps tried, and where the lane stops trying: the number it may try, from its end on the
        // number it has tried. So a lane that waits may go on counting.
        let mut clock = none;
        let mut limit = none;
        let mut rejected = none;
        let mut code = none;
        // Of a method that switches.
        let mut mode = none;
        let mut slot = none;
        let mut save_at = zero;
        let mut tail = zero;
        let mut alive = <R::Mask as Mask>::splat(true);

        loop {
            let mut need = !clock.less_than(limit);
            while need.any() {
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
                feed.finish(need, u, why, limit, rejected, slot);

                let got = feed.take(need);
                u = feed.load_u(got, u);
                p = feed.load_p(got, p);
                t0 = feed.load_start(got, t0);
                t1 = feed.load_end(got, t1);
                t = R::select(got, t0, t);
                t_low = R::select(got, zero, t_low);
                clock = <R::Bits as Bits>::select(need, none, clock);
                limit = <R::Bits as Bits>::select(need, o.max_steps, limit);
                rejected = <R::Bits as Bits>::select(got, none, rejected);
                code = <R::Bits as Bits>::select(got, none, code);
                memory = controller::choose_memory::<R>(got, &fresh, &memory);
                if M::SWITCHES {
                    mode = <R::Bits as Bits>::select(got, none, mode);
                }
                let span = t1 - t0;
                let mut first = o.dt.abs();
                if S::ALGEBRAIC > 0 {
                    let start = initial::consistent::<R, S, N, P>(&u, &p, t0, &tolerances);
                    u = stepper::choose::<R, N>(got, start.u, u);
                    code = <R::Bits as Bits>::select(got, start.code, code);
                }
                let f = S::rhs(&u, &p, t0);
                let mut k = f;
                if S::MASS {
                    k = initial::slope::<R, S, N, P>(&u, &p, t0, &f);
                }
                k1 = stepper::choose::<R, N>(got, if M::SLOPE { k } else { f }, k1);
                if ADAPTIVE {
                    let automatic = first.equals(zero) & got;
                    if automatic.any() {
                        let chosen =
                            first_step::<R, S, M, N, P, K>(&u, &p, t0, span, &k, &tolerances);
                        first = R::select(automatic, chosen, first);
                    }
                    if o.limited {
                        first = first.at_most(o.dtmax);
                    }
                    first = first.copysign(span);
                } else {
                    let count = (span.abs() / first).round_even().max(R::lit(1.0));
                    first = first.copysign(span);
                    limit = <R::Bits as Bits>::select(got, whole_to_bits(count), limit);
                    let before = (count - R::lit(1.0)).mul_add(first, t0);
                    tail = R::select(got, t1 - before, tail);
                }
                dt = R::select(got, first, dt);
                if SAVE && saves {
                    slot = <R::Bits as Bits>::select(got, none, slot);
                    save_at = feed.save_time(got, slot, save_at);
                    let mut at_start = got & save_at.equals(t0);
                    if S::ALGEBRAIC > 0 {
                        at_start = at_start & code.equals(none);
                    }
                    feed.save(at_start, slot, u, p, save_at);
                    slot = <R::Bits as Bits>::select(at_start, one, slot);
                    save_at = feed.save_time(at_start, slot, save_at);
                }

                // A lane for which there is nothing left goes on without ever reaching its end, with
                // nobody watching: the hot path need not know about it.
                let idle = need & !got;
                alive = alive & !idle;
                t = R::select(idle, math::not_a_number::<R>(), t);
                save_at = R::select(idle, math::infinity::<R>(), save_at);
                limit = <R::Bits as Bits>::select(idle, !none, limit);
                // A span without length is at its end already, and its lane in need again.
                let mut ended = got & t0.equals(t1);
                if S::ALGEBRAIC > 0 {
                    ended = ended | (got & !code.equals(none));
                }
                limit = <R::Bits as Bits>::select(ended, none, limit);
                need = ended;
            }
            if !feed.regroup(alive) {
                break;
            }

            // Taking a trajectory costs about as much as a step, in every lane of the group: the feed
            // may wait until enough lanes are in need of one.
            loop {
                clock = clock.wrapping_add(one);
                let mut last = clock.equals(limit);
                let mut h = R::select(last, tail, dt);
                if ADAPTIVE {
                    let rest = (t1 - t) - t_low;
                    last = rest.abs().le(dt.abs());
                    h = R::select(last, rest, dt);
                }
                let mut step = M::step::<R, S, N, P>(&u, &p, t, h, &k1, mode, &tolerances);
                if S::HAS_DOMAIN {
                    let outside = S::out_of_domain(&step.u, &p, t + h) & step.code.equals(none);
                    let left = <R::Bits as Bits>::lit(code::OUTSIDE);
                    step.code = <R::Bits as Bits>::select(outside, left, step.code);
                }

                let mut accept = <R::Mask as Mask>::splat(true);
                let mut square = zero;
                if ADAPTIVE {
                    square = M::square_norm::<R, N>(&u, &step, h, &tolerances);
                    if S::HAS_DOMAIN || M::ITERATES {
                        let most = R::lit(controller::SQUARE_MAX);
                        square = R::select(step.code.equals(none), square, most);
                    }
                    let mut law = o.law;
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
                    dt = h * R::from_single(decision.factor);
                    if o.limited {
                        dt = dt.abs().at_most(o.dtmax).copysign(dt);
                    }
                }

                // A lane that waits for a trajectory stays where its last one ended.
                let run = !limit.less_than(clock);
                if M::SWITCHES {
                    mode = <R::Bits as Bits>::select(run, step.mode, mode);
                }
                let mut moves = accept;
                if ADAPTIVE {
                    moves = accept & run;
                }
                if SAVE && saves {
                    let end = R::select(last, t1, t + (h + t_low));
                    let mut want = moves & run & ((save_at - t) - t_low).abs().le(h.abs());
                    if want.any() {
                        step = M::complete::<R, S, N, P>(&u, &p, t, h, &step);
                    }
                    while want.any() {
                        let theta = ((save_at - t) - t_low) / h;
                        let within = M::interpolate::<R, N>(&u, &step, h, theta);
                        // A point at the end of the step is the state itself.
                        let saved = stepper::choose::<R, N>(save_at.equals(end), step.u, within);
                        feed.save(want, slot, saved, p, save_at);
                        slot = <R::Bits as Bits>::select(want, slot.wrapping_add(one), slot);
                        save_at = feed.save_time(want, slot, save_at);
                        want = want & ((save_at - t) - t_low).abs().le(h.abs());
                    }
                }

                if ADAPTIVE {
                    let done = moves & last;
                    limit = <R::Bits as Bits>::select(done, clock, limit);
                    let moved = R::select(moves, h, zero);
                    if R::DOUBLE {
                        t = R::select(done, t1, t + moved);
                    } else {
                        let add = moved + t_low;
                        let new_t = t + add;
                        t_low = R::select(done, zero, add - (new_t - t));
                        t = R::select(done, t1, new_t);
                    }
                    let refused = !accept;
                    if refused.any() {
                        let failing = refused & !limit.less_than(clock);
                        rejected = <R::Bits as Bits>::select(
                            failing,
                            rejected.wrapping_add(one),
                            rejected,
                        );
                        let floor = (t.abs() * resolution::<R>()).max(o.dtmin);
                        // Where the derivative is not finite no step is small enough.
                        let hopeless = failing & !stepper::is_finite::<R, N>(&step.k[0]);
                        let mut stuck = failing & h.abs().le(floor);
                        if S::HAS_DOMAIN {
                            // Smaller steps would not leave, as rounding does not let them move.
                            let outside = <R::Bits as Bits>::lit(code::OUTSIDE);
                            let mut still = failing & step.code.equals(outside);
                            let few = R::lit_of(RESOLUTION_DOUBLE, FEW_UNITS_SINGLE);
                            for d in 0..N {
                                let moved = (step.u[d] - u[d]).abs();
                                still = still & moved.le(u[d].abs() * few);
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
                        let end = stuck | hopeless;
                        code = <R::Bits as Bits>::select(end, why, code);
                        limit = <R::Bits as Bits>::select(end, clock, limit);
                    }
                } else {
                    t = R::select(last, t1, whole_from_bits::<R>(clock).mul_add(dt, t0));
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
