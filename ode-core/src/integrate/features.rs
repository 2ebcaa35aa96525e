//! Features: extremes, integrals and durations of numbers along a trajectory.
//!
//! A feature reduces a function of state, parameters and time over the time of a trajectory. The
//! loop computes features from accepted steps, so a solve needs no saved states. The code of
//! systems without features is not compiled ([`LoopConfig`](crate::integrate::options::LoopConfig)).
//!
//! # Within a step
//!
//! After an accepted step, the function is evaluated at five points: at both ends and on the
//! method's interpolant within the step. They are the points of the Gauss–Lobatto rule that
//! integrates polynomials of degree 7 exactly.
//!
//! - **Integrals** are sums of this rule over the steps, with compensated additions.
//! - **Extremes.** The largest of the five values may lie next to a turning point. If the turning
//!   point may exceed the maximum so far, the slope at the largest value brackets it, and the zero
//!   of the slope is searched as for [events](crate::integrate::roots). A minimum is the maximum
//!   of the negative function.
//! - **Durations** are the total time during which the function is positive. If two neighbouring
//!   values differ in sign, the zero between them is searched.
//!
//! So the interpolant decides the accuracy, and a swing between two neighbouring points is missed.
//! Step-size control does not consider features.
//!
//! # Events and actions
//!
//! A step to an event ends there, and the next step begins at the state after its actions. Both
//! ends of each step count, so extremes include both sides of a jump. The state at the end of the
//! trajectory counts as well, after its last action. Times before actions at the start of the span
//! have no length: features begin after these actions.
//!
//! # Order
//!
//! [`Events::event`](crate::system::Events::event) has the functions of features after those of
//! events: of maxima, of minima, of integrals, then of durations.

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(features)]
mod device {
    use crate::integrate::options::{self, LoopConfig, Sink};
    use crate::integrate::{attempt, begin, lane, roots};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::stepper::Stepper;
    use crate::step::{code, stepper, timeline};
    use crate::system::System;

    /// The largest number of features of two kinds.
    pub const MOST: usize = 2 * options::MOST_FEATURES;

    /// The points of a step, as fractions of it: `(1 ± sqrt(3/7))/2` beside the middle.
    pub const POINTS: [f64; 5] = [0.0, 0.17267316464601143, 0.5, 0.8273268353539886, 1.0];
    /// The weights of the Gauss–Lobatto rule: 1/20, 49/180 and 16/45.
    pub const WEIGHTS: [f64; 5] =
        [0.05, 0.2722222222222222, 0.35555555555555557, 0.2722222222222222, 0.05];

    /// The features of a lane's trajectory so far.
    #[derive(Clone, Copy, Debug)]
    pub struct Memory<R: Real> {
        /// The largest values, for maxima and then for minima.
        pub most: [R; MOST],
        /// The times of these values.
        pub at: [R; MOST],
        /// The sums, for integrals and then for durations.
        pub sums: [R; MOST],
        /// The rounding errors of these sums, `exact - sum`.
        pub lows: [R; MOST],
    }

    /// Returns the memory before the first step.
    pub fn fresh<R: Real>() -> Memory<R> {
        let zero = R::lit(0.0);
        Memory::<R> {
            most: [-math::infinity::<R>(); MOST],
            at: [math::not_a_number::<R>(); MOST],
            sums: [zero; MOST],
            lows: [zero; MOST],
        }
    }

