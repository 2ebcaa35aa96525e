//! `finite_diff.jl`: stiff methods where nobody wrote a Jacobian. Ours are exact; there is no other kind.

use super::{everywhere, for_each_method};
use crate::cases::hyperbola;
use odes::Method;
use odes::prelude::*;

/// `u' = -u²`, default tolerances.
fn no_jacobian_by_hand<M: Method<K>, const K: usize>(method: M) {
    let problem = OdeProblem::new(hyperbola, [10.0f32], 0.0..=10.0, [-1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(10_000);
    for solution in everywhere(method, &ensemble, &SolveOptions::default().first_step(0.01)) {
        assert!(solution.all_succeeded());
        for i in 0..10_000 {
            let error = f64::from(solution.final_state(i)[0]) - 10.0 / 101.0;
            assert!(error.abs() < 2e-4, "{error:e}");
        }
    }
}

for_each_method! { stiff: [no_jacobian_by_hand] }
