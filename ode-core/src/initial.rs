//! What a system with a mass matrix begins with: a state that solves its algebraic equations, and the
//! derivative there.
//!
//! Both are limits of a step's linear system `(s M - J) x = b` for short steps, that is large `s`: the
//! same factorisation serves, and nothing is asked of the form of `M` but that it has zero rows for its
//! algebraic equations.

pub use device::*;

#[ode_macros::device(initial)]
mod device {
    use crate::controller;
    use crate::integrate::code;
    use crate::lane::{Bits, Mask, Real};
    use crate::methods::stepper;
    use crate::system::System;

    /// A consistent state.
    #[derive(Clone, Copy, Debug)]
    pub struct Start<R: Real, const N: usize> {
        /// The state; the one that was given where none was found.
        pub u: [R; N],
        /// Why there is none, as a [`code`].
        pub code: R::Bits,
    }

    /// `1/(γ h)` of so short a step that nothing but the algebraic unknowns moves.
    pub const SHORT: f64 = 1e20;

    /// The iterations of Newton's method after which a state is given up. Where it converges at all it
    /// takes a handful.
    pub const ITERATIONS: u32 = 24;

    /// The last change, as a fraction of the tolerance. The error that is left is about its square. Where
    /// rounding does not let changes become as small, those within the tolerance will do.
    pub const FRACTION: f64 = 1e-3;
    /// The last change relative to the state: what rounding leaves.
    pub const ROUNDING_DOUBLE: f64 = 1e-13;
    /// See [`ROUNDING_DOUBLE`].
    pub const ROUNDING_SINGLE: f64 = 1e-5;

    /// The state near `u` that solves the algebraic equations, by Newton's method; differential unknowns
    /// stay what they are (Brown, Hindmarsh and Petzold, SIAM Journal on Scientific Computing 19 (1998)).
    #[called]
    pub fn consistent<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        tolerances: &stepper::Tolerances<R, N>,
    ) -> Start<R, N> {
        let zero = [R::lit(0.0); N];
        let most = R::lit(N as f64);
        let mut last = *tolerances;
        for d in 0..N {
            last.abstol[d] = tolerances.abstol[d] * R::lit(FRACTION);
        }
        let rounding = R::lit_of(ROUNDING_DOUBLE, ROUNDING_SINGLE);
        last.reltol = rounding.max(tolerances.reltol * R::lit(FRACTION));
        let mut found = *u;
        let success = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut why = success;
        let mut open = <R::Mask as Mask>::splat(true);
        let mut left: u32 = ITERATIONS;
        loop {
            let w = S::factor(&found, p, t, R::lit(SHORT));
            let f = S::rhs(&found, p, t);
            if left == ITERATIONS {
                open = stepper::is_finite::<R, N>(u) & stepper::is_finite::<R, N>(&f);
                let non_finite = <R::Bits as Bits>::lit(code::NON_FINITE);
                why = <R::Bits as Bits>::select(open, success, non_finite);
            }
            let mut change = S::solve(&w, &S::algebraic_rows(&f, &zero));
            let mut moved = found;
            for d in 0..N {
                moved[d] = found[d] + change[d];
            }
            let moved = S::algebraic_columns(&moved, &found);
            for d in 0..N {
                change[d] = moved[d] - found[d];
            }
            let square = controller::square_norm::<R, N>(&change, &found, &moved, &last);
            for d in 0..N {
                found[d] = R::select(open, moved[d], found[d]);
            }
            open = open & !square.le(most);
            left -= 1;
            let stop = left == 0;
            if stop {
                let square = controller::square_norm::<R, N>(&change, &found, &found, tolerances);
                open = open & !square.le(most);
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
        why = <R::Bits as Bits>::select(open, inconsistent, why);
        Start::<R, N> { u: found, code: why }
    }

    /// The derivative `u'` at a consistent state, where the right-hand side is `f`: from `M u' = f`, and of
    /// algebraic equations `g(u, t) = 0` from `∂g/∂u u' + ∂g/∂t = 0`.
    #[called]
    pub fn slope<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        f: &[R; N],
    ) -> [R; N] {
        let mut by_time = [R::lit(0.0); N];
        if !S::AUTONOMOUS {
            by_time = S::time_gradient(u, p, t);
        }
        let mut scaled = *f;
        for d in 0..N {
            scaled[d] = f[d] * R::lit(SHORT);
        }
        let w = S::factor(u, p, t, R::lit(SHORT));
        S::solve(&w, &S::algebraic_rows(&by_time, &scaled))
    }
}
