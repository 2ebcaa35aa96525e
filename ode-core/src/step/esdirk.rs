//! ESDIRK methods: one lane program for all of them.
//!
//! They are singly diagonally implicit Runge–Kutta methods with an explicit first stage (Kværnø,
//! BIT 44 (2004) 489–502; Kennedy and Carpenter, NASA/TM–2016–219173). Stage `i` is
//! `Y_i = u + h Σ_j<i a_ij k_j + v_i` with `v_i = γ h k_i`, and solves
//!
//! `M v_i/(γ h) = f(Y_i, t + c_i h)`.
//!
//! So `k_i` is the derivative of algebraic unknowns, too. All methods are stiffly accurate: the
//! last stage is the new state, and its derivative is the first stage of the next step.
//!
//! # Iterations
//!
//! Stages are solved by simplified Newton iteration: `W = M/(γ h) - J` at the beginning of the step
//! is factorised once for all stages and iterations. The iteration ends by Hairer's test of the
//! rate of convergence (Hairer and Wanner II, IV.8). A Jacobian is never reused in the next step.
//! In straight-line code over the nonzeros, it costs a fraction of one iteration, and a fresh one
//! saves more than that.
//!
//! **The error estimate includes a [share](FOLLOWING) of the next change of the new state**: one more
//! evaluation, and no further linear system. Tests of convergence scale changes with the new state.
//! If it is enormous, a large change passes them, and it may pass the estimate of the method, too.
//! Without the next change, solutions with exponentials in their equations jumped by many orders of
//! magnitude, with `Success` (`tests/stiff/exponentials.rs`).
//!
//! One iteration for each stage, with the Jacobian at the first iterate of the first implicit stage,
//! takes 0.6 to 0.8 times as long. But this iterate is extrapolated, and where exponentials are, its
//! Jacobian may be so large that changes and the filtered estimate vanish beside it. With the
//! Jacobian at the beginning, one iteration leaves errors of tens of tolerances.
//!
//! # Errors
//!
//! The error estimate is filtered by `W` (Hosea and Shampine, Applied Numerical Mathematics 20
//! (1996) 21–37). The unfiltered estimate of a component that decays fast consists mostly of
//! amounts that have decayed. The interpolant is the cubic Hermite polynomial, of order 3.

/// The tableau of an ESDIRK method as data.
///
/// `tests/methods/esdirk.rs` proves its order conditions. Triangles lie row by row in a square
/// matrix; its order is the number of stages.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The diagonal coefficient `γ` of all stages except the first.
    pub gamma: f64,
    /// The coefficients `a_ij` below the diagonal. The last row has the weights of the solution.
    pub a: &'static [f64],
    /// The nodes.
    pub c: &'static [f64],
    /// The weights of the solution less the weights of the embedded one.
    pub error: &'static [f64],
    /// The predictors: weights for the first iterate of each stage's derivative.
    ///
    /// They multiply earlier derivatives.
    pub guess: &'static [f64],
}

pub use device::*;

