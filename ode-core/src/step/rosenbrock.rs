//! Rosenbrock methods: one lane program for all of them except `Rosenbrock23`.
//!
//! Each stage is one linear system with the same matrix (Hairer and Wanner II, IV.7). The variables
//! avoid all products with the Jacobian. With `W = I/(γ h) - J`, they satisfy
//!
//! `W U_i = f(u + Σ a_ij U_j, t + α_i h) + (1/h) Σ c_ij U_j + γ_i h ∂f/∂t`,
//!
//! or, with a mass matrix, `W = M/(γ h) - J` and `(M/h) Σ c_ij U_j`. So a step evaluates `J` and
//! `∂f/∂t` once, factorises once, and solves once for each stage.
//!
//! The methods here are stiffly accurate: the argument of the last stage is the embedded solution,
//! and its sum with the last `U` is the new state. So the last `U` is the error estimate, and is
//! damped.
//!
//! A method is declared by its tableau and the indices of its nonzero coefficients.

use crate::step::controller::Controller;

/// The default controller of implicit methods, with which they take the fewest steps.
///
/// In a transient, the step grows with the time, and the controller follows that trend. The mean is
/// over five problems of the stiff test set at three tolerances. The steps are 3 to 11% fewer than
/// with an integrating controller and with `pi(1.0, 0.1)`, and 3 to 10% fewer at equal error.
pub const CONTROLLER: Controller = Controller::predictive();

/// The tableau of a Rosenbrock method as data.
///
/// `tests/methods/rosenbrock.rs` proves its order conditions. All triangles lie row by row in a
/// square matrix; its order is the number of stages.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    /// The diagonal coefficient `γ`.
    pub gamma: f64,
    /// The coefficients `a_ij`.
    pub a: &'static [f64],
    /// The coefficients `c_ij`.
    pub c: &'static [f64],
    /// The nodes `α_i`.
    pub alpha: &'static [f64],
    /// The weights `γ_i` of the time gradient.
    pub time: &'static [f64],
    /// The weights of the solution.
    pub weights: &'static [f64],
    /// The polynomials of the interpolant, stage by stage.
    pub dense: &'static [f64],
}

