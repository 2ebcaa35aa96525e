//! ESDIRK methods: the one lane program that they all are.
//!
//! Singly diagonally implicit Runge–Kutta methods whose first stage is explicit (Kværnø, BIT 44 (2004)
//! 489–502; Kennedy and Carpenter, NASA/TM–2016–219173). Stage `i` is `Y_i = u + h Σ_j<i a_ij k_j + v_i`
//! with `v_i = γ h k_i`, and solves
//!
//! `M v_i/(γ h) = f(Y_i, t + c_i h)`,
//!
//! which leaves `k_i` its meaning, the derivative, for algebraic unknowns too. All are stiffly accurate:
//! the last stage is the new state, and its derivative the first of the next step.
//!
//! Newton's method is the simplified one: `W = M/(γ h) - J` at the beginning of the step, factorised once
//! for all its stages and iterations. It ends by Hairer's test of the rate of convergence (Hairer and
//! Wanner II, IV.8). A Jacobian is never kept for the next step: in straight-line code over the nonzeros
//! it costs a fraction of one iteration, and a fresh one saves more than that.
//!
//! The estimate of the error is filtered by `W` (Hosea and Shampine, Applied Numerical Mathematics 20
//! (1996) 21–37), since of a component that decays fast the unfiltered one is mostly of what is not there
//! any more. Between its ends a step is the cubic Hermite polynomial, of order 3.

/// What an ESDIRK method is, as data; `tests/esdirk.rs` proves it. Triangles lie row by row in a square
/// matrix, whose order is the number of stages.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The diagonal `γ`, but for the first stage.
    pub gamma: f64,
    /// `a_ij` below the diagonal. The last row has the weights of the solution.
    pub a: &'static [f64],
    /// The nodes.
    pub c: &'static [f64],
    /// The weights of the solution less those of the embedded one.
    pub error: &'static [f64],
    /// What each stage's derivative is guessed from before the iteration.
    pub guess: &'static [f64],
}

pub use device::*;

// The number of arguments is that of what a stage depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(esdirk)]
mod device {
    use super::super::stepper;
    use crate::controller;
    use crate::integrate::code;
    use crate::lane::{Bits, Mask, Real};
    use crate::system::System;

    /// What the last change of an iteration may leave, in units of the tolerance. Where steps are fixed and
    /// changes do not become smaller, the last one may be of the tolerance itself; else the step is refused.
    pub const KAPPA: f64 = 0.05;
    /// Iterations after which a stage is given up, though the changes become smaller. Algebraic unknowns take
    /// them: their rate of convergence is of the order of the step, where that of others is of its square.
    /// With 8, ESDIRK methods take 4% more steps on the stiff test set, and as many evaluations.
    pub const ITERATIONS: u32 = 20;
    /// Relative tolerances below which rounding would decide whether an iteration converges.
    pub const LEAST_DOUBLE: f64 = 4e-14;
    /// See [`LEAST_DOUBLE`].
    pub const LEAST_SINGLE: f64 = 2e-5;

    /// A stage.
    #[derive(Clone, Copy, Debug)]
    pub struct Stage<R: Real, const N: usize> {
        /// `γ h` times its derivative.
        pub v: [R; N],
        /// Why it was not solved, as a [`code`], where it was not.
        pub code: R::Bits,
    }

