//! Random jumps, whose rates depend on state, parameters and time: thinning.
//!
//! A jump has a rate, and a bound of the rate. The *candidates* of a jump are a Poisson process with
//! the rate of the bound. At each candidate the rate is evaluated, and the jump occurs with the
//! probability `rate / bound`. The times of the jumps then have the given rate: P. A. W. Lewis, G. S.
//! Shedler, *Simulation of nonhomogeneous Poisson processes by thinning* (Naval Research Logistics
//! Quarterly 26, 1979); Y. Ogata, *On Lewis' simulation method for point processes* (IEEE
//! Transactions on Information Theory 27, 1981), for rates that depend on the past.
//!
//! The gap before a candidate is an exponential number, divided by the bound. A candidate also has a
//! level between 0 and 1, and the jump occurs if the level is below `rate / bound`. Gaps, levels and
//! the numbers of actions are functions of seed, path, jump and candidate
//! ([`arrivals`](crate::random::arrivals)), so steps, saved times and lanes change no candidate.
//!
//! The lane stores the time of the next candidate of each jump. The earliest one ends a segment of
//! the span, as the due time of a [delayed action](crate::integrate::delays) does. So no step
//! contains a candidate, and the hot loop has no code for jumps. At the start of the next segment the
//! candidates run that are due.
//!
//! # Bounds that change
//!
//! A bound holds up to the next candidate or action, and is evaluated again there. If it differs, the
//! rest of the gap, times the old bound, is an exponential number still. The rest is divided by the
//! new bound. (T. G. Kurtz, *Representations of Markov processes as multiparameter time changes*,
//! Annals of Probability 8, 1980.) If the bound is zero, the lane stores this number until the bound
//! is positive.

pub use device::*;

// A candidate depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(thinning)]
mod device {
    use crate::integrate::options::{self, Sink};
    use crate::integrate::{actions, consistent, lane, logged, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, norm, stepper, timeline, vector};
    use crate::system::System;

    /// The next candidates of a lane's trajectory.
    #[derive(Clone, Copy, Debug)]
    pub struct Clocks<R: Real> {
        /// The times of the next candidates.
        ///
        /// If a bound is zero, this is the exponential number that remains.
        pub next: [R; options::MOST_JUMPS],
        /// The bounds of the rates.
        pub bounds: [R; options::MOST_JUMPS],
        /// The numbers of candidates so far.
        pub candidates: [R::Bits; options::MOST_JUMPS],
    }

    /// Returns the clocks before the first trajectory.
    pub fn stopped<R: Real>() -> Clocks<R> {
        Clocks::<R> {
            next: [R::lit(0.0); options::MOST_JUMPS],
            bounds: [R::lit(0.0); options::MOST_JUMPS],
            candidates: [<R::Bits as Bits>::lit(0); options::MOST_JUMPS],
        }
    }

    /// Returns the lanes with a candidate of jump `index` that is due at the time `now`.
    fn is_due<R: Real>(clocks: &Clocks<R>, index: usize, now: R) -> R::Mask {
        let ahead = clocks.next[index] - now;
        let near = now.abs() * timeline::few_units::<R>();
        clocks.bounds[index].gt(R::lit(0.0)) & ahead.le(near)
    }

