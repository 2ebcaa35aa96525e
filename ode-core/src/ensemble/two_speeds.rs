//! The integration loop of cheap steps on lanes, with a body for steps that save and one for others.
//!
//! The bits are those of [`integrate`](crate::integrate::integrate). Code for saving takes registers
//! from all steps of its loop, and steps without a saved time then take 10 to 20% longer. So the
//! next step is planned first. If it ends before the next saved time in all lanes, the fast body
//! makes it, which has no code for saving. Otherwise the slow body makes it.

use core::marker::PhantomData;

use crate::integrate::options::{LoopConfig, Options, Sink, Source, SystemConstants};
use crate::integrate::{advance, attempt, begin, features, lane, thinning};
use crate::lane::{Mask, Real};
use crate::step::stepper::{self, Stepper};
use crate::system::System;
use ode_macros::inlined;

/// Returns whether [`integrate`] is able to integrate a system.
///
/// The system has none of the properties that only the general loop contains.
pub(super) const fn is_plain(system: SystemConstants) -> bool {
    let SystemConstants {
        time_dependent: _,
        bounded,
        mass,
        algebraic,
        events,
        scheduled,
        watches,
        features,
        jumps,
        noise,
    } = system;
    let implicit = mass || algebraic;
    let watched = events || scheduled || watches || features;
    !(bounded || implicit || watched || jumps || noise)
}

/// Integrates every trajectory of `io` by adaptive steps, with the configurations of both bodies.
///
/// `Slow` saves states, and `Fast` does not.
#[inlined]
pub(super) fn integrate<R, S, M, Q, Slow, Fast, const N: usize, const P: usize>(
    system: S,
    io: &mut Q,
    o: &Options<R, N>,
) where
    R: Real,
    S: System<N, P>,
    M: Stepper,
    Q: Source<R, N, P> + Sink<R, N, P>,
    Slow: LoopConfig,
    Fast: LoopConfig,
{
    let nobody = <R::Mask as Mask>::splat(false);
    let zero = [R::lit(0.0); N];
    let mut p = [R::lit(0.0); P];
    io.load_p(nobody, &mut p);
    let mut state = stepper::state::<R, N, P>(zero, p, zero, o.tolerances);
    let t0 = io.load_start(nobody, R::lit(0.0));
    let t1 = io.load_end(nobody, R::lit(0.0));
    let mut lane = lane::empty::<R>(t0, t1, &o.law);
    let mut clocks = thinning::stopped::<R>();
    let fast = Body::<S, M, Fast>::new(system);
    let slow = Body::<S, M, Slow>::new(system);

    loop {
        let mut need = lane::is_in_need::<R>(&lane);
        while need.any() {
            let reasons = begin::hand_in::<R, M, Q, Slow, N, P>(io, o, &state, &mut lane, need);
            need = begin::begin::<R, S, M, Q, Slow, N, P>(
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

        let mut trial = attempt::next::<R, M, Slow, N>(o, &mut lane);
        'steps: loop {
            // Two loops, not one with a condition: the compiler would merge what both bodies share.
            while !saves_within::<R, Slow, N>(o, &lane, &trial).any() {
                if fast.make::<R, Q, N, P>(io, o, &mut state, &mut lane, &mut trial) {
                    break 'steps;
                }
            }
            loop {
                core::hint::cold_path();
                if slow.make::<R, Q, N, P>(io, o, &mut state, &mut lane, &mut trial) {
                    break 'steps;
                }
                if !saves_within::<R, Slow, N>(o, &lane, &trial).any() {
                    break;
                }
            }
        }
    }
}

/// Returns the lanes that save states within the planned step, or at its end.
#[inlined]
fn saves_within<R: Real, C: LoopConfig, const N: usize>(
    o: &Options<R, N>,
    lane: &lane::Lane<R>,
    trial: &attempt::Attempt<R>,
) -> R::Mask {
    if o.every_step {
        return trial.run;
    }
    let ahead = lane::ahead::<R>(lane, C::ADAPTIVE);
    trial.run & ahead.abs().le(advance::reach_of::<R, C>(lane, trial))
}

/// A body of the loop, for system `S` and method `M`.
struct Body<S, M, C> {
    system: S,
    types: PhantomData<fn() -> (M, C)>,
}

impl<S, M: Stepper, C: LoopConfig> Body<S, M, C> {
    #[inlined]
    fn new(system: S) -> Self {
        Body { system, types: PhantomData }
    }

    /// Makes the step `trial` and plans the next one.
    ///
    /// Returns whether idle lanes are to acquire trajectories before the next step.
    #[inlined]
    fn make<R, Q, const N: usize, const P: usize>(
        &self,
        io: &mut Q,
        o: &Options<R, N>,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &mut attempt::Attempt<R>,
    ) -> bool
    where
        R: Real,
        S: System<N, P>,
        Q: Source<R, N, P> + Sink<R, N, P>,
    {
        let system = self.system;
        let mut step = attempt::attempt::<R, S, M, N, P>(system, state, &trial.ask);
        let verdict = attempt::judge::<R, S, M, N, P>(o, state, lane, &trial.ask, &step);
        let moves = verdict.accept & trial.run;
        crate::integrate::go::<R, S, M, Q, C, N, P>(
            system,
            io,
            o,
            state,
            lane,
            trial,
            &mut step,
            &verdict,
            moves,
            &[R::lit(0.0); N],
            &mut features::fresh::<R>(),
        );
        if io.should_refill(lane::is_in_need::<R>(lane)) {
            return true;
        }
        *trial = attempt::next::<R, M, C, N>(o, lane);
        false
    }
}