/// Declares a method, in a module of lane programs with its coefficients as constants.
///
/// Stages count from 0.
///
/// * `GAMMA`, `A`, `C`, `ALPHA`, `TIME`: the coefficients of the formula above, as squares and
///   rows. Stages before `own` have the state as their argument, so `f` is computed already. From
///   stage `after` on, the argument is the sum of the argument and the `U` of the previous stage,
///   which agrees with the stage's row of `A`. The first `timed` of `TIME` are not zero.
/// * `M`: the weights of the new state; `H`: the interpolant at `theta` gives stage `i` the weight
///   `theta (M[i] + (1 - theta) (H[i][0] + theta (H[i][1] + …)))`, of `degree` coefficients.
macro_rules! rosenbrock {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, adjoint $adjoint:ident, kept $kept:tt,
        order $order:tt, embedded $embedded:tt, evaluations $evaluations:tt,
        stages $stages:tt, own $own:tt, after $after:tt, timed $timed:tt,
        dense $interpolant:tt: degree $degree:tt,
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
            stochastic: None,
        };

        /// The coefficients of the method.
        pub const TABLEAU: crate::step::rosenbrock::Tableau = crate::step::rosenbrock::Tableau {
            gamma: GAMMA,
            a: A.as_flattened(),
            c: C.as_flattened(),
            alpha: &ALPHA,
            time: &TIME,
            weights: &M,
            dense: H.as_flattened(),
        };

        // A polynomial may be a constant, and the first stage with an argument of its own may be
        // the second stage.
        #[allow(unused_mut, clippy::int_plus_one, clippy::manual_range_contains)]
        #[ode_macros::device($module)]
        mod device {
            use crate::lane::Real;
            use crate::step::{guard, norm, stepper, timeline, vector};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $($constants)*

            /// The largest size of all stages for an unrolled stage loop.
            ///
            /// The size is in numbers of 8 bytes. More numbers do not fit in a GPU's registers, and
            /// a rolled loop is faster. On an H200, it is twice as fast with 20 states, half as
            /// fast with 8, and equal at about this size.
            pub const MAX_UNROLLED: usize = 100;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper for $method {
                const ORDER: usize = $order;
                const ADAPTIVE: bool = true;
                const FSAL: bool = false;
                const GUARDS: bool = true;
                const DIAGONAL: f64 = GAMMA;
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
                    let first = system.rhs(u, p, at.t);
                    let per_h = h.reciprocal();
                    let factors = system.factor(u, p, at.t, per_h * R::lit(1.0 / GAMMA));
                    let mut dfdt = [R::lit(0.0); N];
                    let mut b = first;
                    if !S::AUTONOMOUS {
                        dfdt = system.time_gradient(u, p, at.t);
                        b = vector::add(b, h * R::lit(TIME[0]), &dfdt);
                    }
                    let mut x = system.solve(&factors, &b);
                    let code = stepper::unsolved::<R, N>(&x, &first, &dfdt);
                    let grows = guard::grows::<R, S, N, P>(system, &factors, &ask.watch);
                    // All stages except the last, which is not indexed.
                    let mut solved = R::blank::<N, $stages>();
                    solved[0] = x;
                    let mut f = first;
                    let mut w = *u;
                    #[rolled($stages * N > MAX_UNROLLED * (2 - R::DOUBLE as usize))]
                    for i in 1..$stages {
                        if i >= $after {
                            w = vector::add(w, R::lit(1.0), &x);
                        } else if i >= $own {
                            w = *u;
                        }
                        let mut sum = [R::lit(0.0); N];
                        if R::LANES > 1 && $stages * N > MAX_UNROLLED * (2 - R::DOUBLE as usize) {
                            let mut a = [R::lit(0.0); $stages];
                            let mut c = [R::lit(0.0); $stages];
                            for j in 0..i {
                                a[j] = R::lit(A[i][j]);
                                c[j] = R::lit(C[i][j]);
                            }
                            if i < $after && i >= $own {
                                w = vector::combine::<R, N, $stages>(u, &a, &solved, i + 1 - $own);
                            }
                            sum = vector::combine::<R, N, $stages>(
                                &[R::lit(0.0); N], &c, &solved, i,
                            );
                        } else {
                            for j in 0..i {
                                if i < $after && i - j >= $own {
                                    w = vector::add(w, R::lit(A[i][j]), &solved[j]);
                                }
                                sum = vector::add(sum, R::lit(C[i][j]), &solved[j]);
                            }
                        }
                        if i >= $own {
                            let time = timeline::stage::<R, S, N, P>(at, R::lit(ALPHA[i]));
                            f = system.rhs(&w, p, time);
                        }
                        if S::MASS {
                            sum = system.mass(&sum);
                        }
                        b = vector::add(f, per_h, &sum);
                        if !S::AUTONOMOUS && i < $timed {
                            b = vector::add(b, h * R::lit(TIME[i]), &dfdt);
                        }
                        x = system.solve(&factors, &b);
                        if i + 1 < $stages {
                            solved[i] = x;
                        }
                    }
                    let mut k = [x; $kept];
                    k[0] = first;
                    for i in 1..$stages {
                        k[i] = solved[i - 1];
                    }
                    let new = vector::add(w, R::lit(1.0), &x);
                    let mut step = stepper::step::<R, N, [[R; N]; $kept]>(new, k, code);
                    step.grows = grows;
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

                /// The last term of the interpolant, and a fraction of the term before.
                ///
                /// The term of the highest degree counts at its largest value, and the term before
                /// it by a [fraction](vector::SHARE_OF_TERM). If there is only one term, it counts
                /// [more](vector::MARGIN_OF_TERM), since it may be small by chance.
                fn dense_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let mut term = [R::lit(0.0); N];
                    let mut other = term;
                    let largest = vector::LARGEST_OF_TERM[$degree - 1];
                    for i in 0..$stages {
                        term = vector::add(term, R::lit(largest * H[i][$degree - 1]), &step.k[i + 1]);
                    }
                    if $degree > 1 {
                        let next = vector::LARGEST_OF_TERM[$degree / 3];
                        for i in 0..$stages {
                            let share = R::lit(
                                vector::SHARE_OF_TERM * next * H[i][$degree / 3],
                            );
                            other = vector::add(other, share, &step.k[i + 1]);
                        }
                    } else {
                        other = vector::add(other, R::lit(vector::MARGIN_OF_TERM), &term);
                    }
                    let scale = &state.tolerances;
                    let of_term = norm::scaled_error_sq::<R, N>(&term, &state.u, &step.u, scale);
                    of_term + norm::scaled_error_sq::<R, N>(&other, &state.u, &step.u, scale)
                }

                fn du_before<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[0]
                }

                fn du_after<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[0]
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
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                    theta: R,
                ) -> [R; N] {
                    let u = &state.u;
                    let mut out = *u;
                    let rest = R::lit(1.0) - theta;
                    for i in 0..$stages {
                        let mut weight = R::lit(H[i][$degree - 1]);
                        for j in 1..$degree {
                            weight = weight.mul_add(theta, R::lit(H[i][$degree - 1 - j]));
                        }
                        let weight = weight.mul_add(rest, R::lit(M[i])) * theta;
                        out = vector::add(out, weight, &step.k[i + 1]);
                    }
                    out
                }
            }
        }

        /// The adjoint of the method.
        pub mod adjoint {
            pub use device::*;

            #[allow(unused_mut, clippy::int_plus_one, clippy::manual_range_contains)]
            #[ode_macros::device($adjoint)]
            mod device {
                use super::super::device as $module;
                use crate::lane::Real;
                use crate::step::adjoint::Adjoint;
                use crate::step::{adjoint, stepper, timeline, vector};
                use crate::system::PullBack;
                use stepper::Stepper;

                /// The adjoint of the method of this module.
                ///
                /// Derivatives with respect to stages are those with respect to the `U_i`. The
                /// Jacobian and the time gradient enter a step, so their derivatives enter its
                /// adjoint. For all stages together, these are the derivatives of
                /// `Σ_i v_iᵀ J U_i + (h Σ_i γ_i v_i)ᵀ ∂f/∂t`, with the solutions `v_i` of the
                /// transposed equations of stages `i`.
                #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
                pub struct Backward;

                impl Adjoint for Backward {
                    type Method = $module::$method;

                    type Made<R: Real, const N: usize> = stepper::Step<R, N, [[R; N]; $kept]>;

                    fn make<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                    ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                        <$module::$method as Stepper>::step::<R, S, N, P>(system, state, ask)
                    }

                    fn step_of<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        _system: S,
                        _state: &stepper::State<R, N, P>,
                        _ask: &stepper::Ask<R>,
                        made: &stepper::Step<R, N, [[R; N]; $kept]>,
                    ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                        *made
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
                        let rest = R::lit(1.0) - theta;
                        for d in 0..N {
                            given.begin[d] = given.begin[d] + g[d];
                        }
                        for i in 0..$stages {
                            let mut weight = R::lit($module::H[i][$degree - 1]);
                            for j in 1..$degree {
                                weight = weight.mul_add(
                                    theta,
                                    R::lit($module::H[i][$degree - 1 - j]),
                                );
                            }
                            let weight = weight.mul_add(rest, R::lit($module::M[i])) * theta;
                            given.stages[i + 1] =
                                vector::add(given.stages[i + 1], weight, g);
                        }
                    }

                    /// Does nothing: states within a step depend on its stages alone.
                    fn pull_within<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        _system: S,
                        _state: &stepper::State<R, N, P>,
                        _ask: &stepper::Ask<R>,
                        _step: &stepper::Step<R, N, [[R; N]; $kept]>,
                        _given: &mut adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                        _dense: R::Mask,
                    ) {
                    }

                    fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        step: &stepper::Step<R, N, [[R; N]; $kept]>,
                        given: &adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                    ) -> adjoint::Back<R, N, P> {
                        let u = &state.u;
                        let p = &state.p;
                        let at = &ask.at;
                        let h = ask.h;
                        let per_h = h.reciprocal();
                        let scale = per_h * R::lit(1.0 / $module::GAMMA);
                        let factors = system.factor(u, p, at.t, scale);
                        // Derivatives with respect to the stages, and to the right-hand side at the
                        // beginning.
                        let mut by = given.stages;
                        for i in 0..$stages {
                            by[i + 1] = vector::add(by[i + 1], R::lit($module::M[i]), &given.end);
                        }
                        let mut first = [R::lit(0.0); N];
                        let mut begin = vector::add(given.begin, R::lit(1.0), &given.end);
                        let mut by_p = given.p;
                        let mut of_time = [R::lit(0.0); N];
                        let last = system.solve_transposed(&factors, &by[$stages]);
                        let mut curve = system.curve(&step.k[$stages], &last);
                        let mut v = last;
                        #[rolled($stages * N > $module::MAX_UNROLLED * (2 - R::DOUBLE as usize))]
                        for back in 0..$stages {
                            // The stage is `$stages - 1 - back`.
                            let x = step.k[$stages - back];
                            if back > 0 {
                                v = system.solve_transposed(&factors, &by[$stages - back]);
                                curve = system.curve_more(&curve, &x, &v);
                            }
                            if !S::AUTONOMOUS && $stages - 1 - back < $timed {
                                let weight = h * R::lit($module::TIME[$stages - 1 - back]);
                                of_time = vector::add(of_time, weight, &v);
                            }
                            for j in 0..$stages {
                                if j + back + 1 < $stages {
                                    let c = per_h * R::lit($module::C[$stages - 1 - back][j]);
                                    by[j + 1] = vector::add(by[j + 1], c, &v);
                                }
                            }
                            if back + $own < $stages {
                                let mut w = *u;
                                for j in 0..$stages {
                                    if j + back + 1 < $stages {
                                        let a = R::lit($module::A[$stages - 1 - back][j]);
                                        w = vector::add(w, a, &step.k[j + 1]);
                                    }
                                }
                                let node = R::lit($module::ALPHA[$stages - 1 - back]);
                                let time = timeline::stage::<R, S, N, P>(at, node);
                                let eta =
                                    adjoint::through::<R, S, N, P>(system, &w, p, time, &v, &mut by_p);
                                begin = vector::add(begin, R::lit(1.0), &eta);
                                for j in 0..$stages {
                                    if j + back + 1 < $stages {
                                        let a = R::lit($module::A[$stages - 1 - back][j]);
                                        by[j + 1] = vector::add(by[j + 1], a, &eta);
                                    }
                                }
                            } else {
                                first = vector::add(first, R::lit(1.0), &v);
                            }
                        }
                        let eta =
                            adjoint::through::<R, S, N, P>(system, u, p, at.t, &first, &mut by_p);
                        begin = vector::add(begin, R::lit(1.0), &eta);
                        let curved = system.curved(u, p, at.t, &curve, &of_time);
                        begin = vector::add(begin, R::lit(1.0), &system.pulled_state(&curved));
                        if P > 0 {
                            let of_p = system.pulled_parameters(&curved);
                            by_p = vector::add(by_p, R::lit(1.0), &of_p);
                        }
                        adjoint::back::<R, N, P>(begin, by_p)
                    }
                }
            }
        }
    };
}
