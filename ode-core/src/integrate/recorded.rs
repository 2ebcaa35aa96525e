//! The step records of the adjoint loop, and the position of a lane within them.
//!
//! A forward solve has recorded its steps in rows; a row contains one step of each lane. It has
//! recorded the [actions](crate::integrate::recording) of each lane separately, since they are rare.

pub use device::*;

// A trajectory consists of this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(recorded)]
mod device {
    use crate::integrate::options::{LoopConfig, Source};
    use crate::integrate::recording;
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::{adjoint, timeline};
    use crate::system::System;

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

    /// A recorded action, or a mark among the actions.
    #[derive(Clone, Copy, Debug)]
    pub struct Action<R: Real, const N: usize, const P: usize> {
        /// The number of the action or mark; see [`recording`].
        pub kind: R::Bits,
        /// The time.
        pub t: R,
        /// The state before the action.
        pub u: [R; N],
        /// The parameters, with the modes before the action.
        pub p: [R; P],
    }

    /// Makes an [`Action`].
    pub fn action<R: Real, const N: usize, const P: usize>(
        kind: R::Bits,
        t: R,
        u: [R; N],
        p: [R; P],
    ) -> Action<R, N, P> {
        Action::<R, N, P> { kind, t, u, p }
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
        ///
        /// A trajectory that an event ended may have reached fewer.
        fn load_saved(&self, assigned: R::Mask, saved: R::Bits) -> R::Bits;
        /// Returns the fixed step size in lanes `assigned`, `dt` in others.
        ///
        /// The sign is ignored.
        fn load_dt(&self, assigned: R::Mask, dt: R) -> R;
        /// Returns the seed of the noise, as two words of 32 bits.
        fn noise_seed(&self) -> [R::Bits; 2];
        /// Returns the binary logarithm of the number of steps in a cell of the noise's path.
        fn noise_levels(&self) -> u32;
        /// Moves to the previous row; returns the lanes with a step there.
        ///
        /// Steps count if they belong to the lane's current trajectory.
        fn turn(&mut self) -> R::Mask;
        /// Returns the step of this row in lanes `which`, `row` in others.
        ///
        /// If steps were fixed, only the state need be set, unless there are actions.
        fn step(&self, which: R::Mask, row: &Row<R, N>) -> Row<R, N>;
        /// Returns the lanes with an action after this row's step, and before the next step.
        ///
        /// Actions count if they belong to the lane's current trajectory, and if it succeeded.
        fn acts(&self) -> R::Mask;
        /// Returns the lanes with an action that remains in their current trajectory.
        fn acts_before(&self) -> R::Mask;
        /// Returns the time of the last remaining action; NaN in lanes without one.
        fn time_of_action(&self) -> R;
        /// Returns the last remaining action in lanes `which`, `action` in others.
        ///
        /// The action then no longer remains.
        fn action(&mut self, which: R::Mask, action: &Action<R, N, P>) -> Action<R, N, P>;
        /// Returns the lanes with trajectories that an event or condition ended.
        fn terminated(&self) -> R::Mask;
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
        /// Sets the code of the trajectories of lanes `which`, which have no gradient.
        fn fail(&mut self, which: R::Mask, code: R::Bits);
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
        /// The parameters, with the modes during the current step.
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
        /// This field and the following three belong to steps with recorded times.
        pub from: R,
        /// The end of that segment.
        pub to: R,
        /// The number of times to stop at before that segment.
        pub stop: R::Bits,
        /// Whether the step ends at the end of that segment.
        pub last: R::Mask,
        /// Whether an event or condition ended the trajectory after the next action to undo.
        ///
        /// This field and the following ones belong to systems with
        /// [actions](crate::integrate::saltation).
        pub over: R::Mask,
        /// Whether an action with the same cause was undone here.
        pub open: R::Mask,
        /// The derivative with respect to the common time of these actions, apart from the part of
        /// the state before them, with the opposite sign.
        pub gain: R,
        /// The event at the end of the step, counted from one; zero if none.
        pub event: R::Bits,
        /// The speed at which its function crosses zero.
        pub speed: R,
        /// Whether the time of an event or of a jump has no derivative.
        pub grazed: R::Mask,
        /// Whether the lane has a trajectory.
        pub alive: R::Mask,
        /// The number of the path of the noise, for systems with noise.
        pub number: [R::Bits; 2],
    }

