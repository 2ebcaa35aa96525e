//! What is done to a group of columns: trajectories that go in step, with one time and one size of
//! each step for all of them. [`lockstep`](crate::integrate::lockstep) has the loop.

pub use device::*;

// The number of arguments is that of what a step depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(columns)]
mod device {
    use crate::integrate::options::{self, Plan, Sink, Source};
    use crate::integrate::{advance, attempt, begin, dense, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Columns begin at the beginning of the span.
    pub const FIRST: u32 = 0;
    /// Columns begin the next part of the span.
    pub const NEXT: u32 = 1;
    /// Columns begin anew, carefully.
    pub const ANEW: u32 = 2;
    /// Columns go on where they are, after others were left behind.
    pub const HERE: u32 = 3;
    /// Columns are at the end.
    pub const OVER: u32 = 4;

    /// A group of columns, one in each lane.
    #[derive(Clone, Copy, Debug)]
    pub struct Group<R: Real, const N: usize, const P: usize> {
        /// The states.
        pub u: [R; N],
        /// The derivatives, for methods with [`Stepper::FSAL`].
        pub du: [R; N],
        /// The parameters.
        pub p: [R; P],
        /// Lanes that have a column which is not left behind.
        pub goes: R::Mask,
        /// Whether the determinant of short steps is negative, where there is a mass matrix.
        pub mirrored: R::Mask,
        /// With adaptive steps, why a column would be given up whose last step was too long for it,
        /// and zero for others; with fixed steps, what went wrong first.
        pub code: R::Bits,
    }

    /// Columns before they begin.
    pub fn blank<R: Real, const N: usize, const P: usize>() -> Group<R, N, P> {
        let zero = R::lit(0.0);
        Group::<R, N, P> {
            u: [zero; N],
            du: [zero; N],
            p: [zero; P],
            goes: <R::Mask as Mask>::splat(true),
            mirrored: <R::Mask as Mask>::splat(false),
            code: <R::Bits as Bits>::lit(0),
        }
    }

    /// Begins the columns of a group, for the reason `how`; those that cannot begin are left behind.
    /// Returns the size of each column's first step, where steps are adaptive. `lane` is the time
    /// that all have.
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
        group: &mut Group<R, N, P>,
        lane: &lane::Lane<R>,
        how: u32,
    ) -> R {
        let mut lane = *lane;
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        let all = <R::Mask as Mask>::splat(true);
        let mut tolerances = o.tolerances;
        if !C::ADAPTIVE {
            tolerances = norm::tight::<R, N>(&o.tolerances);
        }
        let mut state = stepper::state::<R, N, P>(group.u, group.p, group.du, tolerances);
        if how == HERE {
            let t = lane.t;
            lane.t0 = t;
            let begun = begin::begun::<R>(nobody, nobody, all);
            let k = begin::derivative::<R, S, M, N, P>(system, o, &mut state, &mut lane, &begun, t);
            begin::plan::<R, S, M, N, P>(system, o, &state, &mut lane, &begun, t, &k);
            group.u = state.u;
            group.du = state.du;
        } else {
            let over = <R::Mask as Mask>::splat(how == FIRST);
            let anew = <R::Mask as Mask>::splat(how == ANEW);
            let again = <R::Mask as Mask>::splat(how == NEXT);
            let reasons = begin::need::<R>(over, anew, again);
            let ended = begin::begin::<R, S, M, Q, C, N, P>(
                system, feed, o, &mut state, &mut lane, all, &reasons,
            );
            // One attempt of none that are allowed is the mark of what cannot be solved.
            let bad = ended & (none.less_than(lane.code) | none.less_than(lane.attempts));
            let bad = bad & group.goes & lane.alive;
            begin::count_attempts::<R, M, C, N>(o, &mut lane, bad);
            let end = begin::ending::<R, M, C, N>(&lane, &state.u);
            feed.finish(bad, state.u, end);
            group.goes = group.goes & lane.alive & !bad;
            group.u = state.u;
            group.du = state.du;
            group.p = state.p;
            group.mirrored = lane.mirrored;
        }
        group.code = none;
        if C::ADAPTIVE && S::BOUNDS > 0 {
            lane.plan = attempt::bounded::<R, S, N, P>(system, o, &state, &lane);
        }
        timeline::planned(lane.t0, R::lit(0.0), lane.plan).abs()
    }

