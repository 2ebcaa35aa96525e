//! Explicit Runge–Kutta methods: the one lane program that they all are.
//!
//! A method is its tableau, and which of its coefficients are not zero: a product with a zero of a
//! table in memory would be computed. Tests prove that the others are zeros.

/// What an explicit method is, as data; `tests/tableaus.rs` proves it.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The node of each stage, those included that only the interpolant needs.
    pub nodes: &'static [f64],
    /// The stages of a step after the first, and what each takes.
    pub stages: &'static [Row],
    /// The new state. If not given it is the argument of the last stage.
    pub solution: &'static [Row],
    /// The stages that only the interpolant needs.
    pub extra: &'static [Row],
    /// The weights of the solution less those of an embedded one, for each of those.
    pub errors: &'static [Row],
    /// The stages that the interpolant takes.
    pub dense: &'static [usize],
    /// The weights of the stages in the interpolant, one after the other: each a polynomial of
    /// `degree` without a constant term.
    pub weights: &'static [f64],
    /// See `weights`.
    pub degree: usize,
}

/// Coefficients of a [`Tableau`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Of which stage, or of an embedded solution of which order.
    pub of: usize,
    /// The coefficients.
    pub coefficients: &'static [f64],
    /// Those of them that count; the others are zero.
    pub nonzero: &'static [usize],
}

