//! The lockstep loop: all trajectories at one time, with one step size.
//!
//! It is the [loop of lanes](crate::integrate) with a single lane, the *clock*. The error of the
//! clock is the error of all members together, and all members follow its decisions.
//! [`members`](crate::integrate::members) has the operations on members. A [`LockstepGroup`]
//! carries them out on the threads of a CPU or of a GPU. Each thread of a GPU runs the loop with a
//! clock of its own, and all clocks decide alike.
//!
//! The clock is one lane, and decides with the functions of lanes. So a single member has the bits
//! of a lane, which `tests/arrays` tests.
//!
//! The [`LockstepGroup`] stores the members. On a CPU, they are in chunks of memory for threads
//! (`ensemble/lockstep/members.rs`). On a GPU, they are in registers or memory of threads
//! (`kernel/lockstep.hpp`). GPU threads synchronise through flags that are tagged with the number
//! of the iteration (`kernel/targets/lockstep_cuda.hpp`).
//!
//! A member that fails even with the shortest step is dropped, with a code of its own. The others
//! continue without it.
//!
//! # Events
//!
//! Each attempt finds the events of each member within the step. If an event of any member ends it
//! or acts, the step is rejected, and all members make a step to the first such event. The actions
//! there change only the members whose event it is. The other members continue with the derivative
//! that they have. The next step has the size of the rejected step or, if that is less, the least
//! size of members after their actions.

pub use device::*;

#[ode_macros::device(lockstep)]
mod device {
    use crate::integrate::options::{self, LoopConfig};
    use crate::integrate::{advance, attempt, begin, dense, effects, events, lane, members};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{code, control, guard, timeline};

    /// The combined report of all members.
    #[derive(Clone, Copy, Debug)]
    pub struct Told<R: Real> {
        /// The scaled error of all members together, squared.
        ///
        /// A step is accepted up to the number of components.
        pub square: R,
        /// The first step size, or the bound of the next one.
        ///
        /// At a start, it is the least first step of all members. After a step, it is the longest
        /// next step that the system's bounds allow.
        pub size: R,
        /// The size of the step to the first event that ends a member or acts.
        ///
        /// It is infinite if no such event is within the step. After actions, it is the least size
        /// of the next step of members that acted.
        pub nearest: R,
        /// Whether any member continues.
        pub goes: R::Mask,
        /// Whether any member fails even with the shortest step.
        pub hopeless: R::Mask,
        /// Whether the error of any member is beyond all bounds.
        pub beyond: R::Mask,
        /// Whether the step is too long for any member.
        pub fails: R::Mask,
        /// Whether the step of any member ended without a new state.
        pub unsolved: R::Mask,
        /// Whether the step is beyond the pole of a growing mode in any member.
        ///
        /// See [`guard`].
        pub grows: R::Mask,
        /// Whether any interpolant [misses](dense) the solution at the next saved time.
        pub misses: R::Mask,
        /// Whether any member has an event that affects it, or a condition that holds.
        ///
        /// After actions: whether any event ended a member or acted.
        pub happens: R::Mask,
    }

    /// Returns the report of no members, the neutral element of merging.
    pub fn silence<R: Real>() -> Told<R> {
        let nobody = <R::Mask as Mask>::splat(false);
        Told::<R> {
            square: R::lit(0.0),
            size: math::infinity::<R>(),
            nearest: math::infinity::<R>(),
            goes: nobody,
            hopeless: nobody,
            beyond: nobody,
            fails: nobody,
            unsolved: nobody,
            grows: nobody,
            misses: nobody,
            happens: nobody,
        }
    }

