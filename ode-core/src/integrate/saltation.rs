//! The adjoint of actions: derivatives with respect to the states before them.
//!
//! At the time `T`, actions change the state `u` to `r(u, p, T)`. The derivative of the right-hand
//! side at `u` and after the actions is `f` and `f'`. Let `λ` be the derivatives of a loss with
//! respect to the state after the actions, at the fixed time `T`. Then `r_uᵀ λ` are those with
//! respect to `u`, at a fixed time of the actions. The time itself depends on `u` and `p`, and
//!
//! ```text
//! c = λᵀ (r_u f + r_t - f')
//! ```
//!
//! is the derivative of the loss with respect to it: if the actions take place later, the solution
//! follows `f` for longer, and `f'` for shorter. If they end the trajectory, `f'` is zero.
//!
//! * An event takes place at `g(u, p, T) = 0`. Its function moves at the speed `d = g_uᵀ f + g_t`,
//!   so `T` has the derivatives `-g_u / d` and `-g_p / d`. These and `r_u` together are the
//!   transposed saltation matrix.
//! * The time of a scheduled action depends on `p` alone.
//! * Conditions hold at the ends of steps, with sizes that are frozen. So `c` does not count.
//! * If the right-hand side jumps at a time that depends on `p`, there is no action, and
//!   `c = λᵀ (f - f')`.
//!
//! If several actions have one cause, they take place at one time, and `r` is their composition.
//! Each scheduled action has a time of its own, even if two of these times are equal. Only after the
//! last one of them is `f'` zero at the end of a trajectory.
//!
//! # Coincidences
//!
//! If two events occur at one time `T`, the actions of both belong to the first cause. This is right
//! only if the derivatives of `T` are the same for both functions. Otherwise a change of the state
//! separates the events, and the trajectory has no gradient. The same holds if the right-hand side
//! jumps at several times that are equal, but have different derivatives with respect to `p`.
//!
//! # Grazing
//!
//! If an event function only touches zero, the time of the event has no derivative. In floating
//! point, `d` is then small, but not zero. `d` counts as zero if it is below a
//! [fraction](GRAZES_DOUBLE) of its terms, or of the speed at the beginning of the step to the
//! event. The trajectory then has no gradient, and the code
//! [`GRAZING`](crate::step::code::GRAZING).
//!
//! P. C. Müller, "Calculation of Lyapunov exponents for dynamic systems with discontinuities",
//! Chaos, Solitons & Fractals 5 (1995) 1671–1681, has the saltation matrix. For gradients of hybrid
//! systems see R. Serban and A. Recuero, "Sensitivity analysis for hybrid systems and systems with
//! memory", Journal of Computational and Nonlinear Dynamics 14 (2019) 091006.

pub use device::*;

// An action depends on this many quantities. A condition on constants is a statement of its own: C++
// compiles the code behind it only if it holds.
#[allow(clippy::too_many_arguments, clippy::collapsible_if)]
#[ode_macros::device(saltation)]
mod device {
    use crate::integrate::options::LoopConfig;
    use crate::integrate::recorded::RecordSource;
    use crate::integrate::{recorded, recording};
    use crate::lane::{Bits, Mask, Real};
    use crate::math;
    use crate::step::{timeline, vector};
    use crate::system::PullBack;

    /// The largest speed of grazing, relative to the terms of the speed: `2^-20`.
    pub const GRAZES_DOUBLE: f64 = 9.5367431640625e-7;
    /// The same in `f32`: `2^-10`.
    pub const GRAZES_SINGLE: f64 = 0.0009765625;

