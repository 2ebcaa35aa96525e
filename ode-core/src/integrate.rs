//! The integration loop of all methods, for lanes of every width.
//!
//! Each lane carries one trajectory with its own time, step size and state. When a trajectory ends,
//! its lane delivers the results to the [`Sink`](options::Sink) and takes the next trajectory from
//! the [`Source`](options::Source). Both happen inside the loop, so no lane waits for another.
//!
//! # Time
//!
//! [`timeline`](crate::step::timeline) contains the arithmetic of time. Step sizes are signed: on a
//! reversed time span, steps are negative. With a fixed step, time is `t0 + i h` with an integer
//! `i`. The last fixed step ends at `t1`, and is shorter if the span is not a multiple of `h`.
//!
//! Times to stop at divide a span into segments. A segment starts with a new derivative and a new
//! first step. A lane treats the end of a segment as the end of its span, and begins the next
//! segment in the code that acquires trajectories. The hot loop has no code for stops, with one
//! exception: it evaluates right-hand sides only at times strictly within the segment. At the ends
//! of a segment, their values may belong to the previous or to the next segment. So right-hand
//! sides that depend on time keep a distance of a few units in the last place from both ends. No
//! node is beyond the end. All lists of times to stop at come from `SolveOptions::stop_times`.
//!
//! # Compilation
//!
//! The loop configuration is fixed when the loop is compiled. On a GPU, all options except numbers
//! are constants, too. The compiled loop has no code for properties that the system lacks, such as
//! events (`C::EVENTS`) or features (`C::FEATURES`).
//!
//! The loop is two nested loops. The outer one takes trajectories. The inner one makes steps until
//! enough lanes are idle for a change of trajectories to pay.
//!
//! In systems with algebraic equations, an implicit step may need its interpolant, for saved times
//! or events. If the interpolant misses the solution, the step is rejected ([`dense`]).

pub mod actions;
pub mod advance;
pub mod armed;
pub mod attempt;
pub mod backward;
pub mod begin;
pub mod consistent;
pub mod cubic;
pub mod delays;
pub mod dense;
pub mod dyadic;
pub mod effects;
pub mod events;
pub mod features;
pub mod first_step;
pub mod jumps;
pub mod lane;
pub mod locate;
pub mod lockstep;
pub mod logged;
pub mod members;
pub mod options;
pub mod passages;
pub mod recorded;
pub mod recording;
pub mod retraced;
pub mod roots;
pub mod saltation;
pub mod sides;
pub mod thinning;
pub mod timed;

pub use device::*;

/// The C++ text of the loop; each program comes after those that it calls.
pub(crate) const LANE_PROGRAMS: [&str; 25] = [
    options::DEVICE,
    lane::DEVICE,
    consistent::DEVICE,
    first_step::DEVICE,
    actions::DEVICE,
    sides::DEVICE,
    recording::DEVICE,
    delays::DEVICE,
    dyadic::DEVICE,
    attempt::DEVICE,
    dense::DEVICE,
    roots::DEVICE,
    cubic::DEVICE,
    logged::DEVICE,
    timed::DEVICE,
    thinning::DEVICE,
    jumps::DEVICE,
    begin::DEVICE,
    locate::DEVICE,
    events::DEVICE,
    passages::DEVICE,
    effects::DEVICE,
    features::DEVICE,
    advance::DEVICE,
    DEVICE,
];

/// The programs that lockstep solves need besides [`LANE_PROGRAMS`].
pub(crate) const LOCKSTEP_PROGRAMS: [&str; 3] = [armed::DEVICE, members::DEVICE, lockstep::DEVICE];

