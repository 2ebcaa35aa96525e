//! Methods for stochastic equations, with fixed steps.

/// Declares a method for stochastic equations.
///
/// `step` computes the new state `w` from `u` by statements. They may mention the system, `u`, `p`,
/// `at` (the times of stages), `h`, and `path`, the interval of the step on the path of the noise.
/// `drifts` is the number of evaluations of the drift.
///
/// `back` is the adjoint of these statements. It starts from `end`, the derivatives of a loss with
/// respect to the new state, which it adds to `begin`, those with respect to `u`. The statements
/// add all other derivatives with respect to `u`, and those with respect to the parameters to
/// `by_p`. `adjoint` names the C++ namespace of the adjoint, a lane program of its own.
macro_rules! stochastic {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, adjoint $adjoint:ident,
        calculus $calculus:expr, noise $noise:ident,
        strong $strong:literal, weak $weak:literal, drifts $drifts:literal,
        step($system:ident, $u:ident, $p:ident, $at:ident, $h:ident, $path:ident, $w:ident)
            { $($step:tt)* }
        back($of:ident, $v:ident, $q:ident, $times:ident, $size:ident, $interval:ident,
            $end:ident, $begin:ident, $by_p:ident)
            { $($back:tt)* }
    ) => {
        pub use device::*;

        use crate::step::controller::Controller;
        use crate::step::properties::{NoiseClass, Properties, Stability, Stochastic};
        #[allow(unused_imports)]
        use crate::system::Calculus;

        /// The properties of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            order: 1,
            embedded: &[],
            error: 1,
            controller: Controller::pi(0.7, 0.4),
            stages: $drifts,
            fsal: false,
            interpolant: 1,
            evaluations: $drifts,
            extra: 0,
            solves: 0,
            iterates: false,
            switches_to: None,
            stability: Stability::Bounded,
            stochastic: Some(Stochastic {
                calculus: $calculus,
                noise: NoiseClass::$noise,
                strong_order: $strong,
                weak_order: $weak,
            }),
        };

        // Not each method uses all quantities of a step.
        #[allow(unused_imports, unused_variables)]
        #[ode_macros::device($module)]
        mod device {
            use crate::lane::Real;
            use crate::step::{stepper, timeline};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper for $method {
                const ORDER: usize = 1;
                const ADAPTIVE: bool = false;
                const FSAL: bool = false;
                const GUARDS: bool = false;
                const DIAGONAL: f64 = 0.0;
                const ITERATES: bool = false;
                const NEEDS_DU: bool = false;
                type Kept<R: Real, const N: usize> = [R; N];
                type Memory = stepper::Nothing;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    $system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                ) -> stepper::Step<R, N, [R; N]> {
                    let $u = &state.u;
                    let $p = &state.p;
                    let $at = &ask.at;
                    let $h = ask.h;
                    let $path = &ask.path;
                    let mut $w = *$u;
                    $($step)*
                    stepper::made::<R, N, [R; N]>($w, $w)
                }

                fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
                    _state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    _step: &stepper::Step<R, N, [R; N]>,
                ) -> R {
                    R::lit(0.0)
                }

                fn dense_error_sq<R: Real, const N: usize, const P: usize>(
                    _state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    _step: &stepper::Step<R, N, [R; N]>,
                ) -> R {
                    R::lit(0.0)
                }

                fn du_before<R: Real, const N: usize>(kept: &[R; N]) -> [R; N] {
                    *kept
                }

                fn du_after<R: Real, const N: usize>(kept: &[R; N]) -> [R; N] {
                    *kept
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    _system: S,
                    _state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [R; N]>,
                ) -> stepper::Step<R, N, [R; N]> {
                    *step
                }

                fn interpolate<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [R; N]>,
                    theta: R,
                ) -> [R; N] {
                    let mut out = state.u;
                    for d in 0..N {
                        out[d] = theta.mul_add(step.u[d] - state.u[d], state.u[d]);
                    }
                    out
                }
            }
        }

        /// The adjoint of the method.
        pub mod adjoint {
            pub use device::*;

            // Not each method uses all quantities of a step.
            #[allow(unused_imports, unused_variables)]
            #[ode_macros::device($adjoint)]
            mod device {
                use super::super::device as $module;
                use crate::lane::Real;
                use crate::step::adjoint::Adjoint;
                use crate::step::{adjoint, stepper, timeline};
                use crate::system::{Noise, PullBack, PullBackNoise};
                use stepper::Stepper;

                /// The adjoint of the method of this module.
                #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
                pub struct Backward;

                impl Adjoint for Backward {
                    type Method = $module::$method;

                    /// The state at the beginning: the adjoint computes all stages again.
                    type Made<R: Real, const N: usize> = [R; N];

                    fn make<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        _system: S,
                        state: &stepper::State<R, N, P>,
                        _ask: &stepper::Ask<R>,
                    ) -> [R; N] {
                        state.u
                    }

                    fn step_of<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        _made: &[R; N],
                    ) -> stepper::Step<R, N, [R; N]> {
                        <$module::$method as Stepper>::step::<R, S, N, P>(system, state, ask)
                    }

                    fn nothing<R: Real, const N: usize, const P: usize>(
                        end: [R; N],
                    ) -> adjoint::StepCotangents<R, N, P, [R; N]> {
                        let none = [R::lit(0.0); N];
                        adjoint::given::<R, N, P, [R; N]>(end, none, none, [R::lit(0.0); P])
                    }

                    fn within<R: Real, const N: usize, const P: usize>(
                        given: &mut adjoint::StepCotangents<R, N, P, [R; N]>,
                        theta: R,
                        g: &[R; N],
                    ) {
                        for d in 0..N {
                            let of_end = theta * g[d];
                            given.end[d] = given.end[d] + of_end;
                            given.begin[d] = given.begin[d] + (g[d] - of_end);
                        }
                    }

                    fn pull_within<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        _system: S,
                        _state: &stepper::State<R, N, P>,
                        _ask: &stepper::Ask<R>,
                        _step: &stepper::Step<R, N, [R; N]>,
                        _given: &mut adjoint::StepCotangents<R, N, P, [R; N]>,
                        _dense: R::Mask,
                    ) {
                    }

                    fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        $of: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        _made: &[R; N],
                        given: &adjoint::StepCotangents<R, N, P, [R; N]>,
                    ) -> adjoint::Back<R, N, P> {
                        let $v = &state.u;
                        let $q = &state.p;
                        let $times = &ask.at;
                        let $size = ask.h;
                        let $interval = &ask.path;
                        let $end = &given.end;
                        let mut $by_p = given.p;
                        let mut $begin = given.begin;
                        for d in 0..N {
                            $begin[d] = $begin[d] + $end[d];
                        }
                        $($back)*
                        adjoint::back::<R, N, P>($begin, $by_p)
                    }
                }
            }
        }
    };
}
