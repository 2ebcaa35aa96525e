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

/// With this one all of them take the fewest steps: in a transient the step grows as the time does, and a
/// controller that remembers more follows too late.
pub const CONTROLLER: Controller = Controller::pi(1.0, 0.1);

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
/// count from 1.
///
/// * `GAMMA`, `A`, `C`, `ALPHA`, `TIME`: the coefficients of the formula above, squares and rows; each
///   stage says which are not zero: `at` those of `A`, or `after` which stage's `U` the argument is the
///   one before and that `U`; without either it is the one before, and `f` there is known; `add` those
///   of `C`; `time` its own number.
/// * `M`: the weights of the new state; `H`: the interpolant at `theta` gives stage `i` the weight
///   `theta (M[i] + (1 - theta) (H[i][0] + theta (H[i][1] + …)))`, of `degree` coefficients.
macro_rules! rosenbrock {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt, embedded $embedded:tt, evaluations $evaluations:tt,
        stages {
            $($stage:tt:
                $(at [$($at:tt),+])? $(after $after:tt)? $(add [$first:tt $(, $next:tt)*])?
                $(time $time:tt)?;
            )*
        }
        last $last:tt, dense $interpolant:tt: degree $degree:tt,
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
            stages: $last,
            fsal: false,
            interpolant: $interpolant,
            evaluations: $evaluations,
            extra: 0,
            solves: $last,
            iterates: false,
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

        // An argument is assigned anew for each stage; a sum may have one term.
        #[allow(unused_assignments, unused_mut)]
        #[ode_macros::device($module)]
        mod device {
            use super::super::stepper;
            use crate::controller;
            use crate::lane::Real;
            use crate::system::System;
            use stepper::Stepper;

            $($constants)*

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper<$kept> for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = true;
                const FSAL: bool = false;
                const LAST: usize = 0;
                const ITERATES: bool = false;
                const SLOPE: bool = false;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    t: R,
                    h: R,
                    _k1: &[R; N],
                    _tolerances: &stepper::Tolerances<R, N>,
                ) -> stepper::Step<R, N, $kept> {
                    let mut k = [[R::lit(0.0); N]; $kept];
                    k[0] = S::rhs(u, p, t);
                    let per_h = R::lit(1.0) / h;
                    let factors = S::factor(u, p, t, per_h * R::lit(1.0 / GAMMA));
                    let mut slope = [R::lit(0.0); N];
                    if !S::AUTONOMOUS {
                        slope = S::time_gradient(u, p, t);
                    }
                    let mut w = *u;
                    let mut f = k[0];
                    $(
                        $(
                            w = *u;
                            $(
                                for d in 0..N {
                                    w[d] = k[$at][d].mul_add(R::lit(A[$stage - 1][$at - 1]), w[d]);
                                }
                            )+
                            f = S::rhs(&w, p, h.mul_add(R::lit(ALPHA[$stage - 1]), t));
                        )?
                        $(
                            for d in 0..N {
                                w[d] = w[d] + k[$after][d];
                            }
                            f = S::rhs(&w, p, h.mul_add(R::lit(ALPHA[$stage - 1]), t));
                        )?
                        let mut b = f;
                        $(
                            let mut sum = [R::lit(0.0); N];
                            for d in 0..N {
                                sum[d] = R::lit(C[$stage - 1][$first - 1]) * k[$first][d];
                                $(sum[d] = k[$next][d].mul_add(R::lit(C[$stage - 1][$next - 1]), sum[d]);)*
                            }
                            if S::MASS {
                                sum = S::mass(&sum);
                            }
                            for d in 0..N {
                                b[d] = per_h.mul_add(sum[d], b[d]);
                            }
                        )?
                        $(
                            if !S::AUTONOMOUS {
                                let weight = h * R::lit(TIME[$time - 1]);
                                for d in 0..N {
                                    b[d] = slope[d].mul_add(weight, b[d]);
                                }
                            }
                        )?
                        k[$stage] = S::solve(&factors, &b);
                    )*
                    let mut new = w;
                    for d in 0..N {
                        new[d] = w[d] + k[$last][d];
                    }
                    let code = stepper::unsolved::<R, N>(&k[1], &k[0], &slope);
                    stepper::step::<R, N, $kept>(new, k, code)
                }

                fn square_norm<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    _h: R,
                    tolerances: &stepper::Tolerances<R, N>,
                ) -> R {
                    controller::square_norm::<R, N>(&step.k[$last], u, &step.u, tolerances)
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    _u: &[R; N],
                    _p: &[R; P],
                    _t: R,
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
                    $(
                        let mut weight = R::lit(H[$stage - 1][$degree - 1]);
                        for j in 1..$degree {
                            weight = weight.mul_add(theta, R::lit(H[$stage - 1][$degree - 1 - j]));
                        }
                        let weight = weight.mul_add(rest, R::lit(M[$stage - 1])) * theta;
                        for d in 0..N {
                            out[d] = step.k[$stage][d].mul_add(weight, out[d]);
                        }
                    )*
                    out
                }
            }
        }
    };
}
