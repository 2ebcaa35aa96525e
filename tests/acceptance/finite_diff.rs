//! `finite_diff.jl`: stiff methods without a hand-written Jacobian. Jacobians of odes are always
//! exact.

use super::{everywhere, for_each_method};
use crate::cases::hyperbola;
use odes::Controller;
use odes::methods::Method;
use odes::prelude::*;

/// `u' = -u²` with default tolerances and the controller of DiffEqGPU.jl for all methods.
///
/// With its own controller Rosenbrock23 takes a quarter fewer steps, and its error is 3.1e-4.
fn no_jacobian_by_hand<M: Method>(method: M) {
    let problem = OdeProblem::new(hyperbola, [10.0], 0.0..=10.0, [-1.0]).cast::<f32>();
    let ensemble = EnsembleProblem::new(problem).trajectories(10_000);
    // DiffEqGPU.jl's exponents are relative to the order of the method, ours to the order of the
    // error.
    let per = M::PROPERTIES.error as f64 / M::PROPERTIES.order as f64;
    let options = SolveOptions::default().first_step(0.01);
    let theirs = options.clone().controller(Controller::pi(0.7 * per, 0.4 * per));
    // DiffEqGPU.jl has no TrBdf2.
    let most = if M::PROPERTIES.name == "TrBdf2" { 4e-4 } else { 2e-4 };
    for (options, most) in [(theirs, most), (options, 5e-4)] {
        for solution in everywhere(method, &ensemble, &options) {
            assert!(solution.all_succeeded());
            for i in 0..10_000 {
                let error = f64::from(solution.final_state(i)[0]) - 10.0 / 101.0;
                assert!(error.abs() < most, "{error:e}");
            }
        }
    }
}

for_each_method! { stiff: [no_jacobian_by_hand] }
