//! Consistent initialisation of systems with a mass matrix.
//!
//! The result is a state that solves the algebraic equations, and the derivative there. Both are
//! limits of a step's linear system `(s M - J) x = b` for short steps, that is, large `s`. So both
//! use the factorisation of a step, and `M` may have any form with a zero row for each algebraic
//! equation.

pub use device::*;

#[ode_macros::device(consistent)]
mod device {
    use crate::integrate::lane;
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, norm, stepper, vector};
    use crate::system::System;

    /// A consistent state.
    #[derive(Clone, Copy, Debug)]
    pub struct Start<R: Real, const N: usize> {
        /// The state; the given one if none was found.
        pub u: [R; N],
        /// The [`code`]: the reason why no state was found.
        pub code: R::Bits,
    }

    /// `1/(γ h)` of a step so short that only the algebraic unknowns change.
    pub const SHORT: f64 = 1e20;

    /// The largest number of iterations of Newton's method.
    ///
    /// If the method converges at all, it needs only a few.
    pub const ITERATIONS: u32 = 24;

    /// The size of the last change, as a fraction of the tolerance.
    ///
    /// The remaining error is about the square of the change. If rounding keeps changes larger than
    /// this, changes within the tolerance suffice.
    pub const FRACTION: f64 = 1e-3;
    /// The size of the last change relative to the state, limited by rounding.
    pub const ROUNDING_DOUBLE: f64 = 1e-13;
    /// [`ROUNDING_DOUBLE`] for `f32`.
    pub const ROUNDING_SINGLE: f64 = 1e-5;

    /// Returns the state near `u` that solves the algebraic equations.
    ///
    /// Newton's method changes the algebraic unknowns and keeps the differential ones (Brown,
    /// Hindmarsh and Petzold, SIAM Journal on Scientific Computing 19 (1998)).
    #[called]
    pub fn consistent<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        tolerances: &norm::Tolerances<R, N>,
    ) -> Start<R, N> {
        let zero = [R::lit(0.0); N];
        let n = R::lit(N as f64);
        let mut last = *tolerances;
        for d in 0..N {
            last.abstol[d] = tolerances.abstol[d] * R::lit(FRACTION);
        }
        let rounding = R::lit_of(ROUNDING_DOUBLE, ROUNDING_SINGLE);
        last.reltol = rounding.max(tolerances.reltol * R::lit(FRACTION));
        let mut found = *u;
        let success = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut code = success;
        let mut open = <R::Mask as Mask>::splat(true);
        let mut left: u32 = ITERATIONS;
        loop {
            let w = system.factor(&found, p, t, R::lit(SHORT));
            let f = system.rhs(&found, p, t);
            if left == ITERATIONS {
                open = norm::is_finite::<R, N>(u) & norm::is_finite::<R, N>(&f);
                let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
                code = <R::Bits as Bits>::select(open, success, non_finite);
            }
            let mut change = system.solve(&w, &system.algebraic_rows(&f, &zero));
            let mut moved = found;
            for d in 0..N {
                moved[d] = found[d] + change[d];
            }
            let moved = system.algebraic_columns(&moved, &found);
            for d in 0..N {
                change[d] = moved[d] - found[d];
            }
            let square = norm::scaled_error_sq::<R, N>(&change, &found, &moved, &last);
            for d in 0..N {
                found[d] = R::select(open, moved[d], found[d]);
            }
            open = open & !square.le(n);
            left -= 1;
            let stop = left == 0;
            if stop {
                let square = norm::scaled_error_sq::<R, N>(&change, &found, &found, tolerances);
                open = open & !square.le(n);
                break;
            }
            if !open.any() {
                break;
            }
        }
        for d in 0..N {
            found[d] = R::select(open, u[d], found[d]);
        }
        let inconsistent = <R::Bits as Bits>::lit(code::INCONSISTENT);
        code = <R::Bits as Bits>::select(open, inconsistent, code);
        Start::<R, N> { u: found, code }
    }

    /// Makes the states of lanes `which` consistent at `t`.
    ///
    /// A lane that has failed before keeps its code.
    pub fn settle<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        state: &mut stepper::State<R, N, P>,
        lane: &mut lane::Lane<R>,
        which: R::Mask,
        t: R,
    ) {
        if S::ALGEBRAIC > 0 {
            let start = consistent::<R, S, N, P>(system, &state.u, &state.p, t, &state.tolerances);
            let success = <R::Bits as Bits>::lit(code::SUCCESS);
            state.u = vector::choose::<R, N>(which, start.u, state.u);
            let sound = which & lane.code.equals(success);
            lane.code = <R::Bits as Bits>::select(sound, start.code, lane.code);
        }
    }

    /// Returns the derivative `u'` at a consistent state with right-hand side `f`.
    ///
    /// Differential equations give `M u' = f`, and algebraic equations `g(u, t) = 0` give
    /// `∂g/∂u u' + ∂g/∂t = 0`.
    #[called]
    pub fn derivative<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        f: &[R; N],
    ) -> [R; N] {
        let mut by_time = [R::lit(0.0); N];
        if !S::AUTONOMOUS {
            by_time = system.time_gradient(u, p, t);
        }
        let mut scaled = *f;
        for d in 0..N {
            scaled[d] = f[d] * R::lit(SHORT);
        }
        let w = system.factor(u, p, t, R::lit(SHORT));
        system.solve(&w, &system.algebraic_rows(&by_time, &scaled))
    }
}