    /// Returns a lane without a trajectory.
    pub fn idle<R: Real, const N: usize, const P: usize>(p: [R; P]) -> Lane<R, N, P> {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        Lane::<R, N, P> {
            back: adjoint::back::<R, N, P>([zero; N], [zero; P]),
            loss: zero,
            p,
            row: row::<R, N>(zero, zero, zero, [zero; N]),
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
            over: nobody,
            open: nobody,
            gain: zero,
            event: none,
            speed: zero,
            grazed: nobody,
            alive: nobody,
            number: [none; 2],
        }
    }

    /// Begins at the last segment of spans in lanes `got`.
    pub fn last_segment<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
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
        lane.from = segment_begin::<R, Q, N, P>(io, lane, got);
        lane.last = lane.last | got;
    }

    /// Returns the start of the segment after `lane.stop` times to stop at.
    ///
    /// Lanes other than `which` keep theirs.
    fn segment_begin<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
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
    pub fn segment_before<R: Real, Q: RecordSource<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        lane: &mut Lane<R, N, P>,
        begins: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let some = begins & none.less_than(lane.stop);
        lane.to = R::select(begins, lane.from, lane.to);
        lane.stop = <R::Bits as Bits>::select(some, lane.stop.wrapping_sub(one), lane.stop);
        lane.from = segment_begin::<R, Q, N, P>(io, lane, begins);
        lane.last = lane.last | begins;
    }

    /// Begins at the recorded end of trajectories in lanes `got` with a record.
    ///
    /// Their modes, their segments and their saved times are those at the end.
    pub fn last_action<
        R: Real,
        S: System<N, P>,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        lane: &mut Lane<R, N, P>,
        got: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let which = got & io.acts_before();
        let end = io.action(which, &action::<R, N, P>(none, lane.t0, lane.row.u, lane.p));
        set_modes::<R, S, N, P>(lane, &end.p, which);
        lane.over = (lane.over & !got) | (which & io.terminated());
        lane.open = lane.open & !got;
        lane.event = <R::Bits as Bits>::select(got, none, lane.event);
        if io.stops() {
            let passed = end.kind.wrapping_sub(<R::Bits as Bits>::lit(recording::END as u64));
            lane.stop = <R::Bits as Bits>::select(which, passed, lane.stop);
            let finish = io.load_end(which, lane.to);
            let next = io.stop_time(which, lane.stop, finish);
            let next = R::select(next.equals(math::infinity::<R>()), finish, next);
            lane.to = R::select(which, next, lane.to);
            lane.from = segment_begin::<R, Q, N, P>(io, lane, which);
            lane.last = (lane.last & !which) | (which & end.t.equals(lane.to));
        }
        // Saved times that the trajectory did not reach.
        let sign = R::lit(1.0).copysign(io.load_end(which, lane.t0) - lane.t0);
        let mut reach = end.t.abs() * timeline::few_units::<R>();
        if !C::EVENTS && !C::SCHEDULED {
            reach = R::lit(0.0);
        }
        if C::NOISE {
            // As in `advance::reach_of`.
            reach = timeline::edge(end.t, lane.dt, end.t);
        }
        let mut look = lane.over & which & none.less_than(lane.saved);
        while look.any() {
            let before = lane.saved.wrapping_sub(one);
            let ahead = (io.save_time(look, before, end.t) - end.t) * sign;
            look = look & ahead.gt(reach);
            lane.saved = <R::Bits as Bits>::select(look, before, lane.saved);
            look = look & none.less_than(lane.saved);
        }
    }

    /// Sets the modes of lanes `which` to those among the parameters `p`.
    pub fn set_modes<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        lane: &mut Lane<R, N, P>,
        p: &[R; P],
        which: R::Mask,
    ) {
        for d in 0..S::MODES {
            let mode = S::FIRST_MODE + d;
            lane.p[mode] = R::select(which, p[mode], lane.p[mode]);
        }
    }
}
