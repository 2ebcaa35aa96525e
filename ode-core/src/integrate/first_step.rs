//! The automatic size of the first step.

pub use device::*;

#[ode_macros::device(first_step)]
mod device {
    use crate::integrate::consistent;
    use crate::lane::{Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{control, norm, stepper, timeline, vector};
    use crate::system::System;

    /// The first step size, positive and at most the length of the span, also where the norms are
    /// not finite.
    ///
    /// Euler steps show how fast the derivative changes, as in Hairer, Nørsett and Wanner I, II.4,
    /// "Starting step size". The formulas there depend on the unit of time, and ignore states below
    /// their tolerances; these do neither. `|.|` is the norm of scaled errors, and powers are by
    /// binary logarithms, accurate to a few percent.
    ///
    /// * The first Euler step has the size `h₀ = max(|u|/100, 1) / |u'|`. It moves the state by a
    ///   hundredth of itself, and at least by one unit of the tolerance. If the derivative would not
    ///   move the state by such a unit in the whole span, `h₀` is a millionth of the span: growth
    ///   from a state that small shows only on the way.
    /// * If the derivative changes there by more than half of itself, and in a part of the step
    ///   not by that part of the change, `h₀` becomes that part, again and again: it was too long
    ///   to show the rate.
    /// * With the change `d` of the derivative, the state moves at a speed of `s = max(|u'|, |d|)`,
    ///   and changes its course at a rate of `r = |d| / (h₀ s)`. With `T = 100 h₀` the step is
    ///   `h₁ = T (0.01 / (s T (r T)^q))^(1 / (order + 1))`, and at most `T`; `q` is the order if
    ///   `r T < 1`, and else 1, since implicit methods pass over fast linear modes.
    /// * An Euler step of size `h₁` must not change the derivative by more than the derivative
    ///   itself, apart from a change in proportion to the first one's. Otherwise the size is
    ///   shortened, by a factor of 1024 at most: the derivatives at the start may not show yet how
    ///   stiff the system is, and error estimates have zeros.
    ///
    /// A size below the resolution of the time is raised to that if such a step
    /// [is gentle](is_gentle).
    #[called]
    pub fn size<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        span: R,
        k: &[R; N],
        tolerances: &norm::Tolerances<R, N>,
    ) -> R {
        let zero = [R::lit(0.0); N];
        let mean = R::lit(1.0 / N as f64);
        let of_u = norm::scaled_error_sq::<R, N>(u, u, &zero, tolerances) * mean;
        let of_du = norm::scaled_error_sq::<R, N>(k, u, &zero, tolerances) * mean;
        let mut h0 = shortest::<R>(of_u, of_du, span);
        let mut most = h0 * R::lit(MOST);
        let mut first = du_change::<R, S, N, P>(system, u, p, t, h0.copysign(span), k);
        let mut of_change = norm::scaled_error_sq::<R, N>(&first, u, &zero, tolerances) * mean;
        let mut rough = is_rough::<R>(h0, of_du, of_change, t, span);
        let mut rounds: u32 = 0;
        while rough.any() {
            let part = R::select(rough, h0 * R::lit(SHORTER), h0);
            let near = du_change::<R, S, N, P>(system, u, p, t, part.copysign(span), k);
            let bend = vector::add(near, -(part / h0), &first);
            let of_bend = norm::scaled_error_sq::<R, N>(&bend, u, &zero, tolerances) * mean;
            h0 = part;
            first = near;
            of_change = norm::scaled_error_sq::<R, N>(&near, u, &zero, tolerances) * mean;
            rough = rough & bends::<R>(of_du, of_bend);
            most = R::select(rough, h0 * R::lit(MOST), most);
            rough = rough & is_rough::<R>(h0, of_du, of_change, t, span);
            rounds += 1;
            if rounds == ROUNDS {
                rough = <R::Mask as Mask>::splat(false);
            }
        }
        let root = <R::Single as Real>::lit(0.5 / (M::ORDER as f64 + 1.0));
        let wanted = longest::<R>(of_du, of_change, h0, most, span, root);
        let h = possible::<R>(wanted, t, span);
        let second = du_change::<R, S, N, P>(system, u, p, t, h.copysign(span), k);
        let of_second = norm::scaled_error_sq::<R, N>(&second, u, &zero, tolerances) * mean;
        let bend = vector::add(second, -(h / h0), &first);
        let of_bend = norm::scaled_error_sq::<R, N>(&bend, u, &zero, tolerances) * mean;
        let size = shortened::<R>(wanted, of_du, of_bend);
        R::select(is_gentle::<R>(h, of_du, of_second), possible::<R>(size, t, span), size)
    }