// A stage depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(esdirk)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::step::{code, norm, stepper};
    use crate::system::System;

    /// The share of the new state's next Newton change in the error estimate of a step.
    ///
    /// Converged iterations leave small changes, and these shares hardly count. Others leave
    /// changes of many orders of magnitude.
    pub const FOLLOWING: f64 = 0.1;
    /// The largest remaining error of an iteration, in units of the tolerance.
    ///
    /// With fixed steps, if changes no longer become smaller, the last change may be as large as
    /// the tolerance itself. Otherwise the step is rejected.
    pub const KAPPA: f64 = 0.05;
    /// The largest number of iterations of a stage, even if changes become smaller.
    ///
    /// Algebraic unknowns need many iterations: their rate of convergence is of the order of the
    /// step, and the rate of others of the order of its square. With 8, ESDIRK methods take 4% more
    /// steps on the stiff test set, and as many evaluations.
    pub const ITERATIONS: u32 = 20;
    /// The least relative tolerance: below it, rounding would decide convergence.
    pub const LEAST_DOUBLE: f64 = 4e-14;
    /// [`LEAST_DOUBLE`] for `f32`.
    pub const LEAST_SINGLE: f64 = 2e-5;

    /// The solution of a stage.
    #[derive(Clone, Copy, Debug)]
    pub struct Stage<R: Real, const N: usize> {
        /// `γ h` times the derivative of the stage.
        pub v: [R; N],
        /// The [`code`] of a stage without a solution; [`code::SUCCESS`] if solved.
        pub code: R::Bits,
    }

    /// Solves `per_gh M v = f(base + v, t)` for `v`, starting at `guess`.
    ///
    /// It solves lanes of `run` if their `code` is success in all stages before. Changes are
    /// scaled as errors are, with the state `u`.
    pub fn stage<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &S::Factors<R>,
        u: &[R; N],
        p: &[R; P],
        t: R,
        base: &[R; N],
        guess: &[R; N],
        per_gh: R,
        code: R::Bits,
        run: R::Mask,
        tolerances: &norm::Tolerances<R, N>,
    ) -> Stage<R, N> {
        let solved = <R::Bits as Bits>::lit(code::SUCCESS);
        let mut v = *guess;
        let mut outcome = code;
        let mut open = code.equals(solved) & run;
        let zero = R::lit(0.0);
        let mut rounded = *tolerances;
        rounded.reltol = tolerances.reltol.max(R::lit_of(LEAST_DOUBLE, LEAST_SINGLE));
        let per_limit = R::lit(1.0 / (N as f64 * KAPPA * KAPPA));
        let max_size = tolerances.slack * R::lit(1.0 / KAPPA);
        let max_size = max_size * max_size;
        // The square of the last change, as `size` is. This first value makes the unknown rate of
        // convergence of the first change count as one half.
        let mut last = R::lit(4.0);
        let mut done: u32 = 0;
        while open.any() {
            let mut y = *base;
            for d in 0..N {
                y[d] = base[d] + v[d];
            }
            let f = system.rhs(&y, p, t);
            let mut b = v;
            if S::MASS {
                b = system.mass(&v);
            }
            for d in 0..N {
                b[d] = (-per_gh).mul_add(b[d], f[d]);
            }
            let change = system.solve(w, &b);
            for d in 0..N {
                v[d] = R::select(open, v[d] + change[d], v[d]);
            }
            // The square of the change, in units of the largest remaining error.
            let size = norm::scaled_error_sq::<R, N>(&change, u, &y, &rounded) * per_limit;
            let broken = open & !norm::is_finite::<R, 1>(&[size]);
            if broken.any() {
                let singular = stepper::unsolved::<R, N>(&change, &f, &f);
                outcome = <R::Bits as Bits>::select(broken, singular, outcome);
            }
            // With `s` and `l` for the roots of `size` and `last`, the rate of convergence is
            // `s/l`, and `s` times `rate/(1 - rate)` remains: at most one if `s² + s <= l`.
            // Squared twice, this condition needs neither a root nor a division.
            let rest = (-size).mul_add(size, last - size);
            let four = R::lit(4.0);
            let near = zero.le(rest) & (four * size * (size * size)).le(rest * rest);
            open = open & !near & outcome.equals(solved);
            let mut hopeless = !size.lt(last);
            if done == 0 {
                hopeless = <R::Mask as Mask>::splat(false);
            }
            done += 1;
            if done == ITERATIONS {
                hopeless = <R::Mask as Mask>::splat(true);
            }
            let diverged = <R::Bits as Bits>::lit(code::DIVERGED);
            // Rounding may prevent smaller changes.
            let far = !size.le(max_size);
            outcome = <R::Bits as Bits>::select(open & hopeless & far, diverged, outcome);
            open = open & !hopeless;
            last = size;
        }
        Stage::<R, N> { v, code: outcome }
    }
}

