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

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(backward)]
mod device {
    use crate::integrate::options::{LoopConfig, Source};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::adjoint::Adjoint;
    use crate::step::stepper::Stepper;
    use crate::step::{adjoint, guard, norm, stepper, timeline, vector};
    use crate::system::PullBack;

    /// A recorded step.
    #[derive(Clone, Copy, Debug)]
    pub struct Row<R: Real, const N: usize> {
        /// The time at the beginning of the step, rounded.
        pub t: R,
        /// The rounding error of that time.
        pub low: R,
        /// The size of the step.
        pub h: R,
        /// The state at the beginning of the step.
        pub u: [R; N],
    }

    /// Makes a [`Row`].
    pub fn row<R: Real, const N: usize>(t: R, low: R, h: R, u: [R; N]) -> Row<R, N> {
        Row::<R, N> { t, low, h, u }
    }

    /// The loss at a saved time, with its derivatives.
    #[derive(Clone, Copy, Debug)]
    pub struct Lost<R: Real, const N: usize, const P: usize> {
        /// The loss.
        pub value: R,
        /// The derivatives with respect to the state.
        pub u: [R; N],
        /// The derivatives with respect to the parameters.
        pub p: [R; P],
    }

    /// Makes a [`Lost`].
    pub fn lost<R: Real, const N: usize, const P: usize>(
        value: R,
        u: [R; N],
        p: [R; P],
    ) -> Lost<R, N, P> {
        Lost::<R, N, P> { value, u, p }
    }

    /// The step record of trajectories, and the destination of their derivatives.
    ///
    /// The trajectories themselves come from the [`Source`]. [`acquire`](Source::acquire) assigns a
    /// lane the trajectory that it solved before its last one.
    pub trait RecordSource<R: Real, const N: usize, const P: usize>: Source<R, N, P> {
        /// Returns the number of recorded steps in lanes `assigned`, `steps` in others.
        fn load_steps(&self, assigned: R::Mask, steps: R::Bits) -> R::Bits;
        /// Returns the number of saved times reached in lanes `assigned`, `saved` in others.
        fn load_saved(&self, assigned: R::Mask, saved: R::Bits) -> R::Bits;
        /// Returns the fixed step size in lanes `assigned`, `dt` in others.
        ///
        /// The sign is ignored.
        fn load_dt(&self, assigned: R::Mask, dt: R) -> R;
        /// Moves to the previous row; returns the lanes with a step there.
        ///
        /// Steps count if they belong to the lane's current trajectory.
        fn turn(&mut self) -> R::Mask;
        /// Returns the step of this row in lanes `which`, `row` in others.
        ///
        /// If steps were fixed, only the state need be set.
        fn step(&self, which: R::Mask, row: &Row<R, N>) -> Row<R, N>;
        /// Returns time `index` to save at in lanes `which`, `t` in others.
        fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
        /// Returns the loss at saved time `index` and state `u`, in lanes `which`.
        fn lose(
            &self,
            which: R::Mask,
            index: R::Bits,
            u: &[R; N],
            p: &[R; P],
            t: R,
        ) -> Lost<R, N, P>;
        /// Returns whether there were times to stop at.
        fn stops(&self) -> bool;
        /// Returns the loss's final-state derivatives in lanes `assigned`, `u` in others.
        fn load_final(&self, assigned: R::Mask, u: [R; N]) -> [R; N];
        /// Stores the loss and its derivatives, in lanes `done` that have a trajectory.
        ///
        /// The derivatives are those with respect to the initial state and the parameters.
        fn finish(&mut self, done: R::Mask, loss: R, back: adjoint::Back<R, N, P>);
    }

