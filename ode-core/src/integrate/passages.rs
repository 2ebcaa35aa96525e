//! Events of systems with noise.
//!
//! An event occurs at the end of a step in which its function has left its side of zero. An earlier
//! time would use the increments of the whole step and then discard a part of them, and so bias the
//! path that follows. The time of an event therefore has an error of the order of the step.
//!
//! A function may also cross zero and return within a step. Without such excursions, a path would
//! cross zero too rarely: as if zero were farther away by 0.5826 standard deviations of the function
//! over a step. Given the values `g_0` and `g_1` at both ends, on the same side, a Brownian motion of
//! variance `s²` per unit of time has reached zero with the probability
//!
//! ```text
//! exp(-2 g_0 g_1 / (s² h))
//! ```
//!
//! A uniform number of the step decides this. Events share it on the same side of zero if their
//! functions differ by a number that noise does not change. So a path that reaches the farther of two
//! levels has reached the nearer one, and both have the law of the path's extreme. The variance is
//! that at the beginning of the step, as in Euler's method. See E. Gobet, *Weak approximation of
//! killed diffusion using Euler schemes*, Stochastic Processes and their Applications 87 (2000)
//! 167–197; P. Glasserman, *Monte Carlo methods in financial engineering* (2004), section 6.4.
//!
//! A function that an action has left exactly at zero keeps its side. It has no excursion in the
//! step that follows, but may leave its side by the end of it.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(passages)]
mod device {
    use crate::integrate::options::{LoopConfig, Sink};
    use crate::integrate::{actions, attempt, events, lane, locate, logged, sides};
    use crate::lane::{Bits, Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{stepper, timeline};
    use crate::system::{Noise, System};

    /// The exponent beyond which excursions are too rare for any uniform number: above `54 ln 2`.
    pub const FAR: f64 = 38.0;

    /// Finds and counts the events of a step, in lanes `found.goes`.
    ///
    /// Stores the lanes with a step that may contain an event, the events at its end that act or
    /// end the trajectory, and those with functions that have returned.
    pub fn find<
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
        state: &stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        found: &mut events::Found<R, N>,
    ) {
        let zero = R::lit(0.0);
        let mut quiet = <R::Mask as Mask>::splat(true);
        for e in 0..S::EVENTS {
            let first = system.event(e, &state.u, &state.p, lane.t);
            let last = system.event(e, &step.u, &state.p, found.end);
            let scale = scale_of::<R, S, N, P>(system, state, trial, e);
            quiet = quiet & (first * last).gt(scale * R::lit(FAR));
        }
        found.near = found.goes & !quiet;
        let near = found.near;
        if near.any() {
            let none = <R::Bits as Bits>::lit(0);
            let one = <R::Bits as Bits>::lit(1);
            let acting = <R::Bits as Bits>::lit(S::ACTING as u64);
            let acting = acting | <R::Bits as Bits>::lit(S::DELAYED as u64);
            let mut slot = none;
            if S::LOGGED > 0 && io.logs() {
                slot = logged::slot_of_first::<R, S, Q, N, P>(io, none);
            }
            let mut broken = <R::Mask as Mask>::splat(false);
            let mut bit = one;
            let mut number = one;
            for e in 0..S::EVENTS {
                let above = sides::has::<R>(lane.sides, bit);
                let known = near & sides::has::<R>(lane.known, bit);
                let first = system.event(e, &state.u, &state.p, lane.t);
                let last = system.event(e, &step.u, &state.p, found.end);
                broken = broken | (near & !last.equals(last));
                let stays = (above & last.gt(zero)) | (!above & last.lt(zero));
                let crosses = known & !stays;
                let product = first * last;
                let scale = scale_of::<R, S, N, P>(system, state, trial, e);
                let mut returns = known & stays & product.gt(zero);
                returns = returns & !product.gt(scale * R::lit(FAR));
                if returns.any() {
                    let chance = (-(product / scale)).exp();
                    let stream = system.event_stream(e, &state.u, &state.p, lane.t);
                    let stream = timeline::whole_to_bits(stream).shl::<1>();
                    let index = stream | <R::Bits as Bits>::select(above, one, none);
                    let uniform = <S::Noise as Noise<N, P>>::uniform::<R>(&trial.ask.path, index);
                    returns = returns & uniform.lt(chance);
                }
                let leaves = crosses | returns;
                let counts = leaves & locate::counts_from::<R, S, N, P>(above, bit);
                if counts.any() {
                    let count = io.event_count(e).wrapping_add(one);
                    let ends = actions::ends::<R, S, N, P>(system, state, lane.t, e, count);
                    let fires = counts & (ends | sides::has::<R>(acting, bit));
                    found.fired = sides::with::<R>(found.fired, bit, fires);
                    found.returned = sides::with::<R>(found.returned, bit, counts & returns);
                    if S::LOGGED > 0 && io.logs() {
                        let logs = counts & !fires & logged::is_logged::<R, S, N, P>(bit);
                        let which = logged::number_of::<R>(number, !above);
                        io.log_event(logs, slot, which, found.end, &step.u, &step.u);
                        let next = slot.wrapping_add(one);
                        slot = <R::Bits as Bits>::select(logs, next, slot);
                    }
                    io.set_event_count(counts, e, count);
                }
                let appears = near & !known & (last.gt(zero) | last.lt(zero));
                let rises = (appears & last.gt(zero)) | (crosses & !above);
                let falls = (appears & last.lt(zero)) | (crosses & above);
                lane.sides = sides::with::<R>(lane.sides, bit, rises);
                lane.sides = <R::Bits as Bits>::select(falls, lane.sides & !bit, lane.sides);
                lane.known = sides::with::<R>(lane.known, bit, appears);
                bit = bit.wrapping_add(bit);
                number = number.wrapping_add(one);
            }
            if broken.any() {
                events::fail::<R, C>(lane, broken);
            }
        }
    }

    /// Returns the product of an event function's values at both ends of a step beside which
    /// excursions have the probability `1/e`.
    fn scale_of<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        trial: &attempt::Attempt<R>,
        index: usize,
    ) -> R {
        let variance = system.event_variance(index, &state.u, &state.p, trial.ask.at.t);
        variance * trial.ask.h * R::lit(0.5)
    }
}
