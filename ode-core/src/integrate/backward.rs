//! The adjoint loop: backwards through the recorded steps, for lanes of every width.
//!
//! It computes the derivatives of a loss with respect to initial states and parameters.
//!
//! A forward solve has recorded its steps in rows; a row contains one step of each lane. A lane
//! visits the rows, and with them its trajectories, from the last to the first. It makes each step
//! again, from the recorded state at its beginning and with the recorded size. It evaluates the
//! loss at the saved times within the step. Then the adjoint of the method propagates the
//! derivatives to the beginning of the step. The loop estimates no errors and rejects no steps:
//! step sizes are frozen.
//!
//! So lanes that began trajectories together end them together here, and rows are read in reverse
//! order. The results of a lane do not depend on its neighbours here either.
//!
//! Records are stored for one group of trajectories at a time. On a CPU, they stay in a cache.

pub use device::*;

// A step depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(backward)]
mod device {
    use crate::integrate::options::LoopConfig;
    use crate::integrate::recorded::RecordSource;
    use crate::integrate::{advance, recorded, retraced, saltation};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::adjoint::Adjoint;
    use crate::step::stepper::Stepper;
    use crate::step::{adjoint, code, guard, norm, stepper, timeline, vector};
    use crate::system::PullBack;

    /// Runs backwards through every trajectory of `io`.
    pub fn backward<
        R: Real,
        S: PullBack<N, P>,
        A: Adjoint,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        let mut p = [R::lit(0.0); P];
        io.load_p(nobody, &mut p);
        let mut lane = recorded::idle::<R, N, P>(p);
        loop {
            begin::<R, S, Q, C, N, P>(system, io, &mut lane);
            if !io.vote(lane.alive) {
                break;
            }
            loop {
                let there = io.turn();
                if C::WATCHES || C::SCHEDULED {
                    let mut acts = io.acts() & lane.alive;
                    while acts.any() {
                        saltation::undo::<R, S, Q, C, N, P>(system, io, &mut lane, acts);
                        acts = io.acts() & lane.alive;
                    }
                }
                let run = there & lane.alive & none.less_than(lane.steps);
                again::<R, S, A, Q, C, N, P>(system, io, &mut lane, run);
                if io.should_refill(lane.alive & none.reaches(lane.steps)) {
                    break;
                }
            }
        }
    }

    /// Delivers the results of lanes without steps, and assigns new trajectories.
    pub fn begin<
        R: Real,
        S: PullBack<N, P>,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
    ) {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let mut need = none.reaches(lane.steps);
        while need.any() {
            if C::WATCHES || C::SCHEDULED {
                let mut acts = io.acts_before() & need & lane.alive;
                while acts.any() {
                    saltation::undo::<R, S, Q, C, N, P>(system, io, lane, acts);
                    acts = io.acts_before() & need & lane.alive;
                }
            }
            lose_first::<R, Q, N, P>(io, lane, need);
            if C::EVENTS || (C::TIME_DEPENDENT && S::PARAMETER_STOPS > 0) {
                leave_out::<R, Q, N, P>(io, lane, need & lane.alive & lane.grazed);
            }
            io.finish(need & lane.alive, lane.loss, lane.back);
            let got = io.acquire(need);
            lane.alive = got | (lane.alive & !need);
            lane.grazed = lane.grazed & !got;
            lane.loss = R::select(got, zero, lane.loss);
            let before = lane.p;
            io.load_p(got, &mut lane.p);
            if S::MODES > 0 {
                recorded::set_modes::<R, S, N, P>(lane, &before, !got);
            }
            lane.t0 = io.load_start(got, lane.t0);
            lane.steps = io.load_steps(got, lane.steps);
            if !C::ADAPTIVE && !C::WATCHES && !C::SCHEDULED {
                // As `integrate` begins a span of fixed steps.
                let span = io.load_end(got, lane.t0) - lane.t0;
                let dt = io.load_dt(got, lane.dt).abs().copysign(span);
                let count = timeline::whole_from_bits::<R>(lane.steps);
                let rest = (R::lit(1.0) - count).mul_add(dt, span);
                lane.dt = R::select(got, dt, lane.dt);
                lane.rest = R::select(got, rest, lane.rest);
            }
            if C::NOISE {
                retraced::begin::<R, Q, N, P>(io, lane, got);
            }
            if C::ADAPTIVE && !C::WATCHES && !C::SCHEDULED && io.stops() {
                recorded::last_segment::<R, Q, N, P>(io, lane, got);
            }
            lane.saved = io.load_saved(got, lane.saved);
            if C::WATCHES || C::SCHEDULED {
                recorded::last_action::<R, S, Q, C, N, P>(io, lane, got);
            }
            let end = io.load_final(got, lane.back.u);
            lane.back.u = vector::choose::<R, N>(got, end, lane.back.u);
            for d in 0..P {
                lane.back.p[d] = R::select(got, zero, lane.back.p[d]);
            }
            let one = <R::Bits as Bits>::lit(1);
            let some = got & none.less_than(lane.saved);
            lane.save_at = io.save_time(some, lane.saved.wrapping_sub(one), lane.save_at);
            need = got & none.reaches(lane.steps);
        }
    }

    /// Gives the trajectories of lanes `which` a code and a loss of zero: they have no gradient.
    fn leave_out<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        which: R::Mask,
    ) {
        if which.any() {
            let zero = R::lit(0.0);
            io.fail(which, <R::Bits as Bits>::lit(code::GRAZING));
            lane.loss = R::select(which, zero, lane.loss);
            lane.back.u = vector::choose::<R, N>(which, [zero; N], lane.back.u);
            lane.back.p = vector::choose::<R, P>(which, [zero; P], lane.back.p);
        }
    }

    /// Makes a step again in lanes `run`, and moves to its beginning.
    pub fn again<
        R: Real,
        S: PullBack<N, P>,
        A: Adjoint,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        run: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let index = lane.steps.wrapping_sub(one);
        lane.row = io.step(run, &lane.row);
        if !C::ADAPTIVE && !C::WATCHES && !C::SCHEDULED {
            let begin = timeline::grid(lane.t0, timeline::whole_from_bits::<R>(index), lane.dt);
            lane.row.t = begin.t;
            lane.row.low = begin.low;
            lane.row.h = lane.rest;
            lane.rest = R::select(run, lane.dt, lane.rest);
        }
        let t = lane.row.t;
        let h = lane.row.h;
        let mut low = R::lit(0.0);
        if !R::DOUBLE {
            low = lane.row.low;
        }
        let timed = C::ADAPTIVE || C::WATCHES || C::SCHEDULED;
        let stops = timed && C::TIME_DEPENDENT && io.stops();
        let mut t_eval = t;
        let mut reach = h;
        let mut furthest = R::lit(timeline::BEYOND);
        if stops {
            // As in `attempt::next`.
            let edge = timeline::edge(t, h, lane.to);
            let begins = t.equals(lane.from);
            t_eval = R::select(begins, t + edge, t);
            reach = R::select(lane.last, h - edge, h);
            reach = R::select(begins, reach - edge, reach);
            furthest = R::select(lane.last, R::lit(1.0), furthest);
        }
        if C::EVENTS {
            let arrives = run & !lane.event.equals(none);
            if arrives.any() {
                saltation::compare_speeds::<R, S, N, P>(system, lane, t_eval, arrives);
            }
        }
        let at = timeline::at(t_eval, low, reach, furthest, run);
        let tight = norm::tolerances::<R, N>([R::lit(0.0); N], R::lit(0.0));
        let state = stepper::state::<R, N, P>(lane.row.u, lane.p, lane.row.u, tight);
        let watch = guard::watch::<R>(false, <R::Mask as Mask>::splat(false));
        let mut ask = stepper::ask::<R>(at, h, none, watch);
        if C::NOISE {
            ask.path = retraced::path_of::<R, Q, N, P>(io, lane, index, h);
        }
        let made = A::make::<R, S, N, P>(system, &state, &ask);
        let mut given = A::nothing::<R, N, P>(lane.back.u);
        let ahead = ahead_of::<R, C, N, P>(lane, index);
        let want = run & none.less_than(lane.saved);
        let want = is_within::<R, Q, C, N, P>(io, lane, index, ahead, want);
        if want.any() {
            let step = A::step_of::<R, S, N, P>(system, &state, &ask, &made);
            meet::<R, S, A, A::Method, Q, C, N, P>(
                system, io, lane, &state, &ask, &step, &mut given, index, want, ahead,
            );
        }
        let back = A::pull_back::<R, S, N, P>(system, &state, &ask, &made, &given);
        for d in 0..N {
            lane.back.u[d] = R::select(run, back.u[d], lane.back.u[d]);
        }
        for d in 0..P {
            let sum = lane.back.p[d] + back.p[d];
            lane.back.p[d] = R::select(run, sum, lane.back.p[d]);
        }
        lane.steps = <R::Bits as Bits>::select(run, index, lane.steps);
        if C::WATCHES || C::SCHEDULED {
            lane.over = lane.over & !run;
            lane.open = lane.open & !run;
        }
        if stops {
            lane.last = lane.last & !run;
            // A mark among the actions begins the segment, if there are actions.
            if !C::WATCHES && !C::SCHEDULED {
                let begins = run & t.equals(lane.from) & low.equals(R::lit(0.0));
                let u = lane.row.u;
                saltation::begin_segment::<R, S, Q, N, P>(system, io, lane, &u, begins);
            }
        }
    }

    /// Evaluates the loss at the saved times within a step.
    ///
    /// In lanes `first`, the last of these times is `ahead` of the beginning of the step.
    pub fn meet<
        R: Real,
        S: PullBack<N, P>,
        A: Adjoint<Method = M>,
        M: Stepper,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        given: &mut adjoint::StepCotangents<R, N, P, M::Kept<R, N>>,
        index: R::Bits,
        first: R::Mask,
        ahead: R,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let h = ask.h;
        let step = M::complete::<R, S, N, P>(system, state, ask, step);
        let mut dense = <R::Mask as Mask>::splat(false);
        let mut want = first;
        let mut ahead = ahead;
        while want.any() {
            let last = lane.saved.wrapping_sub(one);
            let theta = ahead / h;
            let mut ends = want & ahead.equals(h);
            if C::EVENTS || C::SCHEDULED {
                // Rounding may put the saved time of an action past the step.
                ends = want & ahead.abs().ge(h.abs());
            }
            let mut part = *ask;
            let mut within = step.u;
            if C::NOISE {
                // The state is the end of a step of its own.
                let before = retraced::steps_before::<R, C, N, P>(lane, index);
                ends = want & retraced::is_end::<R, N, P>(lane, before, h);
                if (want & !ends).any() {
                    part = advance::up_to::<R>(ask, ahead, h);
                    let made = M::step::<R, S, N, P>(system, state, &part);
                    within = made.u;
                }
            } else {
                within = M::interpolate::<R, N, P>(state, ask, &step, theta);
            }
            let u = vector::choose::<R, N>(ends, step.u, within);
            let lost = io.lose(want, last, &u, &lane.p, lane.save_at);
            let inside = want & !ends;
            let zero = R::lit(0.0);
            let mut g = lost.u;
            for d in 0..N {
                let sum = given.end[d] + lost.u[d];
                given.end[d] = R::select(ends, sum, given.end[d]);
                g[d] = R::select(inside, lost.u[d], zero);
            }
            if C::NOISE {
                if inside.any() {
                    retraced::through_part::<R, S, A, M, N, P>(
                        system, state, &part, given, &g, inside,
                    );
                }
            } else {
                A::within::<R, N, P>(given, R::select(inside, theta, zero), &g);
                dense = dense | inside;
            }
            lose::<R, N, P>(lane, &lost, want);
            lane.saved = <R::Bits as Bits>::select(want, last, lane.saved);
            let more = want & none.less_than(lane.saved);
            lane.save_at = io.save_time(more, lane.saved.wrapping_sub(one), lane.save_at);
            ahead = ahead_of::<R, C, N, P>(lane, index);
            want = is_within::<R, Q, C, N, P>(io, lane, index, ahead, more);
        }
        if dense.any() {
            A::pull_within::<R, S, N, P>(system, state, ask, &step, given, dense);
        }
    }

    /// Evaluates the loss at the initial state, which may be saved, too.
    ///
    /// It is the saved time that remains after all steps.
    fn lose_first<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        need: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let first = need & lane.alive & none.less_than(lane.saved);
        if first.any() {
            let u = io.load_u(first, lane.row.u);
            let lost = io.lose(first, none, &u, &lane.p, lane.save_at);
            for d in 0..N {
                let sum = lane.back.u[d] + lost.u[d];
                lane.back.u[d] = R::select(first, sum, lane.back.u[d]);
            }
            lose::<R, N, P>(lane, &lost, first);
        }
    }

    /// Adds a loss, and its derivatives with respect to the parameters, in lanes `which`.
    fn lose<R: Real, const N: usize, const P: usize>(
        lane: &mut recorded::Lane<R, N, P>,
        lost: &recorded::Lost<R, N, P>,
        which: R::Mask,
    ) {
        let sum = lane.loss + lost.value;
        lane.loss = R::select(which, sum, lane.loss);
        for d in 0..P {
            let sum = lane.back.p[d] + lost.p[d];
            lane.back.p[d] = R::select(which, sum, lane.back.p[d]);
        }
    }

    /// Returns the distance of the last saved time from the beginning of step `index`.
    ///
    /// The computation is the one of the [forward loop](crate::integrate::lane::ahead).
    fn ahead_of<R: Real, C: LoopConfig, const N: usize, const P: usize>(
        lane: &recorded::Lane<R, N, P>,
        index: R::Bits,
    ) -> R {
        let mut ahead = lane.save_at - lane.row.t;
        if !R::DOUBLE {
            ahead = ahead - lane.row.low;
        }
        if !C::ADAPTIVE && !C::WATCHES && !C::SCHEDULED {
            let done = timeline::whole_from_bits::<R>(index);
            ahead = (-done).mul_add(lane.dt, lane.save_at - lane.t0);
        }
        if C::NOISE {
            let before = retraced::steps_before::<R, C, N, P>(lane, index);
            ahead = retraced::ahead::<R, N, P>(lane, before);
        }
        ahead
    }

    /// Returns the lanes `which` with a saved time within step `index` or at its end.
    ///
    /// The time is `ahead` of the beginning of the step, which is excluded. At an action, the state
    /// before it was saved, even if the saved time is later by rounding.
    fn is_within<
        R: Real,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &Q,
        lane: &recorded::Lane<R, N, P>,
        index: R::Bits,
        ahead: R,
        which: R::Mask,
    ) -> R::Mask {
        let zero = R::lit(0.0);
        let ahead = R::select(lane.row.h.lt(zero), -ahead, ahead);
        let mut within = which & ahead.gt(zero);
        if C::EVENTS || C::SCHEDULED {
            if within.any() {
                let acted = lane.row.t.equals(io.time_of_action());
                let near = ahead.le(lane.row.t.abs() * timeline::few_units::<R>());
                within = within & !(acted & near);
            }
        }
        if C::NOISE {
            let before = retraced::steps_before::<R, C, N, P>(lane, index);
            within = which & retraced::is_within::<R, N, P>(lane, before);
        }
        within
    }
}
