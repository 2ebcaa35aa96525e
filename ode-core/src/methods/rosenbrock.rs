//! Rosenbrock methods: the one lane program that they all are, but for one.
//!
//! Each stage is one linear system with the same matrix (Hairer and Wanner II, IV.7). In the variables
//! that leave out all products with the Jacobian, and with `W = I/(γ h) - J`,
//!
//! `W U_i = f(u + Σ a_ij U_j, t + α_i h) + (1/h) Σ c_ij U_j + γ_i h ∂f/∂t`,
//!
//! or, with a mass matrix, `W = M/(γ h) - J` and `(M/h) Σ c_ij U_j`,
//!
//! so that a step evaluates `J` and `∂f/∂t` once, factorises once, and solves once for each stage. The
//! methods here are stiffly accurate: the argument of the last stage is the embedded solution, and with
//! the last `U` added it is the new state. So that `U` is the estimate of the error, and damped.
//!
//! A method is its tableau, and which of its coefficients are not zero, as an explicit method is.

use crate::controller::Controller;

/// With this one all implicit methods take the fewest steps: in a transient the step grows as the time does,
/// and the controller follows that trend. Against an integrating one and `pi(1.0, 0.1)` 3 to 11% fewer, in the
/// mean over five problems of the stiff test set at three tolerances, and at equal error 3 to 10%.
pub const CONTROLLER: Controller = Controller::predictive();

/// What a Rosenbrock method is, as data; `tests/rosenbrock.rs` proves it. All triangles lie row by row
/// in a square matrix, whose order is the number of stages.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The diagonal `γ`.
    pub gamma: f64,
    /// `a_ij`.
    pub a: &'static [f64],
    /// `c_ij`.
    pub c: &'static [f64],
    /// `α_i`.
    pub alpha: &'static [f64],
    /// `γ_i`.
    pub time: &'static [f64],
    /// The weights of the solution.
    pub weights: &'static [f64],
    /// The polynomials of the interpolant, stage by stage.
    pub dense: &'static [f64],
}