    /// Propagates derivatives to the state before the last remaining action, in lanes `which`.
    pub fn undo<
        R: Real,
        S: PullBack<N, P>,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        which: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let action = recorded::action::<R, N, P>(none, lane.row.t, lane.row.u, lane.p);
        let action = io.action(which, &action);
        let cause = <R::Bits as Bits>::lit(recording::CAUSE as u64);
        let segment = <R::Bits as Bits>::lit(recording::SEGMENT as u64);
        let coincides = <R::Bits as Bits>::lit(recording::COINCIDES as u64);
        let acts = which & action.kind.less_than(cause);
        let marked = which & action.kind.equals(segment);
        let causes = which & !acts & action.kind.less_than(coincides);
        let time = time_of_rhs::<R, Q, C, N, P>(io, lane, action.t);
        let opens = (acts | causes) & !lane.open;
        if opens.any() {
            open::<R, S, N, P>(system, lane, &action, time, opens);
        }
        recorded::set_modes::<R, S, N, P>(lane, &action.p, which);
        if acts.any() {
            through::<R, S, N, P>(system, lane, &action, acts);
        }
        if causes.any() {
            move_time::<R, S, N, P>(system, lane, &action, time, causes);
        }
        if S::EVENTS > 1 {
            let others = which & !acts & !causes & !marked;
            if others.any() {
                compare_times::<R, S, N, P>(system, lane, &action, time, others);
            }
        }
        if C::TIME_DEPENDENT {
            if marked.any() {
                begin_segment::<R, S, Q, N, P>(system, io, lane, &action.u, marked);
            }
        }
    }

    /// Returns the time at which the right-hand side is evaluated at an action.
    ///
    /// It may jump at the ends of the segment.
    fn time_of_rhs<
        R: Real,
        Q: RecordSource<R, N, P>,
        C: LoopConfig,
        const N: usize,
        const P: usize,
    >(
        io: &Q,
        lane: &recorded::Lane<R, N, P>,
        t: R,
    ) -> R {
        let mut time = t;
        if C::TIME_DEPENDENT && io.stops() {
            let edge = timeline::edge(lane.from, lane.to - lane.from, lane.to);
            time = R::select(t.equals(lane.from), t + edge, time);
            time = R::select(t.equals(lane.to), t - edge, time);
        }
        time
    }

    /// Begins with the derivatives after the last action of a cause, in lanes `which`.
    fn open<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        lane: &mut recorded::Lane<R, N, P>,
        action: &recorded::Action<R, N, P>,
        time: R,
        which: R::Mask,
    ) {
        let mut after = action.u;
        let mut number = <R::Bits as Bits>::lit(0);
        for a in 0..S::EVENTS + S::TIMED + S::CONDITIONS {
            let here = which & action.kind.equals(number);
            if here.any() {
                let next = system.event_action(a, &action.u, &action.p, action.t);
                after = vector::choose::<R, N>(here, next, after);
            }
            number = number.wrapping_add(<R::Bits as Bits>::lit(1));
        }
        // The modes of the lane are those after the action.
        let f = system.rhs(&after, &lane.p, time);
        let gain = R::select(lane.over, R::lit(0.0), product::<R, N>(&lane.back.u, &f));
        lane.gain = R::select(which, gain, lane.gain);
        lane.open = lane.open | which;
    }

    /// Propagates derivatives through an action, at its fixed time, in lanes `which`.
    fn through<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        lane: &mut recorded::Lane<R, N, P>,
        action: &recorded::Action<R, N, P>,
        which: R::Mask,
    ) {
        let by_u = lane.back.u;
        let by_p = lane.back.p;
        let u = action.u;
        let p = action.p;
        let t = action.t;
        let mut number = <R::Bits as Bits>::lit(0);
        for a in 0..S::EVENTS + S::TIMED + S::CONDITIONS {
            let here = which & action.kind.equals(number);
            if here.any() {
                let of_u = system.action_by_state(a, &u, &p, t, &by_u, &by_p);
                let of_t = system.action_by_time(a, &u, &p, t, &by_u, &by_p);
                lane.back.u = vector::choose::<R, N>(here, of_u, lane.back.u);
                lane.gain = R::select(here, lane.gain - of_t, lane.gain);
                if P > 0 {
                    let of_p = system.action_by_parameters(a, &u, &p, t, &by_u, &by_p);
                    lane.back.p = vector::choose::<R, P>(here, of_p, lane.back.p);
                }
            }
            number = number.wrapping_add(<R::Bits as Bits>::lit(1));
        }
    }

    /// Adds the derivatives through the time of actions, in lanes `which`.
    fn move_time<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        lane: &mut recorded::Lane<R, N, P>,
        action: &recorded::Action<R, N, P>,
        time: R,
        which: R::Mask,
    ) {
        let one = <R::Bits as Bits>::lit(1);
        let u = action.u;
        let p = action.p;
        let t = action.t;
        let f = system.rhs(&u, &p, time);
        // The derivative with respect to the time, with the opposite sign.
        let gain = lane.gain - product::<R, N>(&lane.back.u, &f);
        let mut number = <R::Bits as Bits>::lit(recording::CAUSE as u64);
        let mut event = one;
        if S::EVENTS > 0 {
            for e in 0..S::EVENTS {
                let here = which & action.kind.equals(number);
                if here.any() {
                    let by_u = system.event_by_state(e, &u, &p, t);
                    let by_t = system.event_by_time(e, &u, &p, t);
                    let speed = product::<R, N>(&by_u, &f) + by_t;
                    let mut terms = by_t.abs();
                    for d in 0..N {
                        terms = terms + (by_u[d] * f[d]).abs();
                    }
                    lane.grazed = lane.grazed | (here & grazes::<R>(speed, terms));
                    let part = gain / speed;
                    for d in 0..N {
                        let sum = part.mul_add(by_u[d], lane.back.u[d]);
                        lane.back.u[d] = R::select(here, sum, lane.back.u[d]);
                    }
                    if P > 0 {
                        let by_p = system.event_by_parameters(e, &u, &p, t);
                        for d in 0..P {
                            let sum = part.mul_add(by_p[d], lane.back.p[d]);
                            lane.back.p[d] = R::select(here, sum, lane.back.p[d]);
                        }
                    }
                    lane.event = <R::Bits as Bits>::select(here, event, lane.event);
                    lane.speed = R::select(here, speed, lane.speed);
                }
                event = event.wrapping_add(one);
                number = number.wrapping_add(one);
            }
        }
        if S::TIMED > 0 && P > 0 {
            for e in 0..S::TIMED {
                let here = which & action.kind.equals(number);
                if here.any() {
                    let by_p = system.due_by_parameters(e, &p, t, timeline::few_units::<R>());
                    for d in 0..P {
                        let sum = (-gain).mul_add(by_p[d], lane.back.p[d]);
                        lane.back.p[d] = R::select(here, sum, lane.back.p[d]);
                    }
                }
                number = number.wrapping_add(one);
            }
        }
        lane.open = lane.open & !which;
        lane.over = lane.over & !which;
    }

    /// Tests whether another event, at the time of the last cause, has the same derivatives of its
    /// time, in lanes `which`.
    fn compare_times<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        lane: &mut recorded::Lane<R, N, P>,
        action: &recorded::Action<R, N, P>,
        time: R,
        which: R::Mask,
    ) {
        let one = <R::Bits as Bits>::lit(1);
        let zero = R::lit(0.0);
        let u = action.u;
        let p = action.p;
        let f = system.rhs(&u, &p, time);
        let mut first_by_u = [zero; N];
        let mut first_by_p = [zero; P];
        let mut by_u = [zero; N];
        let mut by_p = [zero; P];
        let mut by_t = zero;
        let mut number = <R::Bits as Bits>::lit(recording::COINCIDES as u64);
        let mut event = one;
        for e in 0..S::EVENTS {
            let of_u = system.event_by_state(e, &u, &p, action.t);
            let cause = lane.event.equals(event);
            let here = action.kind.equals(number);
            first_by_u = vector::choose::<R, N>(cause, of_u, first_by_u);
            by_u = vector::choose::<R, N>(here, of_u, by_u);
            if P > 0 {
                let of_p = system.event_by_parameters(e, &u, &p, action.t);
                first_by_p = vector::choose::<R, P>(cause, of_p, first_by_p);
                by_p = vector::choose::<R, P>(here, of_p, by_p);
            }
            by_t = R::select(here, system.event_by_time(e, &u, &p, action.t), by_t);
            event = event.wrapping_add(one);
            number = number.wrapping_add(one);
        }
        let speed = product::<R, N>(&by_u, &f) + by_t;
        let mut size = zero;
        for d in 0..N {
            size = size + (by_u[d] * lane.speed).abs() + (first_by_u[d] * speed).abs();
        }
        for d in 0..P {
            size = size + (by_p[d] * lane.speed).abs() + (first_by_p[d] * speed).abs();
        }
        let mut same = which;
        for d in 0..N {
            same = same & is_same::<R>(by_u[d] * lane.speed, first_by_u[d] * speed, size);
        }
        for d in 0..P {
            same = same & is_same::<R>(by_p[d] * lane.speed, first_by_p[d] * speed, size);
        }
        lane.grazed = lane.grazed | (which & !same);
    }

    /// Returns whether two numbers are equal, up to the limit of grazing.
    ///
    /// Numbers below the square of the limit, relative to `size`, may be rounding errors.
    fn is_same<R: Real>(a: R, b: R, size: R) -> R::Mask {
        let limit = R::lit_of(GRAZES_DOUBLE, GRAZES_SINGLE);
        (a - b).abs().le((a.abs() + b.abs() + size * limit) * limit)
    }

    /// Moves lanes `which` to the previous segment.
    ///
    /// Their state is `u` at the beginning of the current segment.
    pub fn begin_segment<
        R: Real,
        S: PullBack<N, P>,
        Q: RecordSource<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        system: S,
        io: &mut Q,
        lane: &mut recorded::Lane<R, N, P>,
        u: &[R; N],
        which: R::Mask,
    ) {
        let t = lane.from;
        let end = lane.to;
        recorded::segment_before::<R, Q, N, P>(io, lane, which);
        if S::PARAMETER_STOPS > 0 && P > 0 {
            let after = t + timeline::edge(t, end - t, end);
            let before = t - timeline::edge(lane.from, t - lane.from, t);
            let by_p = system.stop_by_parameters(&lane.p, t, timeline::few_units::<R>());
            let f_before = system.rhs(u, &lane.p, before);
            let f_after = system.rhs(u, &lane.p, after);
            let gain =
                product::<R, N>(&lane.back.u, &f_before) - product::<R, N>(&lane.back.u, &f_after);
            for d in 0..P {
                let sum = gain.mul_add(by_p[d], lane.back.p[d]);
                // Derivatives with respect to numbers that no stop depends on keep their bits.
                let moves = which & !by_p[d].equals(R::lit(0.0));
                lane.grazed = lane.grazed | (which & by_p[d].equals(math::infinity::<R>()));
                lane.back.p[d] = R::select(moves, sum, lane.back.p[d]);
            }
        }
    }

    /// Tests for grazing at the beginning of a step to an event, in lanes `which`.
    ///
    /// The derivative there is evaluated at the time `t`.
    pub fn compare_speeds<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
        system: S,
        lane: &mut recorded::Lane<R, N, P>,
        t: R,
        which: R::Mask,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let f = system.rhs(&lane.row.u, &lane.p, t);
        let mut event = <R::Bits as Bits>::lit(1);
        for e in 0..S::EVENTS {
            let here = which & lane.event.equals(event);
            if here.any() {
                let speed = system.event_slope(e, &lane.row.u, &lane.p, lane.row.t, &f);
                lane.grazed = lane.grazed | (here & grazes::<R>(lane.speed, speed));
            }
            event = event.wrapping_add(<R::Bits as Bits>::lit(1));
        }
        lane.event = <R::Bits as Bits>::select(which, none, lane.event);
    }

    /// Returns whether a speed counts as zero beside another speed.
    fn grazes<R: Real>(speed: R, other: R) -> R::Mask {
        speed.abs().le(other.abs() * R::lit_of(GRAZES_DOUBLE, GRAZES_SINGLE))
    }

    /// Returns the sum of the products of components.
    fn product<R: Real, const N: usize>(a: &[R; N], b: &[R; N]) -> R {
        let mut sum = R::lit(0.0);
        for d in 0..N {
            sum = a[d].mul_add(b[d], sum);
        }
        sum
    }
}