    /// Solves `per_gh M v = f(base + v, t)` from a guess of `v`, in lanes where `code` says that the stages
    /// before were solved, and `run`. Changes are measured as errors, beside the state `u`.
    pub fn stage<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        w: &S::Factors<R>,
        u: &[R; N],
        p: &[R; P],
        t: R,
        base: &[R; N],
        guess: &[R; N],
        per_gh: R,
        code: R::Bits,
        run: R::Mask,
        tolerances: &stepper::Tolerances<R, N>,
    ) -> Stage<R, N> {
        let solved = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut v = *guess;
        let mut why = code;
        let mut open = code.equals(solved) & run;
        let zero = R::lit(0.0);
        let mut rounded = *tolerances;
        rounded.reltol = tolerances.reltol.max(R::lit_of(LEAST_DOUBLE, LEAST_SINGLE));
        let per_limit = R::lit(1.0 / (N as f64 * KAPPA * KAPPA));
        let most = tolerances.slack * R::lit(1.0 / KAPPA);
        let most = most * most;
        // Squared, as `size` is. With this one the first change, of which no rate is known, is taken to have
        // one of a half.
        let mut last = R::lit(4.0);
        let mut done: u32 = 0;
        while open.any() {
            let mut y = *base;
            for d in 0..N {
                y[d] = base[d] + v[d];
            }
            let f = S::rhs(&y, p, t);
            let mut b = v;
            if S::MASS {
                b = S::mass(&v);
            }
            for d in 0..N {
                b[d] = (-per_gh).mul_add(b[d], f[d]);
            }
            let change = S::solve(w, &b);
            for d in 0..N {
                v[d] = R::select(open, v[d] + change[d], v[d]);
            }
            // The square of the change, in units of what may be left.
            let size = controller::square_norm::<R, N>(&change, u, &y, &rounded) * per_limit;
            let broken = open & !stepper::is_finite::<R, 1>(&[size]);
            if broken.any() {
                let singular = stepper::unsolved::<R, N>(&change, &f, &f);
                why = <R::Bits as Bits>::select(broken, singular, why);
            }
            // With `s` and `l` for the roots of `size` and `last`, the rate of convergence is `s/l` and `s`
            // times `rate/(1 - rate)` is left: at most one where `s² + s <= l`. Squared twice there is
            // neither a root in it nor a division.
            let rest = (-size).mul_add(size, last - size);
            let four = R::lit(4.0);
            let near = zero.le(rest) & (four * size * (size * size)).le(rest * rest);
            open = open & !near & why.equals(solved);
            let mut hopeless = !size.lt(last);
            if done == 0 {
                hopeless = <R::Mask as Mask>::splat(false);
            }
            done += 1;
            if done == ITERATIONS {
                hopeless = <R::Mask as Mask>::splat(true);
            }
            let diverged = <R::Bits as Bits>::lit(code::DIVERGED);
            // Rounding may not let it come as near as is asked for.
            let far = !size.le(most);
            why = <R::Bits as Bits>::select(open & hopeless & far, diverged, why);
            open = open & !hopeless;
            last = size;
        }
        Stage::<R, N> { v, code: why }
    }
}

