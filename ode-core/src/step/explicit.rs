//! Explicit Runge–Kutta methods: one lane program for all of them.
//!
//! A method is declared by its tableau and a list of the nonzero coefficients. Without the list,
//! products with zeros from a table in memory would be computed. Tests prove that the other
//! coefficients are zero.

/// The tableau of an explicit method as data.
///
/// `tests/methods/tableaus.rs` proves its order conditions.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The node of each stage, including stages that only the interpolant needs.
    pub nodes: &'static [f64],
    /// The stages of a step after the first, with their coefficients.
    pub stages: &'static [Row],
    /// The weights of the new state; empty if it is the argument of the last stage.
    pub solution: &'static [Row],
    /// The stages that only the interpolant needs.
    pub extra: &'static [Row],
    /// The weights of the solution less the weights of each embedded one.
    pub errors: &'static [Row],
    /// The stages that the interpolant uses.
    pub dense: &'static [usize],
    /// The weights of the stages in the interpolant, stage by stage.
    ///
    /// Each weight is a polynomial of `degree` without a constant term.
    pub weights: &'static [f64],
    /// The degree of the polynomials of `weights`.
    pub degree: usize,
}

/// A row of coefficients of a [`Tableau`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The stage of the row, or the order of its embedded solution.
    pub of: usize,
    /// The coefficients.
    pub coefficients: &'static [f64],
    /// The indices of the nonzero coefficients.
    pub nonzero: &'static [usize],
}