    /// What the attempt of a step made of the columns of a group.
    #[derive(Clone, Copy, Debug)]
    pub struct Tried<R: Real, const N: usize> {
        /// The new states.
        pub u: [R; N],
        /// Their derivatives, for methods with [`Stepper::FSAL`].
        pub du: [R; N],
        /// The scaled error of each column, squared, at most [`norm::SQUARE_MAX`]; zero for columns
        /// that are left behind.
        pub square: R,
        /// The longest next step that the system's bounds allow each column, with adaptive steps;
        /// infinite for columns that are left behind.
        pub longest: R,
        /// The [code](Group::code) of each column from now on.
        pub code: R::Bits,
        /// Columns that no step is short enough for.
        pub hopeless: R::Mask,
        /// Columns whose error is beyond all bounds.
        pub beyond: R::Mask,
        /// Columns whose step is too long for them.
        pub fails: R::Mask,
        /// Columns whose step ended without a new state.
        pub unsolved: R::Mask,
        /// Columns in which the step is beyond the pole of a growing mode; see [`guard`].
        pub grows: R::Mask,
        /// Columns with the next saved time within the step, whose interpolant [misses](dense) the
        /// solution.
        pub misses: R::Mask,
    }

    /// Attempts a step of the columns of a group, and saves the states within it, which a step that
    /// is attempted instead saves again.
    pub fn attempt<
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
        group: &Group<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
    ) -> Tried<R, N> {
        let none = <R::Bits as Bits>::lit(0);
        let nobody = <R::Mask as Mask>::splat(false);
        let mut lane = *lane;
        let mut trial = *trial;
        let runs = (trial.run | trial.looks) & group.goes;
        trial.run = trial.run & group.goes;
        trial.ask.at.run = trial.ask.at.run & group.goes;
        if M::GUARDS && S::MASS {
            trial.ask.watch = guard::watch::<R>(o.guard != guard::OFF, group.mirrored);
        }
        let mut tolerances = o.tolerances;
        if !C::ADAPTIVE {
            tolerances = norm::tight::<R, N>(&o.tolerances);
        }
        let state = stepper::state::<R, N, P>(group.u, group.p, group.du, tolerances);
        let mut step = attempt::attempt::<R, S, M, N, P>(system, &state, &trial.ask);
        let unsolved = group.goes & none.less_than(step.code);
        let mut square = R::lit(0.0);
        let mut code = <R::Bits as Bits>::select(group.code.equals(none), step.code, group.code);
        let mut fails = nobody;
        let mut hopeless = nobody;
        let mut beyond = nobody;
        if C::ADAPTIVE {
            let most = R::lit(norm::SQUARE_MAX);
            let error = attempt::squared_error::<R, S, M, N, P>(&state, &trial.ask, &step);
            square = R::select(group.goes, error.at_most(most), square);
            fails = group.goes & !error.le(R::lit(N as f64));
            code = none;
            if fails.any() {
                let before = M::du_before::<R, N>(&step.k);
                hopeless = fails & !norm::is_finite::<R, N>(&before);
                let cause = advance::cause::<R>(hopeless, error, step.code);
                code = <R::Bits as Bits>::select(fails, cause, none);
                beyond = fails & !error.lt(most);
                if S::HAS_DOMAIN {
                    let stays = advance::stays_outside::<R, N, P, M::Kept<R, N>>(&state, &step);
                    hopeless = hopeless | (fails & stays);
                }
                let marked = code | <R::Bits as Bits>::lit(HOPELESS);
                code = <R::Bits as Bits>::select(hopeless, marked, code);
            }
        }
        let mut grows = nobody;
        if M::GUARDS {
            // Pivots that are NaN may have either sign.
            grows = runs & step.grows & norm::is_finite::<R, N>(&step.u);
        }
        let mut misses = nobody;
        if C::ADAPTIVE && M::GUARDS && S::ALGEBRAIC > 0 && C::SAVES && feed.saves() {
            let within = dense::saves_within::<R, N>(o, &lane, &trial, group.goes);
            misses = dense::misses::<R, S, M, N, P>(system, &state, &trial.ask, &step, within);
        }
        if C::SAVES && feed.saves() {
            advance::record::<R, S, M, Q, C, N, P>(
                system, feed, o, &state, &mut lane, &trial, &mut step, group.goes,
            );
        }
        let mut du = group.du;
        if M::FSAL {
            du = M::du_after::<R, N>(&step.k);
        }
        let mut longest = math::infinity::<R>();
        if C::ADAPTIVE && S::BOUNDS > 0 {
            let end = R::select(trial.last, lane.t1, trial.next.t);
            let bound = attempt::bound::<R, S, N, P>(system, &step.u, &group.p, end, trial.ask.h);
            longest = R::select(group.goes, bound, longest);
        }
        Tried::<R, N> {
            u: step.u,
            du,
            square,
            longest,
            code,
            hopeless,
            beyond,
            fails,
            unsolved,
            grows,
            misses,
        }
    }

    /// The bit of a [code](Group::code) that says that no step is short enough.
    pub const HOPELESS: u64 = 16;

    /// Columns that go on, and in which a step of `1/SOON` times this size is beyond the pole: from
    /// their states, or where `ends` from the new ones.
    pub fn passes_soon<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        group: &Group<R, N, P>,
        new: &[R; N],
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        ends: R::Mask,
    ) -> R::Mask {
        let solved = group.goes & trial.run & norm::is_finite::<R, N>(new);
        let mut mirrored = lane.mirrored;
        if S::MASS {
            mirrored = group.mirrored;
        }
        let u = vector::choose::<R, N>(ends, *new, group.u);
        solved
            & attempt::passes_soon::<R, S, M, N, P>(system, u, group.p, &trial.ask, ends, mirrored)
    }

    /// Leaves columns behind: those that no step is short enough for, where steps are `stuck` those
    /// whose last step was too long, and where it is for `everyone` all. `lane` is the time that all
    /// have, with its attempts counted.
    pub fn leave<
        R: Real,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: Plan,
        const N: usize,
        const P: usize,
    >(
        feed: &mut Q,
        group: &mut Group<R, N, P>,
        lane: &lane::Lane<R>,
        stuck: R::Mask,
        everyone: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let mark = <R::Bits as Bits>::lit(HOPELESS);
        let hopeless = none.less_than(group.code & mark);
        let who = group.goes & (hopeless | (stuck & none.less_than(group.code)) | everyone);
        let mut over = *lane;
        let cause = group.code & !mark;
        over.code = <R::Bits as Bits>::select(none.less_than(cause), cause, lane.code);
        let end = begin::ending::<R, M, C, N>(&over, &group.u);
        feed.finish(who, group.u, end);
        group.goes = group.goes & !who;
    }

    /// Hands in the columns of a group at their end. `lane` is the time that all have, with its
    /// attempts counted.
    pub fn finish<
        R: Real,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: Plan,
        const N: usize,
        const P: usize,
    >(
        feed: &mut Q,
        group: &Group<R, N, P>,
        lane: &lane::Lane<R>,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let mut over = *lane;
        if !C::ADAPTIVE {
            let own = <R::Bits as Bits>::select(none.less_than(group.code), group.code, lane.code);
            over.code = own;
        }
        let end = begin::ending::<R, M, C, N>(&over, &group.u);
        feed.finish(group.goes, group.u, end);
    }
}