    /// Starts the clocks of lanes `fresh`, which begin a trajectory, and resets their counts.
    pub fn start<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        io: &mut Q,
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
        clocks: &mut Clocks<R>,
        fresh: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let zero = R::lit(0.0);
        let mut jump = none;
        for j in 0..S::JUMPS {
            io.set_event_count(fresh, actions::jump::<R, S, N, P>(j), none);
            let numbers = S::jump_candidate::<R>(o.noise_seed, lane.number, jump, none);
            jump = jump.wrapping_add(<R::Bits as Bits>::lit(1));
            clocks.next[j] = R::select(fresh, numbers[0], clocks.next[j]);
            clocks.bounds[j] = R::select(fresh, zero, clocks.bounds[j]);
            clocks.candidates[j] = <R::Bits as Bits>::select(fresh, none, clocks.candidates[j]);
        }
    }

    /// Evaluates the bounds again in lanes `which`, at the time `now`.
    ///
    /// A bound that is no rate gives a lane a code.
    pub fn renew<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        clocks: &mut Clocks<R>,
        which: R::Mask,
        now: R,
    ) {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        for j in 0..S::JUMPS {
            let old = clocks.bounds[j];
            let new = system.jump_bound(j, &state.u, &state.p, now);
            let sound = new.ge(zero) & norm::is_finite::<R, 1>(&[new]);
            let unsound = which & !sound & lane.code.equals(none);
            let broken = <R::Bits as Bits>::lit(code::RATE);
            lane.code = <R::Bits as Bits>::select(unsound, broken, lane.code);
            let changes = which & sound & !new.equals(old);
            if changes.any() {
                let rest = ((clocks.next[j] - now) * old).max(zero);
                let rest = R::select(old.gt(zero), rest, clocks.next[j]);
                let next = R::select(new.gt(zero), now + rest / new, rest);
                clocks.next[j] = R::select(changes, next, clocks.next[j]);
                clocks.bounds[j] = R::select(changes, new, clocks.bounds[j]);
            }
        }
    }

    /// Ends the current segment of lanes `which` at their earliest candidates.
    pub fn shorten<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        lane: &mut lane::Lane<R>,
        clocks: &Clocks<R>,
        which: R::Mask,
    ) {
        for j in 0..S::JUMPS {
            // A candidate at the end of the segment, up to rounding, is due there.
            let near = lane.t1.abs() * timeline::few_units::<R>();
            let sooner = (lane.t1 - clocks.next[j]).gt(near);
            let sooner = which & sooner & clocks.bounds[j].gt(R::lit(0.0));
            lane.t1 = R::select(sooner, clocks.next[j], lane.t1);
        }
    }

    /// Moves candidates that are due at the time `now` by a few units, in lanes `which`.
    fn defer<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        clocks: &mut Clocks<R>,
        which: R::Mask,
        now: R,
    ) {
        let later = now + now.abs() * (timeline::few_units::<R>() * R::lit(4.0));
        for j in 0..S::JUMPS {
            let late = which & is_due::<R>(clocks, j, now);
            clocks.next[j] = R::select(late, later, clocks.next[j]);
        }
    }

    /// Evaluates the bounds after an action within a segment, in lanes `which`.
    ///
    /// Returns the lanes with an earlier end of their segment. A candidate that is due at once runs a
    /// few units later.
    pub fn renew_within<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        clocks: &mut Clocks<R>,
        which: R::Mask,
    ) -> R::Mask {
        let end = lane.t1;
        renew::<R, S, N, P>(system, state, lane, clocks, which, lane.t);
        defer::<R, S, N, P>(clocks, which, lane.t);
        shorten::<R, S, N, P>(lane, clocks, which);
        which & !lane.t1.equals(end)
    }

    /// Runs the candidates that are due when lanes `begins` start a segment.
    ///
    /// Returns the lanes with a jump. Lanes `fresh` begin a trajectory, and lanes `acted` begin after
    /// another action.
    #[called]
    pub fn run<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        clocks: &mut Clocks<R>,
        begins: R::Mask,
        fresh: R::Mask,
        acted: R::Mask,
    ) -> R::Mask {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let now = lane.t0;
        let mut jumped = <R::Mask as Mask>::splat(false);
        // A bound may depend on algebraic unknowns. At the end of a step they are consistent already.
        consistent::settle::<R, S, N, P>(system, state, lane, fresh, now);
        start::<R, S, Q, N, P>(io, o, lane, clocks, fresh);
        let changed = fresh | (begins & acted);
        renew::<R, S, N, P>(system, state, lane, clocks, changed, now);
        // The counts of other actions are not reset yet.
        defer::<R, S, N, P>(clocks, fresh, now);
        let mut busy = begins & !fresh & lane.code.equals(none);
        let mut rounds: u32 = 0;
        while busy.any() {
            let mut again = <R::Mask as Mask>::splat(false);
            let mut bit = one;
            let mut jump = none;
            for j in 0..S::JUMPS {
                let here = busy & is_due::<R>(clocks, j, now);
                if here.any() {
                    let candidate = clocks.candidates[j].wrapping_add(one);
                    let numbers =
                        S::jump_candidate::<R>(o.noise_seed, lane.number, jump, candidate);
                    let bound = clocks.bounds[j];
                    let rate = system.jump_rate(j, &state.u, &state.p, now);
                    let slack = bound * timeline::few_units::<R>();
                    let sound = here & rate.ge(-slack) & (rate - bound).le(slack);
                    let broken = <R::Bits as Bits>::lit(code::RATE);
                    lane.code = <R::Bits as Bits>::select(here & !sound, broken, lane.code);
                    let next = clocks.next[j] + numbers[0] / bound;
                    clocks.next[j] = R::select(here, next, clocks.next[j]);
                    clocks.candidates[j] =
                        <R::Bits as Bits>::select(here, candidate, clocks.candidates[j]);
                    let occurs = sound & (numbers[1] * bound).lt(rate);
                    if occurs.any() {
                        occur::<R, S, Q, N, P>(
                            system, io, o, state, lane, j, jump, candidate, bit, occurs,
                        );
                    }
                    again = again | sound;
                    jumped = jumped | occurs;
                }
                bit = bit.wrapping_add(bit);
                jump = jump.wrapping_add(one);
            }
            renew::<R, S, N, P>(system, state, lane, clocks, again, now);
            busy = again & lane.code.equals(none);
            rounds += 1;
            if rounds == actions::MOST_AT_ONCE {
                let too_many = <R::Bits as Bits>::lit(code::TOO_MANY_EVENTS);
                lane.code = <R::Bits as Bits>::select(busy, too_many, lane.code);
                busy = <R::Mask as Mask>::splat(false);
            }
        }
        jumped
    }

    /// Counts and logs jump `index` in lanes `which`, and runs its action.
    ///
    /// `jump` is the index in lanes, and `bit` its bit.
    fn occur<R: Real, S: System<N, P>, Q: Sink<R, N, P>, const N: usize, const P: usize>(
        system: S,
        io: &mut Q,
        o: &options::Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        index: usize,
        jump: R::Bits,
        candidate: R::Bits,
        bit: R::Bits,
        which: R::Mask,
    ) {
        let one = <R::Bits as Bits>::lit(1);
        let u = state.u;
        let t = lane.t0;
        let random = S::jump_number::<R>(index, o.noise_seed, lane.number, jump, candidate);
        let after = system.jump_action(index, &state.u, &state.p, t, random);
        if S::MODES > 0 {
            let p = system.modes_after_jump(index, &state.u, &state.p, t, random);
            actions::choose_modes::<R, S, N, P>(state, &p, which);
        }
        state.u = vector::choose::<R, N>(which, after, u);
        if S::JUMPS_LOGGED > 0 && io.logs() {
            let slot = logged::slot_of_first::<R, S, Q, N, P>(io, <R::Bits as Bits>::lit(0));
            let set = <R::Bits as Bits>::lit(S::JUMPS_LOGGED as u64);
            let logs = which & sides::has::<R>(set, bit);
            let first = (S::EVENTS + S::TIMED + S::CONDITIONS + 1) as u64;
            let number = jump.wrapping_add(<R::Bits as Bits>::lit(first));
            let event = logged::number_of::<R>(number, which);
            io.log_event(logs, slot, event, t, &u, &state.u);
        }
        let place = actions::jump::<R, S, N, P>(index);
        let count = io.event_count(place).wrapping_add(one);
        io.set_event_count(which, place, count);
    }
}
