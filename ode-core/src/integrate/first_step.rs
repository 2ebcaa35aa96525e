//! The automatic size of the first step.

pub use device::*;

#[ode_macros::device(first_step)]
mod device {
    use crate::integrate::consistent;
    use crate::lane::{Mask, Real};
    use crate::step::stepper::Stepper;
    use crate::step::{control, norm, stepper, timeline, vector};
    use crate::system::System;

    /// Returns the first step size, positive and at most the length of the span.
    ///
    /// The result has these properties even if the norms are not finite.
    ///
    /// Euler steps show how fast the derivative changes, as in Hairer, Nørsett and Wanner I, II.4,
    /// "Starting step size". The formulas there depend on the unit of time, and ignore states below
    /// their tolerances; the ones here do not. `|.|` is the norm of scaled errors. Powers are
    /// computed with binary logarithms, accurate to a few percent.
    ///
    /// * The first Euler step has the size `h₀ = max(|u|/100, 1) / |u'|`. It moves the state by a
    ///   hundredth of itself, and at least by one unit of the tolerance. If the derivative moves
    ///   the state by less than that unit in the whole span, `h₀` is a millionth of the span.
    ///   Growth from such a small state becomes visible only on the way.
    /// * The first Euler step may be too long to show the rate. The test has two parts: the
    ///   derivative changes by more than half of itself, and its change in a [fraction](SHORTER) of
    ///   the step is far from that fraction of the change. Then `h₀` is multiplied by that
    ///   fraction, repeatedly if necessary.
    /// * With the change `d` of the derivative, the state moves at a speed of `s = max(|u'|, |d|)`,
    ///   and changes its course at a rate of `r = |d| / (h₀ s)`. With `T = 100 h₀` the step is
    ///   `h₁ = T (0.01 / (s T (r T)^q))^(1 / (order + 1))`, and at most `T`.
    ///   The power `q` is the order if `r T < 1`, and otherwise 1, since implicit methods pass over
    ///   fast linear modes.
    /// * An Euler step of size `h₁` must not change the derivative by more than the derivative
    ///   itself, apart from a change in proportion to the first step's. Otherwise the size is
    ///   shortened, by a factor of at most 1024. The derivatives at the start may not show yet how
    ///   stiff the system is, and error estimates have zeros.
    ///
    /// A size below the resolution of the time is raised to that resolution if such a step [is
    /// gentle](is_gentle).
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

    /// Returns the size `h₀` of the first Euler step.
    ///
    /// The arguments are the mean squares of the scaled state and derivative, and the span.
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

    /// Returns whether the first Euler step must be shorter.
    ///
    /// `of_du` and `of_change` are the mean squares of the scaled derivative and of its change.
    pub fn is_rough<R: Real>(h0: R, of_du: R, of_change: R, t: R, span: R) -> R::Mask {
        let possible = (h0 * R::lit(SHORTER)).gt(timeline::least_step(t));
        let known = of_du.lt(R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
        possible
            & known
            & !moves_less::<R>(of_du, span, R::lit(LOG2_AT_REST))
            & !of_change.le(of_du * R::lit(0.25))
    }

    /// Returns whether the state moves by less than `2^least` tolerances in the span.
    ///
    /// `of_du` is the mean square of the scaled derivative.
    fn moves_less<R: Real>(of_du: R, span: R, least: R) -> R::Mask {
        let half = <R::Single as Real>::lit(0.5);
        let amount = log2::<R>(of_du) * half + log2::<R>(span.abs());
        R::from_single(amount).lt(least)
    }

    /// Returns whether the derivative bends in the first Euler step.
    ///
    /// It bends if its change in a [fraction](SHORTER) of the step is far from that fraction of the
    /// change. `of_du` and `of_bend` are the mean squares of the scaled derivative and of the
    /// difference.
    pub fn bends<R: Real>(of_du: R, of_bend: R) -> R::Mask {
        !of_bend.le(of_du * R::lit(0.25 * SHORTER * SHORTER))
    }

    /// Returns the size `h₁`.
    ///
    /// `of_du` and `of_change` are the mean squares of the scaled derivative and of its change in
    /// the first Euler step. `most` is `T`, and `root` is `0.5 / (order + 1)`.
    pub fn longest<R: Real>(of_du: R, of_change: R, h0: R, most: R, span: R, root: R::Single) -> R {
        let half = <R::Single as Real>::lit(0.5);
        let shortest = log2::<R>(h0);
        let unit = log2::<R>(most);
        let change = log2::<R>(of_change);
        // Squares: the speed, and the rate per unit of time `most`.
        let speed = log2::<R>(of_du).max(change);
        let rate = change - speed - shortest - shortest + unit + unit;
        let amount = speed + unit + unit;
        let share = <R::Single as Real>::lit(LOG2_SHARE);
        let log = (share - amount) * root - (rate * root).min(rate * (half - root));
        exp2::<R>(unit + log.min(<R::Single as Real>::lit(0.0))).at_most(span.abs())
    }

    /// Returns the size after the second Euler step.
    ///
    /// `of_du` and `of_bend` are the mean squares of the scaled derivative and of its bend.
    pub fn shortened<R: Real>(h: R, of_du: R, of_bend: R) -> R {
        let ratio = (log2::<R>(of_du) - log2::<R>(of_bend)) * <R::Single as Real>::lit(0.5);
        let least = <R::Single as Real>::lit(LOG2_LEAST_BEND);
        let none = <R::Single as Real>::lit(0.0);
        h * control::exp2_wide::<R>(ratio.max(least).min(none))
    }

    /// Returns the binary logarithm of a non-negative number, piecewise linear.
    ///
    /// The result is large for a NaN or an infinity.
    fn log2<R: Real>(x: R) -> R::Single {
        let one = R::lit(1.0).bits_to_single();
        let cap = R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE).bits_to_single();
        (x.bits_to_single().at_most(cap) - one) * control::octave::<R>()
    }

