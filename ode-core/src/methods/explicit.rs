//! Explicit Runge–Kutta methods: the one lane program that they all are.
//!
//! A method is its tableau, and which of its coefficients are not zero: a product with a zero of a
//! table in memory would be computed. Tests prove that the others are zeros.

/// Declares a method, in a module of lane programs that has its coefficients as constants:
///
/// * `C`: nodes, one for each of the `kept` vectors;
/// * `A`: row `s - 1` gives stage `s` of `stages`, and of `extra` those that only the interpolant
///   needs;
/// * with `solution`, the row of `A` that has the weights of the new state; otherwise that is the
///   argument of the last stage, whose derivative is the first of the next step;
/// * `E`, with `error`: the weights of the new state less those of the embedded solution;
/// * `B`: the weight of stage `s` in the interpolant at `theta` is `theta (B[s][0] + theta (B[s][1] +
///   …))`, of `dense` stages.
macro_rules! explicit {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        order $order:tt, beta1 $beta1:tt, beta2 $beta2:tt,
        adaptive $adaptive:tt, fsal $fsal:tt, last $last:tt, degree $degree:tt,
        stages { $($stage:tt: [$first:tt $(, $next:tt)*],)* }
        $(solution $solution:tt: [$first_of_solution:tt $(, $next_of_solution:tt)*])?
        $(error [$first_of_error:tt $(, $next_of_error:tt)*])?
        $(extra { $($extra:tt: [$first_of_extra:tt $(, $next_of_extra:tt)*],)* })?
        dense [$($dense:tt),*]
        constants { $($constants:tt)* }
    ) => {
        pub use device::*;

        // A method may have a stage of one term, and none that only the interpolant needs.
        #[allow(unused_mut, unused_variables)]
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
                const ADAPTIVE: bool = $adaptive;
                const FSAL: bool = $fsal;
                const LAST: usize = $last;
                const BETA1: f64 = $beta1;
                const BETA2: f64 = $beta2;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    t: R,
                    h: R,
                    k1: &[R; N],
                ) -> stepper::Step<R, N, $kept> {
                    let mut k = [[R::lit(0.0); N]; $kept];
                    if $fsal {
                        k[0] = *k1;
                    } else {
                        k[0] = S::rhs(u, p, t);
                    }
                    let mut w = *u;
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(A[$stage - 1][$first]) * k[$first][d];
                            $(sum = k[$next][d].mul_add(R::lit(A[$stage - 1][$next]), sum);)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                        k[$stage] = S::rhs(&w, p, h.mul_add(R::lit(C[$stage]), t));
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
                    abstol: R,
                    reltol: R,
                ) -> R {
                    let mut error = [R::lit(0.0); N];
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(E[$first_of_error]) * step.k[$first_of_error][d];
                            $(sum = step.k[$next_of_error][d].mul_add(R::lit(E[$next_of_error]), sum);)*
                            error[d] = h * sum;
                        }
                    )?
                    controller::square_norm::<R, N>(&error, u, &step.u, abstol, reltol)
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    t: R,
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
                        out.k[$extra] = S::rhs(&w, p, h.mul_add(R::lit(C[$extra]), t));
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