    /// The loop's state of a lane.
    #[derive(Clone, Copy, Debug)]
    pub struct Lane<R: Real, const N: usize, const P: usize> {
        /// The derivatives so far.
        ///
        /// The derivatives with respect to the state belong to the beginning of the last step that
        /// was made.
        pub back: adjoint::Back<R, N, P>,
        /// The loss so far.
        pub loss: R,
        /// The parameters.
        pub p: [R; P],
        /// The current step.
        pub row: Row<R, N>,
        /// The start of the span.
        pub t0: R,
        /// The fixed step size.
        pub dt: R,
        /// The size of the next fixed step; the span's last step differs.
        pub rest: R,
        /// The number of remaining steps.
        pub steps: R::Bits,
        /// The number of remaining saved times.
        pub saved: R::Bits,
        /// The last one of the remaining saved times.
        pub save_at: R,
        /// The start of the step's segment, if there are times to stop at.
        ///
        /// This field and the following ones belong to adaptive steps.
        pub from: R,
        /// The end of that segment.
        pub to: R,
        /// The number of times to stop at before that segment.
        pub stop: R::Bits,
        /// Whether the step ends at the end of that segment.
        pub last: R::Mask,
        /// Whether the lane has a trajectory.
        pub alive: R::Mask,
    }

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
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        let nothing = adjoint::back::<R, N, P>([zero; N], [zero; P]);
        let p = io.load_p(nobody, [zero; P]);
        let start = row::<R, N>(zero, zero, zero, [zero; N]);
        let mut lane = Lane::<R, N, P> {
            back: nothing,
            loss: zero,
            p,
            row: start,
            t0: zero,
            dt: zero,
            rest: zero,
            steps: none,
            saved: none,
            save_at: zero,
            from: zero,
            to: zero,
            stop: none,
            last: nobody,
            alive: nobody,
        };
        loop {
            begin::<R, Q, C, N, P>(io, &mut lane);
            if !io.vote(lane.alive) {
                break;
            }
            loop {
                let run = io.turn() & lane.alive & none.less_than(lane.steps);
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
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        lane: &mut Lane<R, N, P>,
    ) {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let mut need = none.reaches(lane.steps);
        while need.any() {
            lose_first::<R, Q, N, P>(io, lane, need);
            io.finish(need & lane.alive, lane.loss, lane.back);
            let got = io.acquire(need);
            lane.alive = got | (lane.alive & !need);
            lane.loss = R::select(got, zero, lane.loss);
            lane.p = io.load_p(got, lane.p);
            lane.t0 = io.load_start(got, lane.t0);
            lane.steps = io.load_steps(got, lane.steps);
            if !C::ADAPTIVE {
                // As `integrate` begins a span of fixed steps.
                let span = io.load_end(got, lane.t0) - lane.t0;
                let dt = io.load_dt(got, lane.dt).abs().copysign(span);
                let count = timeline::whole_from_bits::<R>(lane.steps);
                let rest = (R::lit(1.0) - count).mul_add(dt, span);
                lane.dt = R::select(got, dt, lane.dt);
                lane.rest = R::select(got, rest, lane.rest);
            }
            if C::ADAPTIVE && io.stops() {
                last_part::<R, Q, N, P>(io, lane, got);
            }
            lane.saved = io.load_saved(got, lane.saved);
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

    /// Begins at the last segment of spans in lanes `got`.
    fn last_part<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &mut Lane<R, N, P>,
        got: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        lane.to = R::select(got, io.load_end(got, lane.to), lane.to);
        lane.stop = <R::Bits as Bits>::select(got, none, lane.stop);
        let mut more = got;
        while more.any() {
            let next = io.stop_time(more, lane.stop, lane.t0);
            more = more & !next.equals(math::infinity::<R>());
            lane.stop = <R::Bits as Bits>::select(more, lane.stop.wrapping_add(one), lane.stop);
        }
        lane.from = part_begin::<R, Q, N, P>(io, lane, got);
        lane.last = lane.last | got;
    }

    /// Returns the start of the segment after `lane.stop` times to stop at.
    ///
    /// Lanes other than `which` keep theirs.
    fn part_begin<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &Lane<R, N, P>,
        which: R::Mask,
    ) -> R {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let some = which & none.less_than(lane.stop);
        let before = io.stop_time(some, lane.stop.wrapping_sub(one), lane.t0);
        R::select(which, R::select(some, before, lane.t0), lane.from)
    }

    /// Moves lanes `begins` to the previous segment, from the first step of a segment.
    fn part_before<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &mut Lane<R, N, P>,
        begins: R::Mask,
        run: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let some = begins & none.less_than(lane.stop);
        lane.to = R::select(begins, lane.from, lane.to);
        lane.stop = <R::Bits as Bits>::select(some, lane.stop.wrapping_sub(one), lane.stop);
        lane.from = part_begin::<R, Q, N, P>(io, lane, begins);
        lane.last = begins | (lane.last & !run);
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
        lane: &mut Lane<R, N, P>,
        run: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let index = lane.steps.wrapping_sub(one);
        lane.row = io.step(run, &lane.row);
        if !C::ADAPTIVE {
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
        let stops = C::ADAPTIVE && C::TIME_DEPENDENT && io.stops();
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
        let at = timeline::at(t_eval, low, reach, furthest, run);
        let tight = norm::tolerances::<R, N>([R::lit(0.0); N], R::lit(0.0));
        let state = stepper::state::<R, N, P>(lane.row.u, lane.p, lane.row.u, tight);
        let watch = guard::watch::<R>(false, <R::Mask as Mask>::splat(false));
        let ask = stepper::ask::<R>(at, h, none, watch);
        let made = A::make::<R, S, N, P>(system, &state, &ask);
        let mut given = A::nothing::<R, N, P>(lane.back.u);
        let ahead = ahead_of::<R, C, N, P>(lane, index);
        let want = run & is_within::<R>(ahead, h) & none.less_than(lane.saved);
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
        if stops {
            let begins = run & t.equals(lane.from) & low.equals(R::lit(0.0));
            part_before::<R, Q, N, P>(io, lane, begins, run);
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
        lane: &mut Lane<R, N, P>,
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
            let within = M::interpolate::<R, N, P>(state, ask, &step, theta);
            let ends = want & ahead.equals(h);
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
            A::within::<R, N, P>(given, R::select(inside, theta, zero), &g);
            dense = dense | inside;
            lose::<R, N, P>(lane, &lost, want);
            lane.saved = <R::Bits as Bits>::select(want, last, lane.saved);
            let more = want & none.less_than(lane.saved);
            lane.save_at = io.save_time(more, lane.saved.wrapping_sub(one), lane.save_at);
            ahead = ahead_of::<R, C, N, P>(lane, index);
            want = more & is_within::<R>(ahead, h);
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
        lane: &mut Lane<R, N, P>,
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
        lane: &mut Lane<R, N, P>,
        lost: &Lost<R, N, P>,
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
        lane: &Lane<R, N, P>,
        index: R::Bits,
    ) -> R {
        let mut ahead = lane.save_at - lane.row.t;
        if !R::DOUBLE {
            ahead = ahead - lane.row.low;
        }
        if !C::ADAPTIVE {
            let done = timeline::whole_from_bits::<R>(index);
            ahead = (-done).mul_add(lane.dt, lane.save_at - lane.t0);
        }
        ahead
    }

    /// Returns whether a time lies within the step or at its end.
    ///
    /// The beginning of the step is excluded.
    fn is_within<R: Real>(ahead: R, h: R) -> R::Mask {
        let zero = R::lit(0.0);
        R::select(h.lt(zero), -ahead, ahead).gt(zero)
    }
}