/// Declares a method, in a module of lane programs that has its coefficients as constants:
///
/// * `C`: nodes, one for each of the `kept` vectors;
/// * `A`: row `s - 1` gives stage `s` of `stages`, and of `extra` those that only the interpolant
///   needs;
/// * with `solution`, the row of `A` that has the weights of the new state; otherwise that is the
///   argument of the last stage, whose derivative is the first of the next step;
/// * `E`, with `error`: the weights of the new state less those of the embedded solution, of the order
///   given; `E2`, with `second`: those of another one, see [`controller::both`](crate::controller::both);
/// * `B`: the weight of stage `s` in the interpolant at `theta` is `theta (B[s][0] + theta (B[s][1] +
///   …))`, of the order and the stages that `dense` says.
///
/// The controller is that of OrdinaryDiffEq.jl. For DP5 and DOP853 it has that of Hairer's codes, which at
/// the same tolerance takes fewer steps, and longer ones.
macro_rules! explicit {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt,
        adaptive $adaptive:tt, fsal $fsal:tt, last $last:tt, degree $degree:tt,
        stages { $($stage:tt: [$first:tt $(, $next:tt)*],)* }
        $(solution $solution:tt: [$first_of_solution:tt $(, $next_of_solution:tt)*])?
        $(
            error $embedded:tt: [$first_of_error:tt $(, $next_of_error:tt)*]
            $(second $second:tt: [$first_of_second:tt $(, $next_of_second:tt)*])?
        )?
        $(extra { $($extra:tt: [$first_of_extra:tt $(, $next_of_extra:tt)*],)* })?
        dense $interpolant:tt: [$($dense:tt),*]
        constants { $($constants:tt)* }
    ) => {
        pub use device::*;

        use super::{Properties, Stability};
        use crate::controller::Controller;
        use super::explicit::{Row, Tableau};

        /// What is known of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            order: $order,
            embedded: &[$($embedded $(, $second)?)?],
            error: $order,
            controller: Controller::pi(0.7, 0.4),
            stages: 1 + <[usize]>::len(&[$($stage),*]),
            fsal: $fsal,
            interpolant: $interpolant,
            evaluations: 1 + <[usize]>::len(&[$($stage),*]) - $fsal as usize,
            extra: <[usize]>::len(&[$($($extra),*)?]),
            solves: 0,
            iterates: false,
            switches_to: None,
            stability: Stability::Bounded,
        };

        /// Its coefficients.
        pub static TABLEAU: Tableau = Tableau {
            nodes: &C,
            stages: &[$(Row { of: $stage, coefficients: &A[$stage - 1], nonzero: &[$first $(, $next)*] }),*],
            solution: &[$(Row {
                of: $order,
                coefficients: &A[$solution],
                nonzero: &[$first_of_solution $(, $next_of_solution)*],
            })?],
            extra: &[$($(Row {
                of: $extra,
                coefficients: &A[$extra - 1],
                nonzero: &[$first_of_extra $(, $next_of_extra)*],
            }),*)?],
            errors: &[$(
                Row { of: $embedded, coefficients: &E, nonzero: &[$first_of_error $(, $next_of_error)*] },
                $(Row { of: $second, coefficients: &E2, nonzero: &[$first_of_second $(, $next_of_second)*] })?
            )?],
            dense: &[$($dense),*],
            weights: B.as_flattened(),
            degree: $degree,
        };

        // A method may have a stage of one term, no error and no stage that only the interpolant needs.
        #[allow(unused_imports, unused_mut, unused_variables, unused_assignments)]
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

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper<$kept> for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = $adaptive;
                const FSAL: bool = $fsal;
                const LAST: usize = $last;
                const SWITCHES: bool = false;
                const GUARDS: bool = false;
                const DIAGONAL: f64 = 0.0;
                const ITERATES: bool = false;
                const SLOPE: bool = false;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    k1: &[R; N],
                    _mode: R::Bits,
                    _tolerances: &stepper::Tolerances<R, N>,
                    _watch: &guard::Watch<R>,
                ) -> stepper::Step<R, N, $kept> {
                    let mut k = [[R::lit(0.0); N]; $kept];
                    if $fsal {
                        k[0] = *k1;
                    } else {
                        k[0] = S::rhs(u, p, at.t);
                    }
                    let mut w = *u;
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(A[$stage - 1][$first]) * k[$first][d];
                            $(sum = k[$next][d].mul_add(R::lit(A[$stage - 1][$next]), sum);)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                        let time = timeline::stage::<R, S, N, P>(at, R::lit(C[$stage]));
                        k[$stage] = S::rhs(&w, p, time);
                    )*
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(A[$solution][$first_of_solution]) * k[$first_of_solution][d];
                            $(sum = k[$next_of_solution][d].mul_add(R::lit(A[$solution][$next_of_solution]), sum);)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                    )?
                    stepper::made::<R, N, $kept>(w, k)
                }

                fn square_norm<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    h: R,
                    tolerances: &stepper::Tolerances<R, N>,
                ) -> R {
                    let mut error = [R::lit(0.0); N];
                    let mut square = R::lit(0.0);
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(E[$first_of_error]) * step.k[$first_of_error][d];
                            $(sum = step.k[$next_of_error][d].mul_add(R::lit(E[$next_of_error]), sum);)*
                            error[d] = h * sum;
                        }
                        square = controller::square_norm::<R, N>(&error, u, &step.u, tolerances);
                        $(
                            for d in 0..N {
                                let mut sum = R::lit(E2[$first_of_second]) * step.k[$first_of_second][d];
                                $(sum = step.k[$next_of_second][d].mul_add(R::lit(E2[$next_of_second]), sum);)*
                                error[d] = h * sum;
                            }
                            let second = controller::square_norm::<R, N>(&error, u, &step.u, tolerances);
                            square = controller::both::<R>(square, second);
                        )?
                    )?
                    square
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    step: &stepper::Step<R, N, $kept>,
                ) -> stepper::Step<R, N, $kept> {
                    let mut out = *step;
                    $($(
                        let mut w = *u;
                        for d in 0..N {
                            let mut sum = R::lit(A[$extra - 1][$first_of_extra]) * out.k[$first_of_extra][d];
                            $(sum = out.k[$next_of_extra][d].mul_add(R::lit(A[$extra - 1][$next_of_extra]), sum);)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                        let time = timeline::stage::<R, S, N, P>(at, R::lit(C[$extra]));
                        out.k[$extra] = S::rhs(&w, p, time);
                    )*)?
                    out
                }

                fn interpolate<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    h: R,
                    theta: R,
                ) -> [R; N] {
                    let mut sum = [R::lit(0.0); N];
                    $(
                        let mut weight = R::lit(B[$dense][$degree - 1]);
                        for j in 1..$degree {
                            weight = weight.mul_add(theta, R::lit(B[$dense][$degree - 1 - j]));
                        }
                        for d in 0..N {
                            sum[d] = step.k[$dense][d].mul_add(weight, sum[d]);
                        }
                    )*
                    let mut out = *u;
                    for d in 0..N {
                        out[d] = (h * theta).mul_add(sum[d], u[d]);
                    }
                    out
                }
            }
        }
    };
}