    /// The members of a lockstep solve, and the threads that compute them.
    pub trait LockstepGroup<R: Real> {
        /// Whether there are times to save at.
        fn saves(&self) -> bool;
        /// The start of the time span.
        fn start(&self) -> R;
        /// The end of the time span.
        fn end(&self) -> R;
        /// Time `index` to stop at within the span, infinite after the last one.
        fn stop_time(&self, index: R::Bits) -> R;
        /// Time `index` to save at, infinite after the last one.
        ///
        /// NaN means the end of the next step.
        fn save_time(&self, index: R::Bits) -> R;
        /// [Begins](members::begin) the span, or its next segment, for all members.
        ///
        /// `lane` is the clock at the start, and `before` the clock before it moved there. If the
        /// first saved time is the start, the clock has [counted](lane::Lane::saved) it.
        fn begin(&mut self, before: &lane::Lane<R>, lane: &lane::Lane<R>, how: u32) -> Told<R>;
        /// [Attempts](members::attempt) a step of all members.
        fn attempt(&mut self, lane: &lane::Lane<R>, trial: &attempt::Attempt<R>) -> Told<R>;
        /// Whether a longer step [would pass](members::passes_soon) over growth in any member.
        fn passes_soon(
            &mut self,
            lane: &lane::Lane<R>,
            trial: &attempt::Attempt<R>,
            ends: R::Mask,
        ) -> R::Mask;
        /// Saves the state at a time within the attempted step, which is accepted.
        ///
        /// The time is the clock's next saved time, `ahead` of the beginning of the step. Groups
        /// that [save during the attempt](members::attempt) do nothing here.
        fn save(&mut self, lane: &lane::Lane<R>, trial: &attempt::Attempt<R>, ahead: R);
        /// Moves all members to the end of the attempted step.
        fn accept(&mut self);
        /// [Acts](members::act) at the end of that step, in systems with events or conditions.
        fn act(&mut self, lane: &lane::Lane<R>, h: R, arrived: R::Mask) -> Told<R>;
        /// [Drops](members::leave) members; returns whether any member continues.
        fn leave(&mut self, lane: &lane::Lane<R>, why: &members::Leave<R>) -> R::Mask;
        /// [Delivers](members::finish) the results of the remaining members.
        fn finish(&mut self, lane: &lane::Lane<R>);
    }