// The end of a step depends on this many quantities. Variables of C++ need a first value.
#[allow(clippy::too_many_arguments, unused_assignments)]
#[ode_macros::device(integrate)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink, Source};
    use crate::integrate::{
        actions, advance, attempt, begin, delays, dense, effects, events, features, lane, passages,
        thinning,
    };
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{norm, stepper, vector};
    use crate::system::{Noise, System};

    /// Integrates every trajectory of `io` over its time span.
    pub fn integrate<
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
    ) {
        let nobody = <R::Mask as Mask>::splat(false);
        let none = <R::Bits as Bits>::lit(0);
        let zero = [R::lit(0.0); N];
        let mut tolerances = o.tolerances;
        if !C::ADAPTIVE {
            tolerances = norm::tight::<R, N>(&o.tolerances);
        }
        let mut state = stepper::state::<R, N, P>(zero, [R::lit(0.0); P], zero, tolerances);
        io.load_p(nobody, &mut state.p);
        let t0 = io.load_start(nobody, R::lit(0.0));
        let t1 = io.load_end(nobody, R::lit(0.0));
        let mut lane = lane::empty::<R>(t0, t1, &o.law);
        let mut features = features::fresh::<R>();
        let mut nodes = <S::Noise as Noise<N, P>>::nodes::<R>();
        let mut clocks = thinning::stopped::<R>();
        // Lanes that search the events of their next step.
        let mut searches = nobody;

        loop {
            let mut need = lane::is_in_need::<R>(&lane);
            while need.any() {
                let reasons = begin::hand_in::<R, M, Q, C, N, P>(io, o, &state, &mut lane, need);
                if S::MODES > 0 {
                    actions::hand_in::<R, S, Q, N, P>(io, &state.p, reasons.over);
                }
                if C::FEATURES {
                    features::hand_in::<R, S, Q, C, N, P>(
                        system,
                        io,
                        o,
                        &state,
                        &lane,
                        &mut features,
                        &reasons,
                    );
                }
                need = begin::begin::<R, S, M, Q, C, N, P>(
                    system,
                    io,
                    o,
                    &mut state,
                    &mut lane,
                    &mut clocks,
                    need,
                    &reasons,
                );
            }
            if !io.vote(lane.alive) {
                break;
            }

            // To acquire a trajectory costs about as much as a step, in every lane of the group. So
            // the source may wait until enough lanes are idle. The same holds for the search of
            // events: lanes with an event make their step again until enough of them wait.
            loop {
                if C::ADAPTIVE && C::BOUNDED && !C::NOISE {
                    lane.plan = attempt::bounded::<R, S, N, P>(system, o, &state, &lane);
                }
                let mut trial = attempt::next::<R, M, C, N>(o, &mut lane);
                let mut ready = <R::Mask as Mask>::splat(true);
                if C::NOISE && C::ADAPTIVE {
                    ready = <S::Noise as Noise<N, P>>::approach::<R>(
                        &mut nodes,
                        &trial.ask.path,
                        lane.dt,
                        lane.moved,
                        lane.begun,
                    );
                    attempt::wait::<R>(&mut lane, &mut trial, !ready);
                }
                let mut step = if C::NOISE && C::ADAPTIVE {
                    let wiener = <S::Noise as Noise<N, P>>::on_node::<R>(&nodes, &trial.ask.path);
                    attempt::attempt_on::<R, S, M, N, P>(system, &state, &trial.ask, &wiener)
                } else {
                    attempt::attempt::<R, S, M, N, P>(system, &state, &trial.ask)
                };
                let before = lane;
                let mut verdict = attempt::accepted::<R>();
                if C::ADAPTIVE {
                    verdict =
                        attempt::judge::<R, S, M, N, P>(o, &state, &mut lane, &trial.ask, &step);
                }
                if C::NOISE && C::ADAPTIVE {
                    events::forget::<R>(&mut lane, &before, !ready);
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
                if C::ADAPTIVE && M::GUARDS && C::CHECKS_INTERPOLANT {
                    if C::EVENTS || C::FEATURES {
                        halved = dense::can_halve::<R, N>(o, &lane, &trial, moves);
                    }
                    if C::SAVES && io.saves() {
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
                let mut near = nobody;
                let mut waits = nobody;
                let mut due = none;
                if C::WATCHES {
                    let mut goes = moves;
                    if !C::ADAPTIVE {
                        // A lane without a trajectory keeps making fixed steps.
                        goes = moves & trial.run & lane.alive & step.code.equals(none);
                    }
                    found = events::watch::<R, S, M, C, N, P>(
                        system, &state, &lane, &trial, &step, goes,
                    );
                    if C::PASSAGES {
                        passages::find::<R, S, M, Q, C, N, P>(
                            system, io, &state, &mut lane, &trial, &step, &mut found,
                        );
                    }
                    near = found.near | found.holds;
                    if (!C::ADAPTIVE || C::RECORDS) && !C::PASSAGES {
                        events::find::<R, S, M, Q, C, N, P>(
                            system, io, &state, &mut lane, &before, &trial, &step, &mut found,
                        );
                        moves = moves & !found.cut;
                        trial.run = trial.run & !found.cut;
                    }
                }
                if C::WATCHES && C::ADAPTIVE && !C::RECORDS && !C::PASSAGES {
                    // Lanes with an event leave the common path here.
                    if near.any() {
                        if C::EVENTS && io.waits() {
                            waits = found.near & !searches;
                            events::wait::<R>(&mut lane, &before, waits);
                        }
                        let ready = near & !waits;
                        if ready.any() {
                            found.goes = ready;
                            found.near = found.near & ready;
                            events::find::<R, S, M, Q, C, N, P>(
                                system, io, &state, &mut lane, &before, &trial, &step, &mut found,
                            );
                            let mut made = trial;
                            made.run = ready & !found.cut;
                            go::<R, S, M, Q, C, N, P>(
                                system,
                                io,
                                o,
                                &mut state,
                                &mut lane,
                                &made,
                                &mut step,
                                &verdict,
                                made.run,
                                &found.du,
                                &mut features,
                            );
                            effects::act::<R, S, M, Q, C, N, P>(
                                system, io, o, &mut state, &mut lane, &made, &found, ready,
                            );
                            if C::JUMPS {
                                renew::<R, S, C, N, P>(
                                    system,
                                    &state,
                                    &mut lane,
                                    &mut clocks,
                                    ready,
                                );
                            }
                            // Lanes that found events together go to them together.
                            searches = found.cut | (searches & !ready);
                        }
                        let others = !near;
                        if others.any() {
                            moves = moves & others;
                            trial.run = trial.run & others;
                            rest::<R, S, M, Q, C, N, P>(
                                system,
                                io,
                                o,
                                &mut state,
                                &mut lane,
                                &before,
                                &trial,
                                &mut step,
                                &verdict,
                                moves,
                                refused,
                                halved,
                                &found.du,
                                &mut features,
                            );
                        }
                        // Lanes that wait count as idle ones.
                        due = <R::Bits as Bits>::select(waits, none, lane.last_attempt);
                    } else {
                        rest::<R, S, M, Q, C, N, P>(
                            system,
                            io,
                            o,
                            &mut state,
                            &mut lane,
                            &before,
                            &trial,
                            &mut step,
                            &verdict,
                            moves,
                            refused,
                            halved,
                            &found.du,
                            &mut features,
                        );
                        due = lane.last_attempt;
                    }
                } else {
                    rest::<R, S, M, Q, C, N, P>(
                        system,
                        io,
                        o,
                        &mut state,
                        &mut lane,
                        &before,
                        &trial,
                        &mut step,
                        &verdict,
                        moves,
                        refused,
                        halved,
                        &found.du,
                        &mut features,
                    );
                    if C::WATCHES {
                        effects::act::<R, S, M, Q, C, N, P>(
                            system, io, o, &mut state, &mut lane, &trial, &found, near,
                        );
                        if C::JUMPS {
                            renew::<R, S, C, N, P>(system, &state, &mut lane, &mut clocks, near);
                        }
                    }
                    due = lane.last_attempt;
                }
                if io.should_refill(!lane.attempts.less_than(due)) {
                    searches = searches | waits;
                    break;
                }
            }
        }
    }

    /// Evaluates the bounds of jumps after the actions of lanes `which`.
    fn renew<R: Real, S: System<N, P>, C: LoopConfig, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        clocks: &mut thinning::Clocks<R>,
        which: R::Mask,
    ) {
        // Lanes at the end of a segment evaluate their bounds at the start of the next one.
        let none = <R::Bits as Bits>::lit(0);
        let goes_on = which & lane.attempts.less_than(lane.last_attempt) & lane.code.equals(none);
        if goes_on.any() {
            let cut = thinning::renew_within::<R, S, N, P>(system, state, lane, clocks, goes_on);
            if !C::ADAPTIVE {
                delays::count_again::<R>(lane, cut);
            }
            let ends = goes_on & !lane.code.equals(none);
            if !C::ADAPTIVE {
                lane.t1 = R::select(ends, lane.t, lane.t1);
            }
            lane.last_attempt = <R::Bits as Bits>::select(ends, lane.attempts, lane.last_attempt);
        }
    }

    /// Ends a step that no event interrupts, in all lanes.
    ///
    /// Lanes `moves` move, and lanes `refused` make a shorter step because the interpolant misses
    /// the solution. `before` is the lane before the verdict on the step.
    fn rest<
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
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        before: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &mut stepper::Step<R, N, M::Kept<R, N>>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
        refused: R::Mask,
        halved: R::Mask,
        du: &[R; N],
        features: &mut features::Memory<R>,
    ) {
        go::<R, S, M, Q, C, N, P>(
            system, io, o, state, lane, trial, step, verdict, moves, du, features,
        );
        if C::ADAPTIVE && M::GUARDS && C::CHECKS_INTERPOLANT {
            // Nested, so that the outer condition consists of constants.
            if refused.any() {
                dense::plan_again::<R>(lane, before, trial.ask.h, refused, halved);
            }
        }
    }

    /// Saves, records and moves lanes `moves` by a step, and plans the next step of running lanes.
    ///
    /// `du` is the derivative at the end of the step, in systems with events.
    pub fn go<
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
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &mut stepper::Step<R, N, M::Kept<R, N>>,
        verdict: &attempt::Verdict<R>,
        moves: R::Mask,
        du: &[R; N],
        features: &mut features::Memory<R>,
    ) {
        if C::RECORDS {
            // A lane without a trajectory keeps making fixed steps.
            let goes = moves & trial.run & lane.alive;
            io.record(goes, &state.u, lane.t, lane.t_low, trial.ask.h);
        }
        if C::SAVES && io.saves() {
            advance::record::<R, S, M, Q, C, N, P>(system, io, o, state, lane, trial, step, moves);
        }
        if C::FEATURES {
            features::add::<R, S, M, N, P>(system, state, lane, trial, step, moves, features);
        }
        if C::ADAPTIVE {
            advance::adaptively::<R, S, M, C, N, P>(o, state, lane, trial, step, verdict, moves);
        } else {
            advance::by_fixed_steps::<R, M, C, N, P>(lane, trial, step);
        }
        state.u = vector::choose::<R, N>(moves, step.u, state.u);
        if M::FSAL {
            let after = M::du_after::<R, N>(&step.k);
            state.du = vector::choose::<R, N>(moves, after, state.du);
        } else if C::EVENTS && !C::MASS && !C::PASSAGES {
            state.du = vector::choose::<R, N>(moves, *du, state.du);
        }
    }
}
