//! The size of the first step, where nobody gives one.

pub use device::*;

#[ode_macros::device(first)]
mod device {
    use crate::controller;
    use crate::initial;
    use crate::lane::Real;
    use crate::methods::Stepper;
    use crate::methods::stepper;
    use crate::system::System;
    use crate::timeline;

    /// The first step size, positive: Hairer, Nørsett and Wanner I, II.4, "Starting step size",
    /// with the roots read off the binary logarithm; a few percent matter to nobody. Shorter, by a thousand
    /// times at most, where an Euler step of it shows that the derivative changes otherwise than a shorter
    /// one shows.
    ///
    /// `k` is the derivative `u'` at the start. At most the length of the span; that too where the
    /// norms are not finite.
    #[called]
    pub fn size<
        R: Real,
        S: System<N, P>,
        M: Stepper<K>,
        const N: usize,
        const P: usize,
        const K: usize,
    >(
        u: &[R; N],
        p: &[R; P],
        t: R,
        span: R,
        k: &[R; N],
        tolerances: &stepper::Tolerances<R, N>,
    ) -> R {
        let zero = [R::lit(0.0); N];
        let n = R::lit(N as f64);
        let small = R::lit(N as f64 * SMALL);
        let size = controller::square_norm::<R, N>(u, u, &zero, tolerances);
        let slope = controller::square_norm::<R, N>(k, u, &zero, tolerances);
        let either = size.lt(small) | slope.lt(small);
        let half = <R::Single as Real>::lit(0.5);
        let ratio = controller::log2_of_mean(size, n) - controller::log2_of_mean(slope, n);
        let ratio = controller::exp2_wide::<R>(ratio * half);
        let guess = R::select(either, R::lit(1e-6), R::lit(0.01) * ratio);
        let h0 = guess.at_most(span.abs());
        // An Euler step of that size shows the second derivative.
        let little = slope_change::<R, S, N, P>(u, p, t, h0.copysign(span), k);
        let curve = controller::square_norm::<R, N>(&little, u, &zero, tolerances);
        let per_h0 = controller::reciprocal(h0);
        let curve = curve * (per_h0 * per_h0);
        let most = slope.max(curve);
        // (0.01 / m)^(1/(order + 1)) with m² = most / n.
        let log = <R::Single as Real>::lit(LOG2_SHARE) - controller::log2_of_mean(most, n);
        let root = <R::Single as Real>::lit(0.5 / (M::ORDER as f64 + 1.0));
        let h1 = controller::exp2_wide::<R>(log * root);
        let flat = most.le(R::lit(N as f64 * FLAT));
        let h1 = R::select(flat, (h0 * R::lit(1e-3)).max(R::lit(1e-6)), h1);
        let h = h1.min(R::lit(100.0) * h0).at_most(span.abs());
        // The derivatives at the start may not show yet how stiff the system is, and error estimates have
        // zeros. So in an Euler step of this size the derivative must not change by more than itself and what
        // is in proportion to the change in the first.
        let much = slope_change::<R, S, N, P>(u, p, t, h.copysign(span), k);
        let bend = stepper::add(much, -(h / h0), &little);
        let bend = controller::square_norm::<R, N>(&bend, u, &zero, tolerances);
        let ratio = controller::log2_of_mean(slope, n) - controller::log2_of_mean(bend, n);
        let least = <R::Single as Real>::lit(LOG2_LEAST_BEND);
        let none = <R::Single as Real>::lit(0.0);
        let shorter = h * controller::exp2_wide::<R>((ratio * half).max(least).min(none));
        // Where the norms tell nothing of the scale it is a guess, and the shortest step there is may be tried.
        R::select(either, h.max(timeline::least_step(t)), shorter)
    }

    /// The change of the derivative `k` in an Euler step.
    pub fn slope_change<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        h: R,
        k: &[R; N],
    ) -> [R; N] {
        let moved = stepper::add(*u, h, k);
        let mut there = S::rhs(&moved, p, t + h);
        if S::MASS {
            there = initial::slope::<R, S, N, P>(&moved, p, t + h, &there);
        }
        stepper::add(there, R::lit(-1.0), k)
    }

    /// Whether time has no step of this `size` or a little more. An L-stable method damps what it cannot follow, so a
    /// much longer one need not show that in its errors. Of a span as short nothing else is left.
    pub fn is_blind<R: Real>(size: R, t: R, span: R) -> R::Mask {
        (size * R::lit(RAISED)).lt(timeline::least_step(t)) & size.lt(span.abs())
    }

    /// How many times as long as it is chosen a first step may be, where time has no shorter ones.
    pub const RAISED: f64 = 16.0;
    /// The binary logarithm of how much a bend shortens the first step at most.
    pub const LOG2_LEAST_BEND: f64 = -10.0;
    /// `1e-5` squared: below it a norm is too small to divide by.
    pub const SMALL: f64 = 1e-10;
    /// `1e-15` squared: below it the solution is a straight line.
    pub const FLAT: f64 = 1e-30;
    /// `log2(0.01²)`.
    pub const LOG2_SHARE: f64 = -13.287712379549449;
}
