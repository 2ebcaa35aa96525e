//! Methods for stochastic equations, with fixed steps.

/// Declares a method for stochastic equations.
///
/// `step` computes the new state `w` from `u` by statements. They may mention the system, `u`, `p`,
/// `at` (the times of stages), `h`, and `path`, the interval of the step on the path of the noise.
/// `drifts` is the number of evaluations of the drift.
macro_rules! stochastic {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident,
        calculus $calculus:expr, noise $noise:ident,
        strong $strong:literal, weak $weak:literal, drifts $drifts:literal,
        step($system:ident, $u:ident, $p:ident, $at:ident, $h:ident, $path:ident, $w:ident)
            { $($step:tt)* }
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
    };
}
