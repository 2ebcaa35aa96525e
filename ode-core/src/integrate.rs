//! The integration loop of all methods, for lanes of every width.
//!
//! Each lane carries one trajectory with a time, a step size and a state of its own. A lane whose
//! trajectory ends hands it to the [`Sink`](options::Sink) and takes the next one from the
//! [`Source`](options::Source), inside the loop, so that no lane waits for another.
//!
//! # Time
//!
//! [`timeline`](crate::step::timeline) has the arithmetic. A step size is signed: a reversed time
//! span is one with negative steps. With a fixed step, time is `t0 + i h` with an integer `i`, and
//! the last step ends on `t1`, shortened where the span is not a multiple of `h`.
//!
//! Times to stop at divide a span into parts, each of which is begun anew: with the derivative
//! there, and a first step. To a lane the end of a part is the end of its span, handled where
//! trajectories are acquired. The hot loop has no code for stops, with one exception: right-hand
//! sides are evaluated at times strictly within the part. At its ends their values may belong to
//! the part before it or to the one after it.

pub mod actions;
pub mod advance;
pub mod attempt;
pub mod backward;
pub mod begin;
pub mod columns;
pub mod consistent;
pub mod dense;
pub mod events;
pub mod first_step;
pub mod jumps;
pub mod lane;
pub mod lockstep;
pub mod logged;
pub mod options;
pub mod roots;
pub mod sides;
pub mod timed;

pub use device::*;

/// All of the loop as C++, each after what it calls.
pub(crate) const LANE_PROGRAMS: [&str; 16] = [
    options::DEVICE,
    lane::DEVICE,
    consistent::DEVICE,
    first_step::DEVICE,
    sides::DEVICE,
    actions::DEVICE,
    timed::DEVICE,
    attempt::DEVICE,
    dense::DEVICE,
    roots::DEVICE,
    logged::DEVICE,
    jumps::DEVICE,
    begin::DEVICE,
    events::DEVICE,
    advance::DEVICE,
    DEVICE,
];

/// What the loop of columns adds to them.
pub(crate) const ARRAY_PROGRAMS: [&str; 2] = [columns::DEVICE, lockstep::DEVICE];

#[ode_macros::device(integrate)]
mod device {
    use crate::integrate::options::{self, Plan, Sink, Source};
    use crate::integrate::{advance, attempt, begin, dense, events, lane};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{norm, stepper, vector};
    use crate::system::System;

    /// Integrates every trajectory of `feed` from the beginning to the end of its time span.
    pub fn integrate<
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
    ) {
        let nobody = <R::Mask as Mask>::splat(false);
        let zero = [R::lit(0.0); N];
        let mut tolerances = o.tolerances;
        if !C::ADAPTIVE {
            tolerances = norm::tight::<R, N>(&o.tolerances);
        }
        let p = feed.load_p(nobody, [R::lit(0.0); P]);
        let mut state = stepper::state::<R, N, P>(zero, p, zero, tolerances);
        let t0 = feed.load_start(nobody, R::lit(0.0));
        let t1 = feed.load_end(nobody, R::lit(0.0));
        let mut lane = lane::empty::<R>(t0, t1, &o.law);

        loop {
            let mut need = lane::is_in_need::<R>(&lane);
            while need.any() {
                let reasons = begin::hand_in::<R, M, Q, C, N, P>(feed, o, &state, &mut lane, need);
                need = begin::begin::<R, S, M, Q, C, N, P>(
                    system, feed, o, &mut state, &mut lane, need, &reasons,
                );
            }
            if !feed.vote(lane.alive) {
                break;
            }

            // To acquire a trajectory costs about as much as a step, in every lane of the group:
            // the source may wait until enough lanes are in need of one.
            loop {
                if C::ADAPTIVE && S::BOUNDS > 0 {
                    lane.plan = attempt::bounded::<R, S, N, P>(system, o, &state, &lane);
                }
                let mut trial = attempt::next::<R, S, M, C, N, P>(o, &mut lane);
                let mut step = attempt::attempt::<R, S, M, N, P>(system, &state, &trial.ask);
                let before = lane;
                let mut verdict = attempt::accepted::<R>();
                if C::ADAPTIVE {
                    verdict =
                        attempt::judge::<R, S, M, N, P>(o, &state, &mut lane, &trial.ask, &step);
                }
                if M::GUARDS {
                    verdict = attempt::watch_growth::<R, S, M, C, N, P>(
                        system, o, &state, &mut lane, &trial, &step, &verdict,
                    );
                }
                if <M::Memory as Memory>::SWITCHES {
                    lane.memory = <R::Bits as Bits>::select(trial.run, step.memory, lane.memory);
                }
                let mut moves = verdict.accept;
                if C::ADAPTIVE {
                    moves = verdict.accept & trial.run;
                }
                let mut refused = nobody;
                let mut halved = nobody;
                if C::ADAPTIVE && M::GUARDS && S::ALGEBRAIC > 0 && (C::SAVES || S::EVENTS > 0) {
                    if S::EVENTS > 0 {
                        halved = dense::can_halve::<R, N>(o, &lane, &trial, moves);
                    }
                    if C::SAVES && feed.saves() {
                        let free = lane.pending.equals(<R::Bits as Bits>::lit(0));
                        refused = free & dense::saves_within::<R, N>(o, &lane, &trial, moves);
                    }
                    refused = dense::misses::<R, S, M, N, P>(
                        system,
                        &state,
                        &trial.ask,
                        &step,
                        refused | halved,
                    );
                    moves = moves & !refused;
                    trial.run = trial.run & !refused;
                }
                let mut found = events::nothing::<R, N>();
                if S::EVENTS + S::CONDITIONS > 0 {
                    found = events::find::<R, S, M, Q, C, N, P>(
                        system, feed, &state, &mut lane, &before, &trial, &step, moves,
                    );
                    moves = moves & !found.cut;
                    trial.run = trial.run & !found.cut;
                }
                if C::RECORDS {
                    // One without a trajectory goes on by fixed steps.
                    let goes = moves & trial.run & lane.alive;
                    feed.record(goes, &state.u, lane.t, lane.t_low, trial.ask.h);
                }
                if C::SAVES && feed.saves() {
                    advance::record::<R, S, M, Q, C, N, P>(
                        system, feed, o, &state, &mut lane, &trial, &mut step, moves,
                    );
                }
                if C::ADAPTIVE {
                    advance::adaptively::<R, S, M, N, P>(
                        o, &state, &mut lane, &trial, &step, &verdict, moves,
                    );
                    if M::GUARDS && S::ALGEBRAIC > 0 && (C::SAVES || S::EVENTS > 0) {
                        if refused.any() {
                            let h = trial.ask.h;
                            dense::plan_again::<R>(&mut lane, &before, h, refused, halved);
                        }
                    }
                } else {
                    advance::by_fixed_steps::<R, S, M, N, P>(&mut lane, &trial, &step);
                }
                state.u = vector::choose::<R, N>(moves, step.u, state.u);
                if M::FSAL {
                    let after = M::du_after::<R, N>(&step.k);
                    state.du = vector::choose::<R, N>(moves, after, state.du);
                }
                if S::EVENTS + S::CONDITIONS > 0 {
                    events::act::<R, S, M, Q, C, N, P>(
                        system, feed, o, &mut state, &mut lane, &trial, &found,
                    );
                }
                if feed.should_refill(lane::is_in_need::<R>(&lane)) {
                    break;
                }
            }
        }
    }
}