/// Declares a method, in a module of lane programs with its coefficients as constants.
///
/// Stages count from 0; the first is explicit, and the last is the new state.
///
/// * `GAMMA`, `A`, `C`, `E`: the diagonal, the rows below it, the nodes, and the weights of the
///   solution less the embedded one's, of order `embedded`.
/// * `within`: two stages with nodes within the step, or one twice. Their differences from the
///   interpolant count `margin` times as its error; `margin` is greater for one stage, which may
///   agree by chance.
/// * `G`: the predictors, see [`Tableau::guess`](crate::step::esdirk::Tableau::guess).
macro_rules! esdirk {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt, embedded $embedded:tt, interpolant $interpolant:tt,
        stages $stages:tt, within $one:tt and $other:tt, margin $margin:tt,
        constants { $($constants:tt)* }
    ) => {
        pub use device::*;

        use crate::step::rosenbrock::CONTROLLER;
        use crate::step::properties::{Properties, Stability};

        /// The properties of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            order: $order,
            embedded: &[$embedded],
            error: if $order < $embedded { $order } else { $embedded } + 1,
            controller: CONTROLLER,
            stages: $stages,
            fsal: true,
            interpolant: $interpolant,
            evaluations: $stages,
            extra: 0,
            solves: $stages - 1,
            iterates: true,
            switches_to: None,
            stability: Stability::L,
            stochastic: None,
        };

        /// The coefficients of the method.
        pub const TABLEAU: crate::step::esdirk::Tableau = crate::step::esdirk::Tableau {
            gamma: GAMMA,
            a: A.as_flattened(),
            c: &C,
            error: &E,
            guess: G.as_flattened(),
        };

        #[allow(unused_mut)]
        #[ode_macros::device($module)]
        mod device {
            use crate::lane::{Bits, Real};
            use crate::step::{code, esdirk, guard, norm, stepper, timeline, vector};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $($constants)*

            /// The largest size of all stages for an unrolled stage loop.
            ///
            /// As for Rosenbrock methods, but the iteration needs registers, too. On an H200, six
            /// stages of 8 states take as long either way. Four stages of 20 states take three
            /// quarters of the time if rolled.
            const MAX_UNROLLED: usize = 40;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = true;
                const FSAL: bool = true;
                const GUARDS: bool = true;
                const DIAGONAL: f64 = GAMMA;
                const ITERATES: bool = true;
                const NEEDS_DU: bool = true;
                type Kept<R: Real, const N: usize> = [[R; N]; $kept];
                type Memory = stepper::Nothing;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    let u = &state.u;
                    let p = &state.p;
                    let at = &ask.at;
                    let h = ask.h;
                    let gh = h * R::lit(GAMMA);
                    let per_gh = R::lit(1.0) / gh;
                    let w = system.factor(u, p, at.t, per_gh);
                    let mut code = <R::Bits as Bits>::lit(code::SUCCESS);
                    let mut k = R::blank::<N, $kept>();
                    k[0] = state.du;
                    let mut base = *u;
                    let mut v = *u;
                    #[rolled($stages * N > MAX_UNROLLED * (2 - R::DOUBLE as usize))]
                    for i in 1..$stages {
                        let zero = [R::lit(0.0); N];
                        let mut sum = zero;
                        let mut guess = zero;
                        if R::LANES > 1 && $stages * N > MAX_UNROLLED * (2 - R::DOUBLE as usize) {
                            let mut a = [R::lit(0.0); $kept];
                            let mut g = [R::lit(0.0); $kept];
                            for j in 0..i {
                                a[j] = R::lit(A[i][j]);
                                g[j] = R::lit(G[i][j]);
                            }
                            sum = vector::combine::<R, N, $kept>(&zero, &a, &k, i);
                            guess = vector::combine::<R, N, $kept>(&zero, &g, &k, i);
                        } else {
                            for j in 0..i {
                                sum = vector::add(sum, R::lit(A[i][j]), &k[j]);
                                guess = vector::add(guess, R::lit(G[i][j]), &k[j]);
                            }
                        }
                        for d in 0..N {
                            base[d] = h.mul_add(sum[d], u[d]);
                            v[d] = gh * guess[d];
                        }
                        // Kværnø's method of order 5 has a node beyond the step.
                        let node = R::lit(C[i]).at_most(at.furthest);
                        let time = timeline::stage::<R, S, N, P>(at, node);
                        let stage = esdirk::stage::<R, S, N, P>(
                            system,
                            &w, u, p, time, &base, &v, per_gh, code, at.run, &state.tolerances,
                        );
                        code = stage.code;
                        v = stage.v;
                        for d in 0..N {
                            k[i][d] = v[d] * per_gh;
                        }
                    }
                    let mut sum = [R::lit(0.0); N];
                    for j in 0..$stages {
                        sum = vector::add(sum, R::lit(E[j]), &k[j]);
                    }
                    let mut new = base;
                    let mut b = sum;
                    for d in 0..N {
                        new[d] = base[d] + v[d];
                        let following = R::lit(-esdirk::FOLLOWING) * k[$stages - 1][d];
                        b[d] = R::lit(1.0 / GAMMA).mul_add(sum[d], following);
                    }
                    if S::MASS {
                        b = system.mass(&b);
                    }
                    let end = timeline::stage::<R, S, N, P>(at, R::lit(1.0));
                    let f = system.rhs(&new, p, end);
                    b = vector::add(b, R::lit(esdirk::FOLLOWING), &f);
                    k[$stages] = system.solve(&w, &b);
                    // If the derivative at the beginning is not finite, the iteration is not the
                    // cause of failure.
                    let solved = <R::Bits as Bits>::lit(code::SUCCESS);
                    code = <R::Bits as Bits>::select(
                        norm::is_finite::<R, N>(&state.du), code, solved,
                    );
                    let mut step = stepper::step::<R, N, [[R; N]; $kept]>(new, k, code);
                    step.grows = guard::grows::<R, S, N, P>(system, &w, &ask.watch);
                    step
                }

                fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    _wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    $method::step::<R, S, N, P>(system, state, ask)
                }

                fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    norm::scaled_error_sq::<R, N>(
                        &step.k[$stages], &state.u, &step.u, &state.tolerances,
                    )
                }

                /// Returns the scaled differences between interpolant and stage derivatives.
                ///
                /// The differences are multiplied by the step size before scaling.
                fn dense_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let scale = &state.tolerances;
                    let begin = &step.k[0];
                    let end = &step.k[$stages - 1];
                    let first = vector::slope_off::<R, N>(
                        &state.u, begin, &step.u, end, &step.k[$one], ask.h, R::lit(C[$one]),
                    );
                    let second = vector::slope_off::<R, N>(
                        &state.u, begin, &step.u, end, &step.k[$other], ask.h, R::lit(C[$other]),
                    );
                    let first = norm::scaled_error_sq::<R, N>(&first, &state.u, &step.u, scale);
                    let second = norm::scaled_error_sq::<R, N>(&second, &state.u, &step.u, scale);
                    (first + second) * R::lit($margin * $margin)
                }

                fn du_before<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[0]
                }

                fn du_after<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[$stages - 1]
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    _system: S,
                    _state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    *step
                }

                fn interpolate<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                    theta: R,
                ) -> [R; N] {
                    vector::hermite::<R, N>(
                        &state.u,
                        &step.k[0],
                        &step.u,
                        &step.k[$stages - 1],
                        ask.h,
                        theta,
                    )
                }
            }
        }
    };
}