/// Declares a method, in a module of lane programs with its coefficients as constants.
///
/// * `C`: nodes, one for each of the `kept` vectors.
/// * `A`: row `s - 1` gives stage `s` of `stages`, and of `extra` those that only the interpolant
///   needs.
/// * With `solution`, the row of `A` with the weights of the new state. Otherwise the new state is
///   the argument of the last stage, and the derivative there is the first of the next step.
/// * `E`, with `error`: the weights of the new state less the weights of the embedded solution, of
///   the order given. `E2`, with `second`: the same for another one, see
///   [`norm::both`](crate::norm::both).
/// * `B`: the weight of stage `s` in the interpolant at `theta` is
///   `theta (B[s][0] + theta (B[s][1] + …))`, with the order and the stages of `dense`.
///
/// `adjoint` names the C++ namespace of the method's adjoint. The adjoint is a lane program of its
/// own, so kernels of ordinary solves do not contain its text.
///
/// The controller is OrdinaryDiffEq.jl's. For DP5 and DOP853, OrdinaryDiffEq.jl uses the controller
/// of Hairer's codes instead, which takes fewer and longer steps at the same tolerance.
macro_rules! explicit {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, adjoint $adjoint:ident, kept $kept:tt,
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

        use crate::step::properties::{Properties, Stability};
        use crate::step::controller::Controller;
        use crate::step::explicit::{Row, Tableau};

        /// The properties of the method.
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
            stochastic: None,
        };

        /// The coefficients of the method.
        pub static TABLEAU: Tableau = Tableau {
            nodes: &C,
            stages: &[$(Row {
                of: $stage,
                coefficients: &A[$stage - 1],
                nonzero: &[$first $(, $next)*],
            }),*],
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
                Row {
                    of: $embedded,
                    coefficients: &E,
                    nonzero: &[$first_of_error $(, $next_of_error)*],
                },
                $(Row {
                    of: $second,
                    coefficients: &E2,
                    nonzero: &[$first_of_second $(, $next_of_second)*],
                })?
            )?],
            dense: &[$($dense),*],
            weights: B.as_flattened(),
            degree: $degree,
        };

        // A method may have a stage of one term, no error, and no stage that only the interpolant
        // needs.
        #[allow(unused_imports, unused_mut, unused_variables, unused_assignments)]
        #[ode_macros::device($module)]
        mod device {
            use crate::lane::Real;
            use crate::step::{guard, norm, stepper, timeline};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $($constants)*

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = $adaptive;
                const FSAL: bool = $fsal;
                const GUARDS: bool = false;
                const DIAGONAL: f64 = 0.0;
                const ITERATES: bool = false;
                const NEEDS_DU: bool = false;
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
                    let mut k = [[R::lit(0.0); N]; $kept];
                    if $fsal {
                        k[0] = state.du;
                    } else {
                        k[0] = system.rhs(u, p, at.t);
                    }
                    let mut w = *u;
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(A[$stage - 1][$first]) * k[$first][d];
                            $(sum = k[$next][d].mul_add(R::lit(A[$stage - 1][$next]), sum);)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                        let time = timeline::stage::<R, S, N, P>(at, R::lit(C[$stage]));
                        k[$stage] = system.rhs(&w, p, time);
                    )*
                    $(
                        for d in 0..N {
                            let mut sum =
                                R::lit(A[$solution][$first_of_solution]) * k[$first_of_solution][d];
                            $(sum = k[$next_of_solution][d].mul_add(
                                R::lit(A[$solution][$next_of_solution]), sum,
                            );)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                    )?
                    stepper::made::<R, N, [[R; N]; $kept]>(w, k)
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
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let u = &state.u;
                    let h = ask.h;
                    let mut error = [R::lit(0.0); N];
                    let mut square = R::lit(0.0);
                    $(
                        for d in 0..N {
                            let mut sum = R::lit(E[$first_of_error]) * step.k[$first_of_error][d];
                            $(sum = step.k[$next_of_error][d].mul_add(
                                R::lit(E[$next_of_error]), sum,
                            );)*
                            error[d] = h * sum;
                        }
                        square = norm::scaled_error_sq::<R, N>(
                            &error, u, &step.u, &state.tolerances,
                        );
                        $(
                            for d in 0..N {
                                let mut sum =
                                    R::lit(E2[$first_of_second]) * step.k[$first_of_second][d];
                                $(sum = step.k[$next_of_second][d].mul_add(
                                    R::lit(E2[$next_of_second]), sum,
                                );)*
                                error[d] = h * sum;
                            }
                            let second = norm::scaled_error_sq::<R, N>(
                                &error, u, &step.u, &state.tolerances,
                            );
                            square = norm::both::<R>(square, second);
                        )?
                    )?
                    square
                }

                fn dense_error_sq<R: Real, const N: usize, const P: usize>(
                    _state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    _step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    R::lit(0.0)
                }

                fn du_before<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[0]
                }

                fn du_after<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[$last]
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    let u = &state.u;
                    let p = &state.p;
                    let at = &ask.at;
                    let h = ask.h;
                    let mut out = *step;
                    $($(
                        let mut w = *u;
                        for d in 0..N {
                            let mut sum =
                                R::lit(A[$extra - 1][$first_of_extra]) * out.k[$first_of_extra][d];
                            $(sum = out.k[$next_of_extra][d].mul_add(
                                R::lit(A[$extra - 1][$next_of_extra]), sum,
                            );)*
                            w[d] = h.mul_add(sum, u[d]);
                        }
                        let time = timeline::stage::<R, S, N, P>(at, R::lit(C[$extra]));
                        out.k[$extra] = system.rhs(&w, p, time);
                    )*)?
                    out
                }

                fn interpolate<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                    theta: R,
                ) -> [R; N] {
                    let u = &state.u;
                    let h = ask.h;
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

        explicit! {
            @reversed {} { $($stage: [$first $(, $next)*],)* }
            {} { $($($extra: [$first_of_extra $(, $next_of_extra)*],)*)? }
            {
                $adjoint::$module::$method, kept $kept, fsal $fsal, degree $degree,
                solution { $($solution: [$first_of_solution $(, $next_of_solution)*])? },
                dense [$($dense),*],
            }
        }
    };

    // The stages, and then the stages that only the interpolant needs, in the order of the adjoint.
    (
        @reversed { $($done:tt)* } { $stage:tt: [$($j:tt),*], $($left:tt)* }
        {} $extra:tt $others:tt
    ) => {
        explicit! { @reversed { $stage: [$($j),*], $($done)* } { $($left)* } {} $extra $others }
    };
    (
        @reversed $stages:tt {} { $($done:tt)* } { $stage:tt: [$($j:tt),*], $($left:tt)* }
        $others:tt
    ) => {
        explicit! { @reversed $stages {} { $stage: [$($j),*], $($done)* } { $($left)* } $others }
    };
    // If the last stage is at the end of the step, its argument is the solution.
    (
        @reversed { $last:tt: [$($b:tt),*], $($stages:tt)* } {} $extra:tt {}
        { $adjoint:ident::$module:ident::$method:ident, kept $kept:tt, fsal true, $($others:tt)* }
    ) => {
        explicit! {
            @ahead {} { $($stages)* } {
                $adjoint::$module::$method, kept $kept, last { $last } row $last: [$($b),*],
                stages { $($stages)* }, extra $extra, $($others)*
            }
        }
    };
    (
        @reversed $stages:tt {} $extra:tt {}
        {
            $adjoint:ident::$module:ident::$method:ident, kept $kept:tt, fsal false,
            degree $degree:tt, solution { $row:tt: [$($b:tt),*] }, $($others:tt)*
        }
    ) => {
        explicit! {
            @ahead {} $stages {
                $adjoint::$module::$method, kept $kept, last {} row ($row + 1): [$($b),*],
                stages $stages, extra $extra, degree $degree, solution {}, $($others)*
            }
        }
    };
    // The stages with arguments that are needed, in the order of the forward step.
    (
        @ahead { $($done:tt)* } { $stage:tt: [$($j:tt),*], $($left:tt)* } $others:tt
    ) => {
        explicit! { @ahead { $stage: [$($j),*], $($done)* } { $($left)* } $others }
    };
    (@ahead $ahead:tt {} { $($others:tt)* }) => {
        explicit! { @adjoint ahead $ahead, $($others)* }
    };
    (
        @adjoint ahead { $($forth:tt: [$($f:tt),*],)* },
        $adjoint:ident::$module:ident::$method:ident, kept $kept:tt,
        last { $($last:tt)? } row $row:tt: [$($b:tt),*],
        stages { $($stage:tt: [$($a:tt),*],)* },
        extra { $($extra:tt: [$($e:tt),*],)* },
        degree $degree:tt, solution {}, dense [$($dense:tt),*],
    ) => {
        /// The adjoint of the method.
        pub mod adjoint {
            pub use device::*;

            #[allow(unused_imports, unused_mut, unused_variables, unused_assignments)]
            #[ode_macros::device($adjoint)]
            mod device {
                use super::super::device as $module;
                use crate::lane::{Mask, Real};
                use crate::step::adjoint::Adjoint;
                use crate::step::{adjoint, stepper, timeline, vector};
                use crate::system::PullBack;
                use stepper::Stepper;

                /// The adjoint of the method of this module.
                #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
                pub struct Backward;

                impl Adjoint for Backward {
                    type Method = $module::$method;

                    /// The arguments of the stages, by stage.
                    type Made<R: Real, const N: usize> = [[R; N]; $kept];

                    fn make<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                    ) -> [[R; N]; $kept] {
                        let u = &state.u;
                        let p = &state.p;
                        let at = &ask.at;
                        let h = ask.h;
                        let mut k = [*u; $kept];
                        let mut w = [*u; $kept];
                        $(
                            let time =
                                timeline::stage::<R, S, N, P>(at, R::lit($module::C[$forth - 1]));
                            k[$forth - 1] = system.rhs(&w[$forth - 1], p, time);
                            for d in 0..N {
                                let mut sum = R::lit(0.0);
                                $(sum = k[$f][d].mul_add(
                                    R::lit($module::A[$forth - 1][$f]), sum,
                                );)*
                                w[$forth][d] = h.mul_add(sum, u[d]);
                            }
                        )*
                        w
                    }

                    fn step_of<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        _made: &[[R; N]; $kept],
                    ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                        let mut begin = *state;
                        if <$module::$method as Stepper>::FSAL {
                            begin.du = system.rhs(&state.u, &state.p, ask.at.t);
                        }
                        <$module::$method as Stepper>::step::<R, S, N, P>(system, &begin, ask)
                    }

                    fn nothing<R: Real, const N: usize, const P: usize>(
                        end: [R; N],
                    ) -> adjoint::StepCotangents<R, N, P, [[R; N]; $kept]> {
                        let none = [R::lit(0.0); N];
                        let of_p = [R::lit(0.0); P];
                        adjoint::given::<R, N, P, [[R; N]; $kept]>(end, none, [none; $kept], of_p)
                    }

                    fn within<R: Real, const N: usize, const P: usize>(
                        given: &mut adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                        theta: R,
                        g: &[R; N],
                    ) {
                        for d in 0..N {
                            given.begin[d] = given.begin[d] + g[d];
                        }
                        $(
                            let mut weight = R::lit($module::B[$dense][$degree - 1]);
                            for j in 1..$degree {
                                weight = weight.mul_add(
                                    theta,
                                    R::lit($module::B[$dense][$degree - 1 - j]),
                                );
                            }
                            weight = weight * theta;
                            for d in 0..N {
                                given.stages[$dense][d] =
                                    weight.mul_add(g[d], given.stages[$dense][d]);
                            }
                        )*
                    }

                    fn pull_within<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        step: &stepper::Step<R, N, [[R; N]; $kept]>,
                        given: &mut adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                        dense: R::Mask,
                    ) {
                        let u = &state.u;
                        let p = &state.p;
                        let at = &ask.at;
                        let h = ask.h;
                        let mut k = given.stages;
                        let mut first = given.begin;
                        let mut by_p = [R::lit(0.0); P];
                        let mut w = *u;
                        let mut b = *u;
                        $(
                            for d in 0..N {
                                let mut sum = R::lit(0.0);
                                $(sum = step.k[$e][d].mul_add(
                                    R::lit($module::A[$extra - 1][$e]), sum,
                                );)*
                                w[d] = h.mul_add(sum, u[d]);
                                b[d] = h * k[$extra][d];
                            }
                            let time =
                                timeline::stage::<R, S, N, P>(at, R::lit($module::C[$extra]));
                            let eta = adjoint::through::<R, S, N, P>(system, &w, p, time, &b, &mut by_p);
                            for d in 0..N {
                                first[d] = first[d] + eta[d];
                                $(k[$e][d] = eta[d].mul_add(
                                    R::lit($module::A[$extra - 1][$e]), k[$e][d],
                                );)*
                            }
                        )*
                        $(
                            for d in 0..N {
                                b[d] = h * k[$last][d];
                            }
                            let time =
                                timeline::stage::<R, S, N, P>(at, R::lit($module::C[$last]));
                            let eta = adjoint::through::<R, S, N, P>(system, &step.u, p, time, &b, &mut by_p);
                            for d in 0..N {
                                let sum = given.end[d] + eta[d];
                                given.end[d] = R::select(dense, sum, given.end[d]);
                            }
                        )?
                        // A lane's result does not depend on its neighbours: lanes without states
                        // within the step receive nothing.
                        let zero = R::lit(0.0);
                        given.begin = vector::choose::<R, N>(dense, first, given.begin);
                        for d in 0..P {
                            given.p[d] = R::select(dense, by_p[d], zero);
                        }
                        for i in 0..$kept {
                            for d in 0..N {
                                given.stages[i][d] = R::select(dense, k[i][d], zero);
                            }
                        }
                    }

                    fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        made: &[[R; N]; $kept],
                        given: &adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                    ) -> adjoint::Back<R, N, P> {
                        let u = &state.u;
                        let p = &state.p;
                        let at = &ask.at;
                        let h = ask.h;
                        let end = given.end;
                        let mut k = given.stages;
                        let mut begin = given.begin;
                        let mut by_p = given.p;
                        let mut b = *u;
                        for d in 0..N {
                            begin[d] = begin[d] + end[d];
                            $(k[$b][d] = end[d].mul_add(R::lit($module::A[$row - 1][$b]), k[$b][d]);)*
                        }
                        $(
                            for d in 0..N {
                                b[d] = h * k[$stage][d];
                            }
                            let time =
                                timeline::stage::<R, S, N, P>(at, R::lit($module::C[$stage]));
                            let eta = adjoint::through::<R, S, N, P>(system, &made[$stage], p, time, &b, &mut by_p);
                            for d in 0..N {
                                begin[d] = begin[d] + eta[d];
                                $(k[$a][d] = eta[d].mul_add(
                                    R::lit($module::A[$stage - 1][$a]), k[$a][d],
                                );)*
                            }
                        )*
                        for d in 0..N {
                            b[d] = h * k[0][d];
                        }
                        let eta = adjoint::through::<R, S, N, P>(system, u, p, at.t, &b, &mut by_p);
                        for d in 0..N {
                            begin[d] = begin[d] + eta[d];
                        }
                        adjoint::back::<R, N, P>(begin, by_p)
                    }
                }
            }
        }
    };
}