/// Declares a method, in a module of lane programs that has its coefficients as constants. Stages
/// count from 0.
///
/// * `GAMMA`, `A`, `C`, `ALPHA`, `TIME`: the coefficients of the formula above, squares and rows. The
///   arguments of the stages before `own` are the state, where `f` is known. That of a stage from
///   `after` on is the one before and the `U` of the stage before, as its row of `A` says, too. The
///   first `timed` of `TIME` are not zero.
/// * `M`: the weights of the new state; `H`: the interpolant at `theta` gives stage `i` the weight
///   `theta (M[i] + (1 - theta) (H[i][0] + theta (H[i][1] + …)))`, of `degree` coefficients.
macro_rules! rosenbrock {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt, embedded $embedded:tt, evaluations $evaluations:tt,
        stages $stages:tt, own $own:tt, after $after:tt, timed $timed:tt,
        dense $interpolant:tt: degree $degree:tt,
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
            error: $embedded + 1,
            controller: CONTROLLER,
            stages: $stages,
            fsal: false,
            interpolant: $interpolant,
            evaluations: $evaluations,
            extra: 0,
            solves: $stages,
            iterates: false,
            switches_to: None,
            stability: Stability::L,
        };

        /// Its coefficients.
        pub const TABLEAU: super::rosenbrock::Tableau = super::rosenbrock::Tableau {
            gamma: GAMMA,
            a: A.as_flattened(),
            c: C.as_flattened(),
            alpha: &ALPHA,
            time: &TIME,
            weights: &M,
            dense: H.as_flattened(),
        };

        // A polynomial may be a constant, and the first stage with an argument of its own the second.
        #[allow(unused_mut, clippy::int_plus_one, clippy::manual_range_contains)]
        #[ode_macros::device($module)]
        mod device {
            use super::super::stepper;
            use crate::controller;
            use crate::guard;
            use crate::lane::Real;
            use crate::system::System;
            use crate::timeline;
            use stepper::Stepper;

            $($constants)*

            /// The most numbers that the stages may be, of 8 bytes, for their loop to be unrolled. More
            /// than these do not fit in a GPU's registers, and it is the faster rolled: on an H200
            /// twice as fast with 20 states, half as fast with 8, even at about this.
            const MOST: usize = 100;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper<$kept> for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = true;
                const FSAL: bool = false;
                const LAST: usize = 0;
                const SWITCHES: bool = false;
                const GUARDS: bool = true;
                const DIAGONAL: f64 = GAMMA;
                const ITERATES: bool = false;
                const SLOPE: bool = false;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    _k1: &[R; N],
                    _mode: R::Bits,
                    _tolerances: &stepper::Tolerances<R, N>,
                    watch: &guard::Watch<R>,
                ) -> stepper::Step<R, N, $kept> {
                    let first = S::rhs(u, p, at.t);
                    let per_h = h.reciprocal();
                    let factors = S::factor(u, p, at.t, per_h * R::lit(1.0 / GAMMA));
                    let mut slope = [R::lit(0.0); N];
                    let mut b = first;
                    if !S::AUTONOMOUS {
                        slope = S::time_gradient(u, p, at.t);
                        b = stepper::add(b, h * R::lit(TIME[0]), &slope);
                    }
                    let mut x = S::solve(&factors, &b);
                    let code = stepper::unsolved::<R, N>(&x, &first, &slope);
                    let grows = guard::grows::<R, S, N, P>(&factors, watch);
                    // All but the last, which nobody indexes.
                    let mut solved = R::blank::<N, $stages>();
                    solved[0] = x;
                    let mut f = first;
                    let mut w = *u;
                    #[rolled($stages * N > MOST * (2 - R::DOUBLE as usize))]
                    for i in 1..$stages {
                        if i >= $after {
                            w = stepper::add(w, R::lit(1.0), &x);
                        } else if i >= $own {
                            w = *u;
                        }
                        let mut sum = [R::lit(0.0); N];
                        if R::LANES > 1 && $stages * N > MOST * (2 - R::DOUBLE as usize) {
                            let mut a = [R::lit(0.0); $stages];
                            let mut c = [R::lit(0.0); $stages];
                            for j in 0..i {
                                a[j] = R::lit(A[i][j]);
                                c[j] = R::lit(C[i][j]);
                            }
                            if i < $after && i >= $own {
                                w = stepper::combine::<R, N, $stages>(u, &a, &solved, i + 1 - $own);
                            }
                            sum = stepper::combine::<R, N, $stages>(&[R::lit(0.0); N], &c, &solved, i);
                        } else {
                            for j in 0..i {
                                if i < $after && i - j >= $own {
                                    w = stepper::add(w, R::lit(A[i][j]), &solved[j]);
                                }
                                sum = stepper::add(sum, R::lit(C[i][j]), &solved[j]);
                            }
                        }
                        if i >= $own {
                            let time = timeline::stage::<R, S, N, P>(at, R::lit(ALPHA[i]));
                            f = S::rhs(&w, p, time);
                        }
                        if S::MASS {
                            sum = S::mass(&sum);
                        }
                        b = stepper::add(f, per_h, &sum);
                        if !S::AUTONOMOUS && i < $timed {
                            b = stepper::add(b, h * R::lit(TIME[i]), &slope);
                        }
                        x = S::solve(&factors, &b);
                        if i + 1 < $stages {
                            solved[i] = x;
                        }
                    }
                    let mut k = [x; $kept];
                    k[0] = first;
                    for i in 1..$stages {
                        k[i] = solved[i - 1];
                    }
                    let new = stepper::add(w, R::lit(1.0), &x);
                    let mut step = stepper::step::<R, N, $kept>(new, k, code);
                    step.grows = grows;
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
                    _h: R,
                    theta: R,
                ) -> [R; N] {
                    let mut out = *u;
                    let rest = R::lit(1.0) - theta;
                    for i in 0..$stages {
                        let mut weight = R::lit(H[i][$degree - 1]);
                        for j in 1..$degree {
                            weight = weight.mul_add(theta, R::lit(H[i][$degree - 1 - j]));
                        }
                        let weight = weight.mul_add(rest, R::lit(M[i])) * theta;
                        out = stepper::add(out, weight, &step.k[i + 1]);
                    }
                    out
                }
            }
        }
    };
}
