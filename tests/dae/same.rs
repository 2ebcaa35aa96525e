//! One arithmetic: systems with mass matrices give the same bits everywhere.

use crate::everywhere::succeeds_everywhere;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method};
use odes::prelude::*;
use odes::problem::Vary;

/// Robertson's reactions with the conservation of mass, at a temperature that changes with time.
///
/// There is also an algebraic unknown whose equation is not linear. The mass matrix couples
/// derivatives. Nothing is rounded more than once.
#[ode_system]
mod reactions {
    #[mass_matrix]
    const M: [[f64; 4]; 4] = [[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0; 4]];

    fn rhs(u: &[f64; 4], p: &[f64; 3], t: f64) -> [f64; 4] {
        let [a, b, c, d] = *u;
        let rate = p[0] * a / (1.0 + p[2] * t) - p[1] * b * c;
        let fall = rate - 3e7 * b * b;
        [0.5 * fall - rate, fall, d + d * d * d - a, a + b + c - 1.0]
    }
}

fn sweep<T: Scalar>()
-> EnsembleProblem<reactions::Model, T, impl Vary<reactions::Model, T, 4, 3>, 4, 3> {
    let x = T::narrow;
    let n = 300;
    let problem =
        OdeProblem::new(reactions, [1.0, 0.0, 0.0, 0.5], 0.0..=1e4, [0.04, 1e4, 0.0]).cast::<T>();
    EnsembleProblem::new(problem).trajectories(n).vary(
        move |q: OdeProblem<_, T, 4, 3>, i: usize| {
            let share = ((i * 131) % n) as f64 / n as f64;
            let rate = 0.04 * f64::powi(10.0, (3.0 * share) as i32 - 1) * (1.0 + share);
            q.with_p([x(rate), x(1e4 * (1.0 + share)), x(1e-3 * share)])
        },
    )
}

fn check<T: Scalar, M: Method + Copy>(method: M, options: &SolveOptions) {
    succeeds_everywhere(method, &sweep::<T>(), options);
}

/// Options for `f32`: the second species is 10000 times as rare as the others.
fn single() -> SolveOptions {
    SolveOptions::default().reltol(1e-4).abstol([1e-5, 1e-9, 1e-5, 1e-5]).saveat(2500.0)
}

#[test]
fn rodas5p_has_the_same_bits() {
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-10).saveat([0.0, 0.1, 4000.0]);
    check::<f64, _>(Rodas5P, &options);
    check::<f32, _>(Rodas5P, &single());
}

#[test]
fn kvaerno5_has_the_same_bits() {
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-10).saveat([0.0, 0.1, 4000.0]);
    check::<f64, _>(Kvaerno5, &options);
    check::<f32, _>(Kvaerno5, &single());
}