    /// The size `h₀` of the first Euler step, from the mean squares of the scaled state and
    /// derivative.
    pub fn shortest<R: Real>(of_u: R, of_du: R, span: R) -> R {
        let half = <R::Single as Real>::lit(0.5);
        let none = <R::Single as Real>::lit(0.0);
        let speed = log2::<R>(of_du) * half;
        let whole = log2::<R>(span.abs());
        let amount = (log2::<R>(of_u) + <R::Single as Real>::lit(LOG2_SHARE)).max(none) * half;
        let most = whole + <R::Single as Real>::lit(LOG2_PART);
        let moves = exp2::<R>((amount - speed).min(most));
        let still = span.abs() * R::lit(PART_OF_STILL);
        R::select(moves_less::<R>(of_du, span, R::lit(0.0)), still, moves).at_most(span.abs())
    }

    /// Whether the first Euler step is to be shorter, from the mean squares of the scaled derivative
    /// and of its change.
    pub fn is_rough<R: Real>(h0: R, of_du: R, of_change: R, t: R, span: R) -> R::Mask {
        let possible = (h0 * R::lit(SHORTER)).gt(timeline::least_step(t));
        let known = of_du.lt(R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
        possible
            & known
            & !moves_less::<R>(of_du, span, R::lit(LOG2_AT_REST))
            & !of_change.le(of_du * R::lit(0.25))
    }

    /// Whether the derivative moves the state in the whole span by less than `2^least` units of the
    /// tolerance, from the mean square of the scaled derivative.
    fn moves_less<R: Real>(of_du: R, span: R, least: R) -> R::Mask {
        let half = <R::Single as Real>::lit(0.5);
        let amount = log2::<R>(of_du) * half + log2::<R>(span.abs());
        R::from_single(amount).lt(least)
    }

    /// Whether the change of the derivative in an Euler step of a [part](SHORTER) of the size is far
    /// from that part of the change, from the mean squares of the scaled derivative and of the
    /// difference.
    pub fn bends<R: Real>(of_du: R, of_bend: R) -> R::Mask {
        !of_bend.le(of_du * R::lit(0.25 * SHORTER * SHORTER))
    }

    /// The size `h₁`, from the mean squares of the scaled derivative and of its change in the first
    /// Euler step, and from `T`, here `most`; `root` is `1/2` by one more than the order.
    pub fn longest<R: Real>(of_du: R, of_change: R, h0: R, most: R, span: R, root: R::Single) -> R {
        let half = <R::Single as Real>::lit(0.5);
        let shortest = log2::<R>(h0);
        let unit = log2::<R>(most);
        let change = log2::<R>(of_change);
        // The squares of the speed, and of the rate by one in the unit.
        let speed = log2::<R>(of_du).max(change);
        let rate = change - speed - shortest - shortest + unit + unit;
        let amount = speed + unit + unit;
        let share = <R::Single as Real>::lit(LOG2_SHARE);
        let log = (share - amount) * root - (rate * root).min(rate * (half - root));
        exp2::<R>(unit + log.min(<R::Single as Real>::lit(0.0))).at_most(span.abs())
    }

    /// The size after the second Euler step, from the mean squares of the scaled derivative and of
    /// its bend.
    pub fn shortened<R: Real>(h: R, of_du: R, of_bend: R) -> R {
        let ratio = (log2::<R>(of_du) - log2::<R>(of_bend)) * <R::Single as Real>::lit(0.5);
        let least = <R::Single as Real>::lit(LOG2_LEAST_BEND);
        let none = <R::Single as Real>::lit(0.0);
        h * control::exp2_wide::<R>(ratio.max(least).min(none))
    }

    /// The binary logarithm of a number that is not negative, piecewise linear; that of a NaN or an
    /// infinity is large.
    fn log2<R: Real>(x: R) -> R::Single {
        let one = R::lit(1.0).bits_to_single();
        let cap = R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE).bits_to_single();
        (x.bits_to_single().at_most(cap) - one) * control::octave::<R>()
    }