    /// Delivers the features of finished trajectories, and begins the features of the next ones.
    ///
    /// `reasons` has the idle lanes. The function precedes [`begin::begin`].
    pub fn hand_in<
        R: Real,
        S: System<N, P>,
        Q: Sink<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        o: &options::Options<R, N>,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        memory: &mut Memory<R>,
        reasons: &begin::Need<R>,
    ) {
        let over = reasons.over;
        let ends = over | reasons.anew;
        if ends.any() {
            let new = fresh::<R>();
            // A function that switches at the end of the span has its earlier value there.
            let mut t = lane.t;
            if o.stops && C::TIME_DEPENDENT {
                t = lane.t - timeline::edge(lane.t, lane.t1 - lane.t0, lane.t1);
            }
            for e in 0..S::MAXIMA + S::MINIMA {
                let last = system.event(S::EVENTS + e, &state.u, &state.p, t);
                replace::<R>(memory, e, last, lane.t, over);
                let mut most = memory.most[e];
                if e >= S::MAXIMA {
                    most = -most;
                }
                io.set_feature(over, 2 * e, most);
                io.set_feature(over, 2 * e + 1, memory.at[e]);
                memory.most[e] = R::select(ends, new.most[e], memory.most[e]);
                memory.at[e] = R::select(ends, new.at[e], memory.at[e]);
            }
            for e in 0..S::INTEGRALS + S::TIMES_POSITIVE {
                let sum = memory.sums[e] + memory.lows[e];
                io.set_feature(over, 2 * (S::MAXIMA + S::MINIMA) + e, sum);
                memory.sums[e] = R::select(ends, new.sums[e], memory.sums[e]);
                memory.lows[e] = R::select(ends, new.lows[e], memory.lows[e]);
            }
        }
    }

    /// Adds a step to the features of lanes that move by it.
    pub fn add<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        moves: R::Mask,
        memory: &mut Memory<R>,
    ) {
        let made = step.code.equals(<R::Bits as Bits>::lit(code::SUCCESS));
        let goes = moves & trial.run & lane.alive & made;
        if goes.any() {
            let ask = &trial.ask;
            let step = M::complete::<R, S, N, P>(system, state, ask, step);
            let within = [
                M::interpolate::<R, N, P>(state, ask, &step, R::lit(POINTS[1])),
                M::interpolate::<R, N, P>(state, ask, &step, R::lit(POINTS[2])),
                M::interpolate::<R, N, P>(state, ask, &step, R::lit(POINTS[3])),
            ];
            let first = S::EVENTS;
            for e in 0..S::MAXIMA + S::MINIMA {
                let values =
                    values_of::<R, S, M, N, P>(system, state, ask, &step, &within, first + e);
                rise::<R, S, M, N, P>(system, state, lane, trial, &step, e, &values, goes, memory);
            }
            let first = S::EVENTS + S::MAXIMA + S::MINIMA;
            for e in 0..S::INTEGRALS {
                let values =
                    values_of::<R, S, M, N, P>(system, state, ask, &step, &within, first + e);
                let mut mean = values[0] * R::lit(WEIGHTS[0]);
                for i in 1..5 {
                    mean = values[i].mul_add(R::lit(WEIGHTS[i]), mean);
                }
                increase::<R>(memory, e, mean * ask.h, goes);
            }
            for e in S::INTEGRALS..S::INTEGRALS + S::TIMES_POSITIVE {
                let values =
                    values_of::<R, S, M, N, P>(system, state, ask, &step, &within, first + e);
                let part = positive_part::<R, S, M, N, P>(
                    system,
                    state,
                    ask,
                    &step,
                    first + e,
                    &values,
                    goes,
                );
                increase::<R>(memory, e, part * ask.h.abs(), goes);
            }
        }
    }

    /// Returns the values of a function at the points of a step.
    ///
    /// `within` has the states at the inner points.
    fn values_of<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        within: &[[R; N]; 3],
        index: usize,
    ) -> [R; 5] {
        // These times are within the segment of the step.
        let start = timeline::stage::<R, S, N, P>(&ask.at, R::lit(POINTS[0]));
        let end = timeline::stage::<R, S, N, P>(&ask.at, R::lit(POINTS[4]));
        let mut values = [system.event(index, &state.u, &state.p, start); 5];
        for i in 1..4 {
            let t = timeline::stage::<R, S, N, P>(&ask.at, R::lit(POINTS[i]));
            values[i] = system.event(index, &within[i - 1], &state.p, t);
        }
        values[4] = system.event(index, &step.u, &state.p, end);
        values
    }

    /// Replaces an extreme by `value` at time `t`, if it is larger, in lanes `which`.
    ///
    /// A NaN replaces everything, and stays.
    fn replace<R: Real>(memory: &mut Memory<R>, index: usize, value: R, t: R, which: R::Mask) {
        let larger = which & (value.gt(memory.most[index]) | !value.equals(value));
        memory.most[index] = R::select(larger, value, memory.most[index]);
        memory.at[index] = R::select(larger, t, memory.at[index]);
    }

    /// Adds a term to a sum, in lanes `which`.
    ///
    /// The addition is exact: D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2,
    /// theorem B.
    fn increase<R: Real>(memory: &mut Memory<R>, index: usize, term: R, which: R::Mask) {
        let before = memory.sums[index];
        let sum = before + term;
        let added = sum - before;
        let low = (before - (sum - added)) + (term - added);
        memory.sums[index] = R::select(which, sum, before);
        memory.lows[index] = R::select(which, memory.lows[index] + low, memory.lows[index]);
    }

    /// Updates an extreme by a step.
    ///
    /// `values` has the values of its function at the points of the step.
    fn rise<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        lane: &lane::Lane<R>,
        trial: &attempt::Attempt<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        index: usize,
        values: &[R; 5],
        goes: R::Mask,
        memory: &mut Memory<R>,
    ) {
        let ask = &trial.ask;
        let zero = R::lit(0.0);
        let full = R::lit(1.0);
        // The largest value, its neighbours, and the points of all three. At an end of the step,
        // the neighbours are the next two values.
        let mut most = values[0];
        let mut beside = [values[1], values[2]];
        let mut theta = zero;
        let mut low = zero;
        let mut high = R::lit(POINTS[1]);
        let mut broken = !values[0].equals(values[0]);
        for i in 1..4 {
            let larger = values[i].gt(most);
            broken = broken | !values[i].equals(values[i]);
            most = R::select(larger, values[i], most);
            beside[0] = R::select(larger, values[i - 1], beside[0]);
            beside[1] = R::select(larger, values[i + 1], beside[1]);
            theta = R::select(larger, R::lit(POINTS[i]), theta);
            low = R::select(larger, R::lit(POINTS[i - 1]), low);
            high = R::select(larger, R::lit(POINTS[i + 1]), high);
        }
        let larger = values[4].gt(most);
        broken = broken | !values[4].equals(values[4]);
        most = R::select(larger, values[4], most);
        beside[0] = R::select(larger, values[2], beside[0]);
        beside[1] = R::select(larger, values[3], beside[1]);
        theta = R::select(larger, full, theta);
        low = R::select(larger, R::lit(POINTS[3]), low);
        high = R::select(larger, full, high);
        // A parabola through the three values exceeds the largest one by less than a third of the
        // sum of these differences.
        let bound = ((most - beside[0]) + (most - beside[1])) + most;
        let promising = goes & bound.gt(memory.most[index]);
        if promising.any() {
            let of = S::EVENTS + index;
            let slope = roots::value_at::<R, S, M, N, P>(system, state, ask, step, of, theta, true);
            let rises = slope.gt(zero) & theta.lt(full);
            let falls = slope.lt(zero) & theta.gt(zero);
            let search = promising & (rises | falls);
            if search.any() {
                low = R::select(rises, theta, low);
                high = R::select(rises, high, theta);
                // The slope is positive at the lower end.
                let turn = roots::zero_of::<R, S, M, N, P>(
                    system, state, ask, step, of, search, low, high, -full, true,
                );
                let top =
                    roots::value_at::<R, S, M, N, P>(system, state, ask, step, of, turn, false);
                let higher = search & top.gt(most);
                most = R::select(higher, top, most);
                theta = R::select(higher, turn, theta);
            }
        }
        most = R::select(broken, math::not_a_number::<R>(), most);
        let within = lane.t + theta.mul_add(ask.h, lane.t_low);
        let end = R::select(trial.last, lane.t1, trial.next.t);
        let t = R::select(theta.equals(full), end, within);
        replace::<R>(memory, index, most, t, goes);
    }

    /// Returns the fraction of a step with a positive function; NaN if a value is.
    fn positive_part<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        ask: &stepper::Ask<R>,
        step: &stepper::Step<R, N, M::Kept<R, N>>,
        index: usize,
        values: &[R; 5],
        goes: R::Mask,
    ) -> R {
        let zero = R::lit(0.0);
        let full = R::lit(1.0);
        let mut part = zero;
        let mut broken = !values[0].equals(values[0]);
        for i in 0..4 {
            let both = values[i].gt(zero) & values[i + 1].gt(zero);
            broken = broken | !values[i + 1].equals(values[i + 1]);
            part = R::select(both, part + (R::lit(POINTS[i + 1]) - R::lit(POINTS[i])), part);
        }
        // The next interval with a zero in each lane, until there is none.
        let mut after = zero;
        let mut searched = goes & !broken;
        while searched.any() {
            let mut found = !goes;
            let mut low = zero;
            let mut high = zero;
            let mut falls = found;
            for i in 0..4 {
                let from = values[i].gt(zero);
                let to = values[i + 1].gt(zero);
                let crosses = (from & !to) | (!from & to);
                let here = searched & crosses & R::lit(POINTS[i]).ge(after) & !found;
                low = R::select(here, R::lit(POINTS[i]), low);
                high = R::select(here, R::lit(POINTS[i + 1]), high);
                falls = falls | (here & from);
                found = found | here;
            }
            found = found & searched;
            if found.any() {
                let side = R::select(falls, full, -full);
                let root = roots::zero_of::<R, S, M, N, P>(
                    system, state, ask, step, index, found, low, high, side, false,
                );
                let added = R::select(falls, root - low, high - root);
                part = R::select(found, part + added, part);
                after = high;
            }
            searched = found;
        }
        R::select(broken, math::not_a_number::<R>(), part)
    }
}