/// Declares a method, in a module of lane programs that has its coefficients as constants. Stages count
/// from 0; the first is explicit, and the last the new state.
///
/// * `GAMMA`, `A`, `C`, `E`: the diagonal, the rows below it, the nodes, and the weights of the solution
///   less those of the embedded one of order `embedded`.
/// * `G`: what the derivative of a stage is guessed from.
macro_rules! esdirk {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt, embedded $embedded:tt, interpolant $interpolant:tt,
        stages $stages:tt,
        constants { $($constants:tt)* }
    ) => {
        pub use device::*;

        use super::rosenbrock::CONTROLLER;
        use super::{Properties, Stability};

        /// What is known of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            order: $order,
            embedded: &[$embedded],
            error: if $order < $embedded { $order } else { $embedded } + 1,
            controller: CONTROLLER,
            stages: $stages,
            fsal: true,
            interpolant: $interpolant,
            evaluations: $stages - 1,
            extra: 0,
            solves: $stages - 1,
            iterates: true,
            switches_to: None,
            stability: Stability::L,
        };

        /// Its coefficients.
        pub const TABLEAU: super::esdirk::Tableau = super::esdirk::Tableau {
            gamma: GAMMA,
            a: A.as_flattened(),
            c: &C,
            error: &E,
            guess: G.as_flattened(),
        };

        #[allow(unused_mut)]
        #[ode_macros::device($module)]
        mod device {
            use super::super::{esdirk, stepper};
            use crate::controller;
            use crate::guard;
            use crate::integrate::code;
            use crate::lane::{Bits, Real};
            use crate::system::System;
            use crate::timeline;
            use stepper::Stepper;

            $($constants)*

            /// As for Rosenbrock methods, but that the iteration needs registers too. On an H200 six stages
            /// of 8 states take as long either way, four of 20 states three quarters of the time rolled.
            const MOST: usize = 40;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper<$kept> for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = true;
                const FSAL: bool = true;
                const LAST: usize = $stages - 1;
                const SWITCHES: bool = false;
                const GUARDS: bool = true;
                const DIAGONAL: f64 = GAMMA;
                const ITERATES: bool = true;
                const SLOPE: bool = true;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    k1: &[R; N],
                    _mode: R::Bits,
                    tolerances: &stepper::Tolerances<R, N>,
                    watch: &guard::Watch<R>,
                ) -> stepper::Step<R, N, $kept> {
                    let gh = h * R::lit(GAMMA);
                    let per_gh = R::lit(1.0) / gh;
                    let w = S::factor(u, p, at.t, per_gh);
                    let mut code = <R::Bits as Bits>::lit(code::SUCCESS);
                    let mut k = R::blank::<N, $kept>();
                    k[0] = *k1;
                    let mut base = *u;
                    let mut v = *u;
                    #[rolled($stages * N > MOST * (2 - R::DOUBLE as usize))]
                    for i in 1..$stages {
                        let zero = [R::lit(0.0); N];
                        let mut sum = zero;
                        let mut guess = zero;
                        if R::LANES > 1 && $stages * N > MOST * (2 - R::DOUBLE as usize) {
                            let mut a = [R::lit(0.0); $kept];
                            let mut g = [R::lit(0.0); $kept];
                            for j in 0..i {
                                a[j] = R::lit(A[i][j]);
                                g[j] = R::lit(G[i][j]);
                            }
                            sum = stepper::combine::<R, N, $kept>(&zero, &a, &k, i);
                            guess = stepper::combine::<R, N, $kept>(&zero, &g, &k, i);
                        } else {
                            for j in 0..i {
                                sum = stepper::add(sum, R::lit(A[i][j]), &k[j]);
                                guess = stepper::add(guess, R::lit(G[i][j]), &k[j]);
                            }
                        }
                        for d in 0..N {
                            base[d] = h.mul_add(sum[d], u[d]);
                            v[d] = gh * guess[d];
                        }
                        // Kværnø's of order 5 have a node beyond the step.
                        let node = R::lit(C[i]).at_most(at.furthest);
                        let time = timeline::stage::<R, S, N, P>(at, node);
                        let stage = esdirk::stage::<R, S, N, P>(
                            &w, u, p, time, &base, &v, per_gh, code, at.run, tolerances,
                        );
                        code = stage.code;
                        v = stage.v;
                        for d in 0..N {
                            k[i][d] = v[d] * per_gh;
                        }
                    }
                    let mut sum = [R::lit(0.0); N];
                    for j in 0..$stages {
                        sum = stepper::add(sum, R::lit(E[j]), &k[j]);
                    }
                    let mut new = base;
                    let mut b = sum;
                    for d in 0..N {
                        new[d] = base[d] + v[d];
                        b[d] = R::lit(1.0 / GAMMA) * sum[d];
                    }
                    if S::MASS {
                        b = S::mass(&b);
                    }
                    k[$stages] = S::solve(&w, &b);
                    // Where there is nothing to begin with, nothing is to blame on the iteration.
                    let solved = <R::Bits as Bits>::lit(code::SUCCESS);
                    code = <R::Bits as Bits>::select(stepper::is_finite::<R, N>(k1), code, solved);
                    let mut step = stepper::step::<R, N, $kept>(new, k, code);
                    step.grows = guard::grows::<R, S, N, P>(&w, watch);
                    step
                }

                fn square_norm<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    _h: R,
                    tolerances: &stepper::Tolerances<R, N>,
                ) -> R {
                    controller::square_norm::<R, N>(&step.k[$stages], u, &step.u, tolerances)
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    _u: &[R; N],
                    _p: &[R; P],
                    _at: &timeline::At<R>,
                    _h: R,
                    step: &stepper::Step<R, N, $kept>,
                ) -> stepper::Step<R, N, $kept> {
                    *step
                }

                fn interpolate<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    h: R,
                    theta: R,
                ) -> [R; N] {
                    stepper::hermite::<R, N>(u, &step.k[0], &step.u, &step.k[$stages - 1], h, theta)
                }
            }
        }
    };
}