    /// About `2^x`, of exponents that a number can have.
    fn exp2<R: Real>(x: R::Single) -> R {
        let largest = log2::<R>(R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
        control::exp2_wide::<R>(x.max(-largest).min(largest))
    }

    /// The size, or the least one that advances time; at most the length of the span.
    pub fn possible<R: Real>(size: R, t: R, span: R) -> R {
        size.max(timeline::least_step(t)).at_most(span.abs())
    }

    /// Whether an Euler step of size `h` follows the solution, from the mean squares of the scaled
    /// derivative and of its change in that step: the derivative changes by half of itself at most,
    /// or the change moves the state by a unit of the tolerance at most.
    pub fn is_gentle<R: Real>(h: R, of_du: R, of_change: R) -> R::Mask {
        of_change.le(of_du * R::lit(0.25)) | (of_change * h * h).le(R::lit(1.0))
    }

    /// The size of the first step after an action: `h`, which errors allowed before the action, if
    /// two Euler steps from the new state, of this size and of a [part](SHORTER) of it, show no
    /// [bend](bends). Otherwise the [size](size) of a first step, if that is less.
    ///
    /// `rest` is the rest of the span, or of its part, whose sign `h` has.
    #[called]
    pub fn after_action<R: Real, S: System<N, P>, M: Stepper, const N: usize, const P: usize>(
        system: S,
        state: &stepper::State<R, N, P>,
        t: R,
        rest: R,
        h: R,
        k: &[R; N],
        which: R::Mask,
    ) -> R {
        let zero = [R::lit(0.0); N];
        let mean = R::lit(1.0 / N as f64);
        let tolerances = &state.tolerances;
        let of_du = norm::scaled_error_sq::<R, N>(k, &state.u, &zero, tolerances) * mean;
        let part = h.abs().at_most(rest.abs());
        let near = part * R::lit(SHORTER);
        let whole = du_change::<R, S, N, P>(system, &state.u, &state.p, t, part.copysign(rest), k);
        let first = du_change::<R, S, N, P>(system, &state.u, &state.p, t, near.copysign(rest), k);
        let bend = vector::add(first, R::lit(-SHORTER), &whole);
        let of_bend = norm::scaled_error_sq::<R, N>(&bend, &state.u, &zero, tolerances) * mean;
        let mut next = h.abs();
        let rough = which & bends::<R>(of_du, of_bend);
        if rough.any() {
            let anew = size::<R, S, M, N, P>(system, &state.u, &state.p, t, rest, k, tolerances);
            next = R::select(rough, anew.at_most(next), next);
        }
        next
    }

    /// The change of the derivative `k` in an Euler step of size `h`.
    pub fn du_change<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        h: R,
        k: &[R; N],
    ) -> [R; N] {
        let moved = vector::add(*u, h, k);
        let mut there = system.rhs(&moved, p, t + h);
        if S::MASS {
            there = consistent::derivative::<R, S, N, P>(system, &moved, p, t + h, &there);
        }
        vector::add(there, R::lit(-1.0), k)
    }

    /// Whether even a step of [`RAISED`] times this `size` would not advance time. An L-stable
    /// method damps fast modes, so a much longer step need not show a large error. A span shorter
    /// than the step is excepted.
    pub fn is_blind<R: Real>(size: R, t: R, span: R) -> R::Mask {
        (size * R::lit(RAISED)).lt(timeline::least_step(t)) & size.lt(span.abs())
    }

    /// The factor by which a first step may be lengthened, where shorter ones do not advance time.
    pub const RAISED: f64 = 16.0;
    /// The binary logarithm of the smallest factor by which a bend shortens the first step.
    pub const LOG2_LEAST_BEND: f64 = -10.0;
    /// The binary logarithm of the movement in the whole span, in units of the tolerance, below
    /// which the first Euler step is not shortened, since its bend may be of rounding: `log2(1e-5)`.
    pub const LOG2_AT_REST: f64 = -16.609640474436812;
    /// The binary logarithm of the largest part of the span for the first Euler step: `log2(0.01)`.
    pub const LOG2_PART: f64 = -6.643856189774724;
    /// That part if the state moves by less than a unit of the tolerance in the whole span.
    pub const PART_OF_STILL: f64 = 1e-6;
    /// The factor by which the first Euler step becomes shorter where the derivative bends.
    pub const SHORTER: f64 = 0.0625;
    /// The largest ratio of the two Euler steps.
    pub const MOST: f64 = 100.0;
    /// The largest number of times that the first Euler step becomes shorter.
    pub const ROUNDS: u32 = 12;
    /// `log2(0.01²)`.
    pub const LOG2_SHARE: f64 = -13.287712379549449;
    /// `2^1000`.
    pub const LARGEST_DOUBLE: f64 = 1.0715086071862673e301;
    /// `2^120`.
    pub const LARGEST_SINGLE: f64 = 1.329227995784916e36;
}