    /// Returns about `2^x`, with `x` limited to the exponents of finite numbers.
    fn exp2<R: Real>(x: R::Single) -> R {
        let largest = log2::<R>(R::lit_of(LARGEST_DOUBLE, LARGEST_SINGLE));
        control::exp2_wide::<R>(x.max(-largest).min(largest))
    }

    /// Returns the size, at least one that advances time, at most the span.
    pub fn possible<R: Real>(size: R, t: R, span: R) -> R {
        size.max(timeline::least_step(t)).at_most(span.abs())
    }

    /// Returns whether an Euler step of size `h` follows the solution.
    ///
    /// It does if the derivative changes by at most half of itself, or if the change moves the
    /// state by at most one unit of the tolerance. `of_du` and `of_change` are the mean squares of
    /// the scaled derivative and of its change in that step.
    pub fn is_gentle<R: Real>(h: R, of_du: R, of_change: R) -> R::Mask {
        of_change.le(of_du * R::lit(0.25)) | (of_change * h * h).le(R::lit(1.0))
    }

    /// Returns the size of the first step after an action.
    ///
    /// It is `h`, the size that errors allowed before the action, if two Euler steps from the new
    /// state show no [bend](bends). These steps have the size `h` and a [fraction](SHORTER) of it.
    /// Otherwise it is the [size](size) of a first step, if that is less than `h`.
    ///
    /// `rest` is the rest of the span or of its segment, and has the sign of the steps.
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

    /// Returns the change of the derivative `k` in an Euler step of size `h`.
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

    /// Returns whether even a step of [`RAISED`] times this `size` would not advance time.
    ///
    /// The result is false if the span is shorter than `size`. A much longer step is no remedy: an
    /// L-stable method damps fast modes, so its error estimate may be small.
    pub fn is_blind<R: Real>(size: R, t: R, span: R) -> R::Mask {
        (size * R::lit(RAISED)).lt(timeline::least_step(t)) & size.lt(span.abs())
    }

    /// The largest factor that lengthens a first step which does not advance time.
    pub const RAISED: f64 = 16.0;
    /// The smallest factor that shortens a first step with a bend: `log2(1/1024)`.
    pub const LOG2_LEAST_BEND: f64 = -10.0;
    /// The movement in the whole span below which `h₀` is not shortened: `log2(1e-5)`.
    ///
    /// The binary logarithm of the movement in units of the tolerance. Below it, a bend may be due
    /// to rounding.
    pub const LOG2_AT_REST: f64 = -16.609640474436812;
    /// The largest fraction of the span for the first Euler step: `log2(0.01)`.
    pub const LOG2_PART: f64 = -6.643856189774724;
    /// The fraction of the span for the first Euler step if the state hardly moves.
    ///
    /// The derivative then moves the state by less than one tolerance in the whole span.
    pub const PART_OF_STILL: f64 = 1e-6;
    /// The factor that shortens the first Euler step if the derivative bends.
    pub const SHORTER: f64 = 0.0625;
    /// The largest ratio of the two Euler steps.
    pub const MOST: f64 = 100.0;
    /// The largest number of times that the first Euler step is shortened.
    pub const ROUNDS: u32 = 12;
    /// `log2(0.01²)`.
    pub const LOG2_SHARE: f64 = -13.287712379549449;
    /// `2^1000`.
    pub const LARGEST_DOUBLE: f64 = 1.0715086071862673e301;
    /// `2^120`.
    pub const LARGEST_SINGLE: f64 = 1.329227995784916e36;
}
