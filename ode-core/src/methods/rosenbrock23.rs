//! Rosenbrock23: a cheap method for loose tolerances, MATLAB's `ode23s`.
//!
//! L. F. Shampine and M. W. Reichelt, "The MATLAB ODE Suite", SIAM Journal on Scientific Computing 18
//! (1997) 1–22, section 3. Its third stage only estimates the error, and takes evaluations of earlier
//! ones, the last of which is the first of the next step: a lane program of its own. In the variables of
//! [`rosenbrock`](super::rosenbrock) its stages are `U_1 = d h k_1`, `U_2 = d h (k_2 - k_1)` and
//! `U_3 = d h k_3`.

pub use device::*;

use super::rosenbrock::CONTROLLER;
use super::{Properties, Stability};

/// What is known of the method.
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
};

#[ode_macros::device(rosenbrock23)]
mod device {
    use super::super::stepper;
    use crate::controller;
    use crate::guard;
    use crate::lane::Real;
    use crate::system::System;
    use crate::timeline;
    use stepper::Stepper;

    /// The diagonal, `1/(2 + √2)`.
    pub const D: f64 = 0.2928932188134524;
    /// `6 + √2`.
    pub const E32: f64 = 7.414213562373095;

    /// The method: order 2, with an error estimate, three stages with two evaluations,
    /// L-stable.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Rosenbrock23;

    impl Stepper<5> for Rosenbrock23 {
        const ORDER: usize = 2;
        const ADAPTIVE: bool = true;
        const FSAL: bool = true;
        const LAST: usize = 4;
        const SWITCHES: bool = false;
        const GUARDS: bool = true;
        const DIAGONAL: f64 = D;
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
            watch: &guard::Watch<R>,
        ) -> stepper::Step<R, N, 5> {
            let scale = R::lit(1.0 / D) / h;
            let factors = S::factor(u, p, at.t, scale);
            let mut slope = [R::lit(0.0); N];
            let mut b = *k1;
            if !S::AUTONOMOUS {
                slope = S::time_gradient(u, p, at.t);
                b = stepper::add(b, h * R::lit(D), &slope);
            }
            let first = S::solve(&factors, &b);
            let grows = guard::grows::<R, S, N, P>(&factors, watch);
            let mut w = stepper::add(*u, R::lit(0.5 / D), &first);
            let f = S::rhs(&w, p, timeline::stage::<R, S, N, P>(at, R::lit(0.5)));
            let mut sum = first;
            if S::MASS {
                sum = S::mass(&sum);
            }
            b = stepper::add(f, -scale, &sum);
            let second = S::solve(&factors, &b);
            for d in 0..N {
                w[d] = (first[d] + second[d]).mul_add(R::lit(1.0 / D), u[d]);
            }
            let last = S::rhs(&w, p, timeline::stage::<R, S, N, P>(at, R::lit(1.0)));
            for d in 0..N {
                let both = R::lit(E32) * (first[d] + second[d]);
                sum[d] = first[d].mul_add(R::lit(2.0), both);
                b[d] = f[d].mul_add(R::lit(E32), k1[d].mul_add(R::lit(2.0), last[d]));
            }
            if S::MASS {
                sum = S::mass(&sum);
            }
            b = stepper::add(b, -scale, &sum);
            if !S::AUTONOMOUS {
                b = stepper::add(b, h * R::lit(D), &slope);
            }
            let third = S::solve(&factors, &b);
            let code = stepper::unsolved::<R, N>(&first, k1, &slope);
            let k = [*k1, first, second, third, last];
            let mut step = stepper::step::<R, N, 5>(w, k, code);
            step.grows = grows;
            step
        }

        fn square_norm<R: Real, const N: usize>(
            u: &[R; N],
            step: &stepper::Step<R, N, 5>,
            _h: R,
            tolerances: &stepper::Tolerances<R, N>,
        ) -> R {
            let mut error = [R::lit(0.0); N];
            for d in 0..N {
                let others = step.k[2][d].mul_add(R::lit(2.0), step.k[1][d]);
                error[d] = R::lit(1.0 / (6.0 * D)) * (step.k[3][d] - others);
            }
            controller::square_norm::<R, N>(&error, u, &step.u, tolerances)
        }

        fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
            _u: &[R; N],
            _p: &[R; P],
            _at: &timeline::At<R>,
            _h: R,
            step: &stepper::Step<R, N, 5>,
        ) -> stepper::Step<R, N, 5> {
            *step
        }

        fn interpolate<R: Real, const N: usize>(
            u: &[R; N],
            step: &stepper::Step<R, N, 5>,
            _h: R,
            theta: R,
        ) -> [R; N] {
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
