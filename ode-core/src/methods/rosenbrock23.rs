//! The lane program of [`Rosenbrock23`].
//!
//! It is a lane program of its own. The third stage only estimates the error, and uses evaluations
//! of earlier stages; the last evaluation is the first one of the next step. In the variables of
//! [`rosenbrock`](super::rosenbrock), the stages are `U_1 = d h k_1`, `U_2 = d h (k_2 - k_1)` and
//! `U_3 = d h k_3`.

pub use device::*;

use super::{Properties, Stability};
use crate::step::rosenbrock::CONTROLLER;

/// The properties of the method.
pub const PROPERTIES: Properties = Properties {
    name: "Rosenbrock23",
    order: 2,
    embedded: &[3],
    error: 3,
    controller: CONTROLLER,
    stages: 3,
    fsal: true,
    interpolant: 2,
    evaluations: 2,
    extra: 0,
    solves: 3,
    iterates: false,
    switches_to: None,
    stability: Stability::L,
    stochastic: None,
};

#[ode_macros::device(rosenbrock23)]
mod device {
    use crate::lane::Real;
    use crate::step::{guard, norm, stepper, timeline, vector};
    use crate::system::{Noise, System};
    use stepper::Stepper;

    /// The diagonal coefficient `γ`, `1/(2 + √2)`.
    pub const D: f64 = 0.2928932188134524;
    /// `6 + √2`.
    pub const E32: f64 = 7.414213562373095;

    /// A Rosenbrock method of order 2(3), L-stable, for loose tolerances: MATLAB's `ode23s`.
    ///
    /// Three stages with two evaluations.
    ///
    /// L. F. Shampine and M. W. Reichelt, "The MATLAB ODE Suite", SIAM Journal on Scientific
    /// Computing 18 (1997) 1–22, section 3.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Rosenbrock23;

    impl Stepper for Rosenbrock23 {
        const ORDER: usize = 2;
        const ADAPTIVE: bool = true;
        const FSAL: bool = true;
        const GUARDS: bool = true;
        const DIAGONAL: f64 = D;
        const ITERATES: bool = false;
        const NEEDS_DU: bool = false;
        type Kept<R: Real, const N: usize> = [[R; N]; 5];
        type Memory = stepper::Nothing;

        fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
        ) -> stepper::Step<R, N, [[R; N]; 5]> {
            let u = &state.u;
            let p = &state.p;
            let at = &ask.at;
            let h = ask.h;
            let k1 = &state.du;
            let scale = R::lit(1.0 / D) / h;
            let factors = system.factor(u, p, at.t, scale);
            let mut slope = [R::lit(0.0); N];
            let mut b = *k1;
            if !S::AUTONOMOUS {
                slope = system.time_gradient(u, p, at.t);
                b = vector::add(b, h * R::lit(D), &slope);
            }
            let first = system.solve(&factors, &b);
            let grows = guard::grows::<R, S, N, P>(system, &factors, &ask.watch);
            let mut w = vector::add(*u, R::lit(0.5 / D), &first);
            let f = system.rhs(&w, p, timeline::stage::<R, S, N, P>(at, R::lit(0.5)));
            let mut sum = first;
            if S::MASS {
                sum = system.mass(&sum);
            }
            b = vector::add(f, -scale, &sum);
            let second = system.solve(&factors, &b);
            for d in 0..N {
                w[d] = (first[d] + second[d]).mul_add(R::lit(1.0 / D), u[d]);
            }
            let last = system.rhs(&w, p, timeline::stage::<R, S, N, P>(at, R::lit(1.0)));
            for d in 0..N {
                let both = R::lit(E32) * (first[d] + second[d]);
                sum[d] = first[d].mul_add(R::lit(2.0), both);
                b[d] = f[d].mul_add(R::lit(E32), k1[d].mul_add(R::lit(2.0), last[d]));
            }
            if S::MASS {
                sum = system.mass(&sum);
            }
            b = vector::add(b, -scale, &sum);
            if !S::AUTONOMOUS {
                b = vector::add(b, h * R::lit(D), &slope);
            }
            let third = system.solve(&factors, &b);
            let code = stepper::unsolved::<R, N>(&first, k1, &slope);
            let k = [*k1, first, second, third, last];
            let mut step = stepper::step::<R, N, [[R; N]; 5]>(w, k, code);
            step.grows = grows;
            step
        }

        fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            system: S,
            state: &stepper::State<R, N, P>,
            ask: &stepper::Ask<R>,
            _wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
        ) -> stepper::Step<R, N, [[R; N]; 5]> {
            Rosenbrock23::step::<R, S, N, P>(system, state, ask)
        }

        fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
            state: &stepper::State<R, N, P>,
            _ask: &stepper::Ask<R>,
            step: &stepper::Step<R, N, [[R; N]; 5]>,
        ) -> R {
            let mut error = [R::lit(0.0); N];
            for d in 0..N {
                let others = step.k[2][d].mul_add(R::lit(2.0), step.k[1][d]);
                error[d] = R::lit(1.0 / (6.0 * D)) * (step.k[3][d] - others);
            }
            norm::scaled_error_sq::<R, N>(&error, &state.u, &step.u, &state.tolerances)
        }

        /// Returns zero: the error at the end includes components that follow others.
        fn dense_error_sq<R: Real, const N: usize, const P: usize>(
            _state: &stepper::State<R, N, P>,
            _ask: &stepper::Ask<R>,
            _step: &stepper::Step<R, N, [[R; N]; 5]>,
        ) -> R {
            R::lit(0.0)
        }

        fn du_before<R: Real, const N: usize>(kept: &[[R; N]; 5]) -> [R; N] {
            kept[0]
        }

        fn du_after<R: Real, const N: usize>(kept: &[[R; N]; 5]) -> [R; N] {
            kept[4]
        }

        fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            _system: S,
            _state: &stepper::State<R, N, P>,
            _ask: &stepper::Ask<R>,
            step: &stepper::Step<R, N, [[R; N]; 5]>,
        ) -> stepper::Step<R, N, [[R; N]; 5]> {
            *step
        }

        fn interpolate<R: Real, const N: usize, const P: usize>(
            state: &stepper::State<R, N, P>,
            _ask: &stepper::Ask<R>,
            step: &stepper::Step<R, N, [[R; N]; 5]>,
            theta: R,
        ) -> [R; N] {
            let u = &state.u;
            let weight1 = theta * R::lit(1.0 / D);
            let weight2 = weight1 * ((theta - R::lit(2.0 * D)) * R::lit(1.0 / (1.0 - 2.0 * D)));
            let mut out = *u;
            for d in 0..N {
                let first = step.k[1][d].mul_add(weight1, u[d]);
                out[d] = step.k[2][d].mul_add(weight2, first);
            }
            out
        }
    }
}
