//! The operations on a group of lockstep members.
//!
//! Members have one time and one size of each step. [`lockstep`](crate::integrate::lockstep) has
//! the loop.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(members)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink, Source};
    use crate::integrate::{
        actions, advance, armed, attempt, begin, dense, effects, events, lane, locate, sides,
        thinning,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, guard, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Members begin at the start of the span.
    pub const FIRST: u32 = 0;
    /// Members begin the next segment of the span.
    pub const NEXT: u32 = 1;
    /// Members restart carefully.
    pub const ANEW: u32 = 2;
    /// Members continue at their time, after others were dropped.
    pub const HERE: u32 = 3;
    /// Members are at the end.
    pub const OVER: u32 = 4;

    /// A group of members, one in each lane.
    #[derive(Clone, Copy, Debug)]
    pub struct Group<R: Real, const N: usize, const P: usize> {
        /// The states.
        pub u: [R; N],
        /// The derivatives, for methods with [`Stepper::FSAL`].
        pub du: [R; N],
        /// The parameters.
        pub p: [R; P],
        /// Lanes with a member that has not been dropped.
        pub goes: R::Mask,
        /// Whether short steps have a negative determinant, in systems with a mass matrix.
        pub mirrored: R::Mask,
        /// The cause of failure, or zero.
        ///
        /// With adaptive steps, this is the code with which a member would fail now, since its last
        /// step was too long for it. With fixed steps, it is the first error.
        pub code: R::Bits,
        /// The sides of their event functions, in systems with events.
        pub armed: armed::Armed<R>,
        /// The events of the last attempted step, in systems with events or conditions.
        pub occurred: armed::Occurred<R>,
    }

    /// Returns a group before its members begin.
    pub fn blank<R: Real, const N: usize, const P: usize>() -> Group<R, N, P> {
        let zero = R::lit(0.0);
        let armed = armed::unarmed::<R>();
        Group::<R, N, P> {
            u: [zero; N],
            du: [zero; N],
            p: [zero; P],
            goes: <R::Mask as Mask>::splat(true),
            mirrored: <R::Mask as Mask>::splat(false),
            code: <R::Bits as Bits>::lit(0),
            armed,
            occurred: armed::quiet::<R>(&armed),
        }
    }

    /// Begins the members of a group, and drops members that cannot begin.
    ///
    /// `how` is the reason for the start. Returns the size of each member's first step if steps are
    /// adaptive. `lane` is the clock of all members.
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
        group: &mut Group<R, N, P>,
        lane: &lane::Lane<R>,
        how: u32,
    ) -> R {
        let mut lane = armed::watched::<R>(lane, &group.armed);
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
            let mut anew = <R::Mask as Mask>::splat(how == ANEW);
            let mut again = <R::Mask as Mask>::splat(how == NEXT);
            if C::WATCHES || C::SCHEDULED {
                // Dropped members keep their counts.
                anew = anew & group.goes;
                again = again & group.goes;
            }
            let reasons = begin::need::<R>(over, anew, again);
            // Lockstep refuses jumps.
            let mut clocks = thinning::stopped::<R>();
            let ended = begin::begin::<R, S, M, Q, C, N, P>(
                system,
                io,
                o,
                &mut state,
                &mut lane,
                &mut clocks,
                all,
                &reasons,
            );
            let bad = ended & (none.less_than(lane.code) | lane::is_unsound::<R>(&lane));
            let bad = bad & group.goes & lane.alive;
            begin::count_attempts::<R, M, C, N>(o, &mut lane, bad);
            let end = begin::ending::<R, M, C, N>(&lane, &state.u);
            actions::hand_in::<R, S, Q, N, P>(io, &state.p, bad);
            io.finish(bad, state.u, end);
            group.goes = group.goes & lane.alive & !bad;
            group.u = state.u;
            group.du = state.du;
            group.p = state.p;
            group.mirrored = lane.mirrored;
            group.armed = armed::armed_of::<R>(&lane);
        }
        group.code = none;
        if C::ADAPTIVE && C::BOUNDED {
            lane.plan = attempt::bounded::<R, S, N, P>(system, o, &state, &lane);
        }
        timeline::planned(lane.t0, R::lit(0.0), lane.plan).abs()
    }

    /// The results of an attempted step of a group.
    #[derive(Clone, Copy, Debug)]
    pub struct Tried<R: Real, const N: usize> {
        /// The new states.
        pub u: [R; N],
        /// Their derivatives, for methods with [`Stepper::FSAL`].
        pub du: [R; N],
        /// The scaled error of each member, squared, at most [`norm::SQUARE_MAX`].
        ///
        /// Zero for dropped members.
        pub square: R,
        /// The longest next step that the system's bounds allow each member.
        ///
        /// With adaptive steps only; infinite for dropped members.
        pub longest: R,
        /// The [code](Group::code) of each member from now on.
        pub code: R::Bits,
        /// Members that fail even with the shortest step.
        pub hopeless: R::Mask,
        /// Members with an error beyond all bounds.
        pub beyond: R::Mask,
        /// Members that need a shorter step.
        pub fails: R::Mask,
        /// Members with a step that ended without a new state.
        pub unsolved: R::Mask,
        /// Members with a step beyond the pole of a growing mode; see [`guard`].
        pub grows: R::Mask,
        /// Members with an interpolant that [misses](dense) the solution at the next saved time.
        ///
        /// In systems with events, it may also miss the solution anywhere.
        pub misses: R::Mask,
        /// The events of the step.
        pub occurred: armed::Occurred<R>,
        /// The size of the step to each member's first event that ends it or acts.
        ///
        /// Infinite if none is within the step.
        pub nearest: R,
        /// Members with an event that affects them, or a condition that holds.
        pub happens: R::Mask,
    }

    /// Attempts a step of a group, saves the states within it, and finds its events.
    ///
    /// If the step is rejected, the step that replaces it saves these states again, and finds its
    /// own events. So `io` logs events as if the step were accepted, and delays their counts.
    pub fn attempt<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
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
        if M::GUARDS && C::MASS {
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
        if C::ADAPTIVE && M::GUARDS && C::CHECKS_INTERPOLANT {
            let mut within = nobody;
            if C::EVENTS {
                within = dense::can_halve::<R, N>(o, &lane, &trial, group.goes);
            }
            if io.saves() {
                let free = lane.pending.equals(none);
                let saves = dense::saves_within::<R, N>(o, &lane, &trial, group.goes);
                within = within | (free & saves);
            }
            misses = dense::misses::<R, S, M, N, P>(system, &state, &trial.ask, &step, within);
        }
        let mut du = group.du;
        if M::FSAL {
            du = M::du_after::<R, N>(&step.k);
        }
        let mut occurred = armed::quiet::<R>(&group.armed);
        let mut nearest = math::infinity::<R>();
        let mut happens = nobody;
        if C::WATCHES {
            let mut own = armed::watched::<R>(&lane, &group.armed);
            own.pending = armed::pending_of::<R>(&lane, &trial, &group.occurred);
            own.code = none;
            let made = step.code.equals(none);
            let moves = trial.run & lane.alive & made;
            sides::settle::<R, S, N, P>(system, &state, &mut own, trial.run);
            own.unsettled = own.unsettled | !own.pending.equals(none);
            let before = own;
            let mut found =
                events::watch::<R, S, M, C, N, P>(system, &state, &own, &trial, &step, moves);
            events::find::<R, S, M, Q, C, N, P>(
                system, io, &state, &mut own, &before, &trial, &step, &mut found,
            );
            if C::EVENTS && !M::FSAL && !C::MASS {
                du = vector::choose::<R, N>(found.goes, found.du, du);
            }
            let broken = !own.code.equals(none);
            if !C::ADAPTIVE {
                code = <R::Bits as Bits>::select(broken, own.code, code);
            }
            // Each member counts the corrections of its steps to events, until a step is accepted.
            let earlier = locate::corrections_of::<R>(group.occurred.event);
            let earlier = <R::Bits as Bits>::select(lane.pending.equals(none), none, earlier);
            let latest = locate::corrections_of::<R>(found.event);
            let most = <R::Bits as Bits>::select(earlier.less_than(latest), latest, earlier);
            occurred.sides = own.sides;
            occurred.known = own.known;
            occurred.event = locate::crossing_of::<R>(found.event) | most;
            occurred.size = found.size;
            occurred.fired = found.fired;
            occurred.here = found.here;
            occurred.held = found.held;
            occurred.holds = found.holds;
            occurred.broken = broken;
            nearest = R::select(found.cut, found.size.abs(), nearest);
            happens = found.cut | found.holds | broken;
            happens = happens | (found.goes & !found.fired.equals(none));
        }
        if C::SAVES && io.saves() {
            advance::record::<R, S, M, Q, C, N, P>(
                system, io, o, &state, &mut lane, &trial, &mut step, group.goes,
            );
        }
        let mut longest = math::infinity::<R>();
        if C::ADAPTIVE && C::BOUNDED {
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
            occurred,
            nearest,
            happens,
        }
    }

    /// The effects of an accepted step's events on the next step.
    #[derive(Clone, Copy, Debug)]
    pub struct Acted<R: Real> {
        /// Members with an event at the end of the step that ended them or acted.
        pub fired: R::Mask,
        /// The size of the next step of each member that goes on after an action.
        ///
        /// Infinite for other members.
        pub size: R,
        /// The longest next step that the system's bounds allow each member.
        pub longest: R,
    }

    /// Runs the actions at the end of an accepted step, and delivers members that end there.
    ///
    /// The step has the size `h`. `arrived`: the step went to an event. `lane` is the clock at the
    /// end of the step.
    pub fn act<
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
        group: &mut Group<R, N, P>,
        lane: &lane::Lane<R>,
        h: R,
        arrived: R::Mask,
    ) -> Acted<R> {
        let none = <R::Bits as Bits>::lit(0);
        let goes = group.goes;
        let mut lane = armed::watched::<R>(lane, &group.armed);
        lane.mirrored = group.mirrored;
        lane.code = none;
        if !C::ADAPTIVE {
            lane.code = group.code;
        }
        let mut tolerances = o.tolerances;
        if !C::ADAPTIVE {
            tolerances = norm::tight::<R, N>(&o.tolerances);
        }
        let mut state = stepper::state::<R, N, P>(group.u, group.p, group.du, tolerances);
        let mut found = events::nothing::<R, N>();
        found.goes = goes;
        found.fired = <R::Bits as Bits>::select(goes, group.occurred.fired, none);
        found.here = <R::Bits as Bits>::select(goes, group.occurred.here, none);
        found.held = <R::Bits as Bits>::select(goes, group.occurred.held, none);
        found.holds = goes & group.occurred.holds;
        found.du = group.du;
        let fired = !found.fired.equals(none);
        let mut ended = <R::Mask as Mask>::splat(false);
        let mut at_end = ended;
        if C::ADAPTIVE {
            at_end = lane::is_at_end::<R>(&lane);
            let broken = goes & group.occurred.broken;
            let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
            lane.code = <R::Bits as Bits>::select(broken, non_finite, lane.code);
            let last = <R::Bits as Bits>::select(at_end, lane.last_attempt, lane.attempts);
            lane.last_attempt = <R::Bits as Bits>::select(broken, last, lane.last_attempt);
            ended = broken;
        }
        let mut size = math::infinity::<R>();
        if (fired | found.holds).any() {
            let over = effects::happen::<R, S, M, Q, C, N, P>(
                system, io, o, &mut state, &mut lane, h, arrived, none, &found,
            );
            ended = ended | over;
            let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
            let by_condition = <R::Bits as Bits>::lit(S::CONDITIONS_ACTING as u64);
            let mut acts = !(found.fired & acting).equals(none);
            acts = acts | !(found.held & by_condition).equals(none);
            if C::ADAPTIVE {
                let next = timeline::planned(lane.t, lane.t_low, lane.plan).abs();
                size = R::select(goes & acts & !ended & !at_end, next, size);
            }
        }
        ended = ended & goes;
        begin::count_attempts::<R, M, C, N>(o, &mut lane, ended);
        let end = begin::ending::<R, M, C, N>(&lane, &state.u);
        actions::hand_in::<R, S, Q, N, P>(io, &state.p, ended);
        io.finish(ended, state.u, end);
        group.goes = goes & !ended;
        group.u = state.u;
        group.du = state.du;
        group.p = state.p;
        group.mirrored = lane.mirrored;
        group.armed = armed::armed_of::<R>(&lane);
        if !C::ADAPTIVE {
            group.code = lane.code;
        }
        let mut longest = math::infinity::<R>();
        if C::ADAPTIVE && C::BOUNDED {
            let direction = lane.t1 - lane.t0;
            let bound = attempt::bound::<R, S, N, P>(system, &group.u, &group.p, lane.t, direction);
            longest = R::select(group.goes, bound, longest);
        }
        Acted::<R> { fired, size, longest }
    }

    /// The bit of a [code](Group::code) for members that fail even with the shortest step.
    pub const HOPELESS: u64 = 16;

    /// Returns the members with a step of `1/SOON` of this size beyond the pole.
    ///
    /// The step begins at their states or, in lanes `ends`, at the new states.
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

    /// The reasons why members are dropped, besides steps that fail at any size.
    #[derive(Clone, Copy, Debug)]
    pub struct Leave<R: Real> {
        /// The step cannot be shortened: drop members with a last step that was too long.
        pub stuck: R::Mask,
        /// The next step would be too short: drop members with errors that need such a step.
        pub short: R::Mask,
        /// Drop all members.
        pub everyone: R::Mask,
        /// The controller's memory before the attempt.
        pub control: control::Memory<R>,
        /// The size of the attempted step.
        pub h: R,
    }

    /// Makes a [`Leave`].
    pub fn why<R: Real>(
        stuck: R::Mask,
        short: R::Mask,
        everyone: R::Mask,
        control: control::Memory<R>,
        h: R,
    ) -> Leave<R> {
        Leave::<R> { stuck, short, everyone, control, h }
    }

    /// Drops members that fail even with the shortest step, and members for another reason `why`.
    ///
    /// `square` has the scaled errors of the last attempt, squared. `lane` is the clock of all
    /// members, after its attempts were counted.
    pub fn leave<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
        o: &options::Options<R, N>,
        group: &mut Group<R, N, P>,
        square: R,
        lane: &lane::Lane<R>,
        why: &Leave<R>,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let mark = <R::Bits as Bits>::lit(HOPELESS);
        let hopeless = none.less_than(group.code & mark);
        let n = R::lit(N as f64);
        let own = control::decide::<R>(square, n, &why.control, &o.law, o.kind);
        let size = why.h * R::from_single(own.factor);
        let short = why.short & size.abs().le(o.dtmin);
        let stuck = why.stuck & none.less_than(group.code);
        let who = group.goes & (hopeless | stuck | short | why.everyone);
        let mut over = *lane;
        let cause = group.code & !mark;
        over.code = <R::Bits as Bits>::select(none.less_than(cause), cause, lane.code);
        let end = begin::ending::<R, M, C, N>(&over, &group.u);
        actions::hand_in::<R, S, Q, N, P>(io, &group.p, who);
        io.finish(who, group.u, end);
        group.goes = group.goes & !who;
    }

    /// Delivers the results of a group at the end.
    ///
    /// `lane` is the clock of all members, after its attempts were counted.
    pub fn finish<
        R: Real,
        S: System<N, P>,
        M: Stepper,
        Q: Source<R, N, P> + Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
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
        actions::hand_in::<R, S, Q, N, P>(io, &group.p, group.goes);
        io.finish(group.goes, group.u, end);
    }
}
