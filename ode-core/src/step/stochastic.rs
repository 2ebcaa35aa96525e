//! Methods for stochastic equations.

use crate::step::controller::Controller;

/// The controller of methods with error estimates of order 1.
///
/// It has no memory: steps change by powers of two, which hides trends of the errors.
pub(crate) const ORDER_1: Controller = Controller::i();

/// The controller of methods with error estimates of order 3/2.
pub(crate) const ORDER_3_2: Controller = Controller::pi(2.0 / 3.0, 0.0);

/// Declares a method for stochastic equations.
///
/// The statements of `stages` compute the quantities that the step and its adjoint share. They may
/// mention the system, `u`, `p`, `at` (the times of stages), `h`, and `dw`, the increments and areas
/// of the noise. The areas may be zeros unless `areas` is `true`. `drifts` is the number of
/// evaluations of the drift.
///
/// The statements of `step` follow them, and compute the state `next` at the end. With `keeps 2`,
/// the method estimates errors: they set the kept vectors `k` to the drift at the beginning and to
/// the estimated error, and `controller` is one of this module's constants. With `keeps 1` the
/// method is for fixed steps.
///
/// In the adjoint, `back` follows `stages`. It starts from `end`, the derivatives of a loss with
/// respect to the new state, which it adds to `begin`, those with respect to `u`. The statements
/// add all other derivatives with respect to `u`, and those with respect to the parameters to
/// `by_p`. `adjoint` names the C++ namespace of the adjoint, a lane program of its own.
macro_rules! stochastic {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, adjoint $adjoint:ident,
        calculus $calculus:expr, noise $noise:ident,
        strong $strong:literal, weak $weak:literal, drifts $drifts:literal,
        keeps $kept:tt, controller $controller:ident, areas $areas:literal,
        stages($system:ident, $u:ident, $p:ident, $at:ident, $h:ident, $dw:ident)
            { $($stages:tt)* }
        step($next:ident, $k:ident) { $($step:tt)* }
        back($end:ident, $begin:ident, $by_p:ident) { $($back:tt)* }
    ) => {
        pub use device::*;

        use crate::step::properties::{NoiseClass, Properties, Stability, Stochastic};
        use crate::step::stochastic;
        #[allow(unused_imports)]
        use crate::system::Calculus;

        /// The properties of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            order: 1,
            embedded: if $kept > 1 { &[1] } else { &[] },
            error: 1,
            controller: stochastic::$controller,
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
        #[allow(unused_imports, unused_mut, unused_variables)]
        #[ode_macros::device($module)]
        mod device {
            use crate::lane::Real;
            use crate::step::{norm, stepper, timeline};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            impl Stepper for $method {
                const ORDER: usize = 1;
                const ADAPTIVE: bool = $kept > 1;
                const FSAL: bool = false;
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
                    let wiener = <S::Noise as Noise<N, P>>::increments::<R>(&ask.path, $areas);
                    $method::step_on::<R, S, N, P>(system, state, ask, &wiener)
                }

                fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    $system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    let $u = &state.u;
                    let $p = &state.p;
                    let $at = &ask.at;
                    let $h = ask.h;
                    let $dw = *wiener;
                    $($stages)*
                    let mut $next = *$u;
                    let mut $k = [*$u; $kept];
                    $($step)*
                    stepper::made::<R, N, [[R; N]; $kept]>($next, $k)
                }

                fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    _ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let error = &step.k[$kept - 1];
                    norm::scaled_error_sq::<R, N>(error, &state.u, &step.u, &state.tolerances)
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
                    ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                        <$module::$method as Stepper>::step::<R, S, N, P>(system, state, ask)
                    }

                    fn nothing<R: Real, const N: usize, const P: usize>(
                        end: [R; N],
                    ) -> adjoint::StepCotangents<R, N, P, [[R; N]; $kept]> {
                        let none = [R::lit(0.0); N];
                        adjoint::given::<R, N, P, [[R; N]; $kept]>(end, none, [none; $kept], [R::lit(0.0); P])
                    }

                    fn within<R: Real, const N: usize, const P: usize>(
                        given: &mut adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
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
                        _step: &stepper::Step<R, N, [[R; N]; $kept]>,
                        _given: &mut adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                        _dense: R::Mask,
                    ) {
                    }

                    fn pull_back<R: Real, S: PullBack<N, P>, const N: usize, const P: usize>(
                        $system: S,
                        state: &stepper::State<R, N, P>,
                        ask: &stepper::Ask<R>,
                        _made: &[R; N],
                        given: &adjoint::StepCotangents<R, N, P, [[R; N]; $kept]>,
                    ) -> adjoint::Back<R, N, P> {
                        let $u = &state.u;
                        let $p = &state.p;
                        let $at = &ask.at;
                        let $h = ask.h;
                        let $dw = <S::Noise as Noise<N, P>>::increments::<R>(&ask.path, $areas);
                        let $end = &given.end;
                        let mut $by_p = given.p;
                        let mut $begin = given.begin;
                        for d in 0..N {
                            $begin[d] = $begin[d] + $end[d];
                        }
                        $($stages)*
                        $($back)*
                        adjoint::back::<R, N, P>($begin, $by_p)
                    }
                }
            }
        }
    };
}
