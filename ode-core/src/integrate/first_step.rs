//! The automatic size of the first step.

pub use device::*;

#[ode_macros::device(first_step)]
mod device {
    use crate::integrate::consistent;
    use crate::lane::Real;
    use crate::step::stepper::Stepper;
    use crate::step::{control, norm, timeline, vector};
    use crate::system::System;

    /// The first step size, positive: Hairer, Nørsett and Wanner I, II.4, "Starting step size",
    /// with roots by binary logarithms, accurate to a few percent. It is shortened, by a factor of
    /// 1024 at most, where an Euler step of this size shows another change of the derivative than a
    /// shorter one.
    ///
    /// `k` is the derivative `u'` at the start. The result is at most the length of the span, also
    /// where the norms are not finite.
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
        let n = R::lit(N as f64);
        let small = R::lit(N as f64 * SMALL);
        let u_sq = norm::scaled_error_sq::<R, N>(u, u, &zero, tolerances);
        let du_sq = norm::scaled_error_sq::<R, N>(k, u, &zero, tolerances);
        let either = u_sq.lt(small) | du_sq.lt(small);
        let half = <R::Single as Real>::lit(0.5);
        let ratio = control::log2_of_mean(u_sq, n) - control::log2_of_mean(du_sq, n);
        let ratio = control::exp2_wide::<R>(ratio * half);
        let guess = R::select(either, R::lit(1e-6), R::lit(0.01) * ratio);
        let h0 = guess.at_most(span.abs());
        // An Euler step of size `h0` gives an estimate of the second derivative.
        let delta_f0 = du_change::<R, S, N, P>(system, u, p, t, h0.copysign(span), k);
        let ddu_sq = norm::scaled_error_sq::<R, N>(&delta_f0, u, &zero, tolerances);
        let per_h0 = norm::reciprocal(h0);
        let ddu_sq = ddu_sq * (per_h0 * per_h0);
        let largest = du_sq.max(ddu_sq);
        // (0.01 / m)^(1/(order + 1)) with m² = largest / n.
        let log = <R::Single as Real>::lit(LOG2_SHARE) - control::log2_of_mean(largest, n);
        let root = <R::Single as Real>::lit(0.5 / (M::ORDER as f64 + 1.0));
        let h1 = control::exp2_wide::<R>(log * root);
        let flat = largest.le(R::lit(N as f64 * FLAT));
        let h1 = R::select(flat, (h0 * R::lit(1e-3)).max(R::lit(1e-6)), h1);
        let h = h1.min(R::lit(100.0) * h0).at_most(span.abs());
        // The derivatives at the start may not show yet how stiff the system is, and error
        // estimates have zeros. So an Euler step of this size must not change the derivative by
        // more than the derivative itself, apart from a change in proportion to the first Euler
        // step's.
        let delta_f = du_change::<R, S, N, P>(system, u, p, t, h.copysign(span), k);
        let bend = vector::add(delta_f, -(h / h0), &delta_f0);
        let bend = norm::scaled_error_sq::<R, N>(&bend, u, &zero, tolerances);
        let ratio = control::log2_of_mean(du_sq, n) - control::log2_of_mean(bend, n);
        let least = <R::Single as Real>::lit(LOG2_LEAST_BEND);
        let none = <R::Single as Real>::lit(0.0);
        let shorter = h * control::exp2_wide::<R>((ratio * half).max(least).min(none));
        // Where the norms do not show the scale, `h` is a guess, and at least the shortest possible
        // step.
        R::select(either, h.max(timeline::least_step(t)), shorter)
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
    /// `1e-5` squared, below which a squared norm is too small to divide by.
    pub const SMALL: f64 = 1e-10;
    /// `1e-15` squared, below which the solution counts as a straight line.
    pub const FLAT: f64 = 1e-30;
    /// `log2(0.01²)`.
    pub const LOG2_SHARE: f64 = -13.287712379549449;
}