    /// Integrates all members of `group` over the time span.
    pub fn lockstep<R: Real, M: Stepper, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
    ) {
        let all = <R::Mask as Mask>::splat(true);
        let nobody = <R::Mask as Mask>::splat(false);
        let mut lane = lane::empty::<R>(R::lit(0.0), R::lit(0.0), &o.law);
        let mut how = members::FIRST;
        while how != members::OVER {
            let before = lane;
            set_out::<R, M, Q, C, N>(group, o, &mut lane, how);
            let begun = group.begin(&before, &lane, how);
            if C::ADAPTIVE {
                lane.control = control::fresh::<R>(&o.law);
                let h = begun.size.copysign(lane.t1 - lane.t);
                lane.plan = timeline::plan(lane.t, lane.t_low, h, R::lit(1.0));
            }
            let mut goes = begun.goes;
            let mut left = nobody;
            while (goes & !left & lane.attempts.less_than(lane.last_attempt)).any() {
                let mut trial = attempt::next::<R, M, C, N>(o, &mut lane);
                let told = group.attempt(&lane, &trial);
                let before = lane;
                let mut verdict = attempt::accepted::<R>();
                if C::ADAPTIVE {
                    let memory = lane.memory;
                    verdict = attempt::decide::<R, M, N>(o, &mut lane, told.square, memory);
                }
                let decided = verdict;
                if M::GUARDS {
                    verdict =
                        watch_growth::<R, M, Q, C, N>(group, o, &mut lane, &trial, &told, &verdict);
                }
                let mut moves = verdict.accept;
                if C::ADAPTIVE {
                    moves = verdict.accept & trial.run;
                }
                let by_error = verdict.factor.equals(decided.factor);
                let mut refused = nobody;
                let mut halved = nobody;
                if C::ADAPTIVE && M::GUARDS && C::CHECKS_INTERPOLANT {
                    refused = moves & told.misses;
                    if C::EVENTS {
                        halved = refused & dense::can_halve::<R, N>(o, &before, &trial, moves);
                    }
                    moves = moves & !refused;
                    trial.run = trial.run & !refused;
                }
                let mut found = events::nothing::<R, N>();
                if C::WATCHES {
                    found = cut_at_event::<R, N>(&mut lane, &before, &trial, &told, moves);
                    moves = moves & !found.cut;
                    trial.run = trial.run & !found.cut;
                }
                let mut longest = told.size;
                if C::SAVES && group.saves() && moves.any() {
                    save_within::<R, Q, C, N>(group, o, &mut lane, &trial);
                }
                if C::ADAPTIVE {
                    let small =
                        advance::forward::<R, M, C, N>(o, &mut lane, &trial, &verdict, moves);
                    if M::GUARDS && C::CHECKS_INTERPOLANT && refused.any() {
                        dense::plan_again::<R>(&mut lane, &before, trial.ask.h, refused, halved);
                    }
                    if moves.any() {
                        group.accept();
                    }
                    if C::WATCHES {
                        let happens = moves & told.happens;
                        let acted = act::<R, M, Q, C, N>(
                            group,
                            o,
                            &mut lane,
                            &trial,
                            &found,
                            happens,
                            &mut longest,
                        );
                        goes = goes & (acted | !happens);
                    }
                    if C::BOUNDED && moves.any() {
                        lane.plan = attempt::shortened::<R, N>(o, &lane, longest);
                    }
                    if (!verdict.accept | small).any() {
                        let failing = trial.run & !moves;
                        let beyond = told.beyond;
                        if advance::refuse::<R>(&mut lane, &trial, failing, small, beyond).any() {
                            // A member fails if its own error needs a step below the smallest one.
                            let short = small & by_error;
                            let mut stuck = small & !by_error;
                            stuck = advance::shorten::<R>(&mut lane, &trial, failing, stuck);
                            left = short | stuck | (failing & told.hopeless);
                            if left.any() {
                                let mut over = lane;
                                over.last_attempt = over.attempts;
                                over.code = <R::Bits as Bits>::lit(code::DT_MIN);
                                begin::count_attempts::<R, M, C, N>(o, &mut over, all);
                                let everyone = stuck & !told.fails;
                                let why = members::why::<R>(
                                    stuck,
                                    short,
                                    everyone,
                                    before.control,
                                    trial.ask.h,
                                );
                                goes = group.leave(&over, &why);
                            }
                        }
                    }
                } else {
                    advance::to_next::<R, C>(&mut lane, &trial);
                    if moves.any() {
                        group.accept();
                    }
                    if C::WATCHES {
                        let happens = moves & told.happens;
                        let acted = act::<R, M, Q, C, N>(
                            group,
                            o,
                            &mut lane,
                            &trial,
                            &found,
                            happens,
                            &mut longest,
                        );
                        goes = goes & (acted | !happens);
                    }
                }
            }
            how = next_of::<R, M, Q, C, N>(group, o, &mut lane, goes, left);
        }
        group.finish(&lane);
    }

    /// Moves the clock to the start of a span or segment, unless it restarts in place.
    ///
    /// `how` is the reason for the start.
    pub fn set_out<R: Real, M: Stepper, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        how: u32,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let all = <R::Mask as Mask>::splat(true);
        let assigned = <R::Mask as Mask>::splat(how == members::FIRST);
        let anew = <R::Mask as Mask>::splat(how == members::ANEW);
        let again = <R::Mask as Mask>::splat(how == members::NEXT);
        lane.pending = none;
        if how != members::HERE {
            lane.refused = R::lit(0.0);
            lane.covered = R::lit(0.0);
            if how == members::NEXT {
                lane.t0 = lane.t1;
                lane.stop = lane.stop.wrapping_add(one);
            } else {
                lane.t0 = group.start();
                lane.stop = none;
            }
            lane.t1 = group.end();
            if o.stops {
                let next = group.stop_time(lane.stop);
                lane.t1 = R::select(next.equals(math::infinity::<R>()), lane.t1, next);
            }
            lane.t = lane.t0;
            lane.t_low = R::lit(0.0);
            let fresh = assigned | anew;
            let begun = begin::begun::<R>(assigned, fresh, all);
            let reasons = begin::need::<R>(assigned, anew, again);
            begin::reset::<R, M, N>(o, lane, all, &reasons, &begun);
            if !C::ADAPTIVE {
                begin::count::<R, N>(o, lane, &begun);
            }
            let ended = lane.t0.equals(lane.t1);
            lane.last_attempt = <R::Bits as Bits>::select(ended, none, lane.last_attempt);
            if C::SAVES && group.saves() && fresh.any() {
                lane.saved = none;
                lane.save_at = group.save_time(none);
                if lane.save_at.equals(lane.t0).any() {
                    lane.saved = one;
                    lane.save_at = group.save_time(one);
                }
            }
        }
    }

    /// Saves states within a step, and advances the clock's next saved time past it.
    pub fn save_within<R: Real, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
    ) {
        let one = <R::Bits as Bits>::lit(1);
        let reach = advance::reach_of::<R, C>(lane, trial);
        let mut ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
        let mut passes = ahead.abs().le(reach);
        if o.every_step {
            passes = !lane.save_at.equals(math::infinity::<R>());
        }
        while passes.any() {
            if o.every_step {
                ahead = trial.ask.h;
                lane.save_at = R::select(trial.last, lane.t1, trial.next.t);
            }
            group.save(lane, trial, ahead);
            lane.saved = lane.saved.wrapping_add(one);
            lane.save_at = group.save_time(lane.saved);
            ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
            passes = ahead.abs().le(reach);
            if o.every_step {
                passes = <R::Mask as Mask>::splat(false);
            }
        }
    }

    /// Returns whether the step is rejected, since an event of a member is within it.
    ///
    /// `moves`: the step is accepted otherwise. `before` is the clock before the verdict.
    pub fn cut_at_event<R: Real, const N: usize>(
        lane: &mut lane::Lane<R>,
        before: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        told: &Told<R>,
        moves: R::Mask,
    ) -> events::Found<R, N> {
        let mut found = events::nothing::<R, N>();
        found.t = lane.t;
        found.t_low = lane.t_low;
        found.cut = moves & told.nearest.lt(math::infinity::<R>());
        found.goes = moves & trial.run & !found.cut;
        found.size = told.nearest.copysign(trial.ask.h);
        // Each member has the number of its own event.
        found.event = <R::Bits as Bits>::lit(1);
        events::forget::<R>(lane, before, found.cut);
        found
    }

    /// Plans a step to an event, or lets the events of an accepted step take place.
    ///
    /// `happens`: there are events that affect members. Then the result is whether any member
    /// continues, and `longest` becomes the longest step that the system's bounds allow.
    pub fn act<R: Real, M: Stepper, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        found: &events::Found<R, N>,
        happens: R::Mask,
        longest: &mut R,
    ) -> R::Mask {
        let h = trial.ask.h;
        let mut goes = <R::Mask as Mask>::splat(true);
        let arrived = effects::follow::<R, C, N>(lane, h, found);
        if happens.any() {
            let told = group.act(lane, h, arrived);
            goes = told.goes;
            *longest = told.size;
            let acts = told.nearest.lt(math::infinity::<R>());
            let fresh = control::fresh::<R>(&options::law_of::<R, M, N>(o, lane.memory));
            // Conditions keep the controller's history: steps continue as errors allow.
            lane.control = control::choose_memory::<R>(told.happens, &fresh, &lane.control);
            if M::GUARDS {
                let next = guard::next_part::<R>(lane.guarded);
                lane.guarded = <R::Bits as Bits>::select(acts, next, lane.guarded);
            }
            if C::ADAPTIVE {
                // The step that would have been made without the event.
                let whole = R::select(arrived, lane.refused, h);
                let planned = timeline::planned(lane.t, lane.t_low, lane.plan);
                let size = R::select(told.happens, whole, planned);
                let size = size.abs().at_most(told.nearest).copysign(size);
                let plan = timeline::plan(lane.t, lane.t_low, size, R::lit(1.0));
                let renewed = (told.happens | acts) & !lane::is_at_end::<R>(lane);
                lane.plan = R::select(renewed, plan, lane.plan);
            }
        }
        goes
    }

    /// Returns the [guard]'s verdict on a step: growth in one member counts for all.
    pub fn watch_growth<R: Real, M: Stepper, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        told: &Told<R>,
        verdict: &attempt::Verdict<R>,
    ) -> attempt::Verdict<R> {
        let mut verdict = *verdict;
        let careful = guard::is_careful::<R>(lane.guarded);
        let mut shown = attempt::is_shown::<R, C, N>(o, lane, trial, &verdict);
        if M::ITERATES {
            shown = shown & !told.unsolved;
        }
        if (told.grows | careful | shown).any() {
            // Careful members have tested the ends of their steps already.
            let grows = told.grows & !(trial.looks & careful);
            let mut soon = trial.run & (shown | careful) & !grows;
            if soon.any() {
                // Growth may begin within the step.
                let ends = careful & verdict.accept;
                soon = soon & group.passes_soon(lane, trial, ends);
            }
            let memory = lane.memory;
            verdict =
                attempt::judge_growth::<R, M, C, N>(o, lane, trial, memory, &verdict, grows, soon);
        }
        verdict
    }

    /// Returns the reason why members that have stopped begin again.
    ///
    /// The result is [`OVER`](members::OVER) if nothing is left to do.
    pub fn next_of<R: Real, M: Stepper, Q: LockstepGroup<R>, C: LoopConfig, const N: usize>(
        group: &mut Q,
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        goes: R::Mask,
        left: R::Mask,
    ) -> u32 {
        let none = <R::Bits as Bits>::lit(0);
        let all = <R::Mask as Mask>::splat(true);
        let mut how = members::OVER;
        if left.any() {
            if goes.any() {
                how = members::HERE;
            }
        } else {
            let well = lane.code.equals(none);
            if M::GUARDS && C::ADAPTIVE {
                let begin = <R::Bits as Bits>::lit(code::ANEW);
                if (goes & lane.code.equals(begin)).any() {
                    how = members::ANEW;
                }
            }
            if o.stops {
                let tried = none.less_than(lane.last_attempt);
                let there = lane.t.equals(lane.t1) & !lane.t1.equals(group.end());
                if (goes & well & tried & there).any() {
                    how = members::NEXT;
                }
            }
            begin::count_attempts::<R, M, C, N>(o, lane, all);
        }
        how
    }
}
