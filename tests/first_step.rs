//! The first step that is chosen automatically.

#[path = "../examples/models/mod.rs"]
mod models;

use models::robertson::{P, U0, robertson};
use odes::prelude::*;

/// At the start Robertson's fast reactions have not begun, and the Jacobian does not show them. A step of
/// about 2.4e-3, five times as long as they take, ends far from the solution, and for some rates the error
/// estimate of Rodas4 is zero there: the state is then one that explodes. These are the first such rates
/// of 2^20 between 0.02 and 0.06, for three tolerances.
#[test]
fn a_first_step_does_not_pass_over_what_the_jacobian_does_not_show() {
    for (reltol, i) in [(1e-2, 658_467), (1e-3, 720_045), (1e-4, 671_369)] {
        let rate = 0.04 * (1.0 + 0.5 * (2.0 * f64::from(i) / 1_048_575.0 - 1.0));
        let problem = OdeProblem::new(robertson, U0, 0.0..=1e4, [rate, P[1], P[2]]);
        let options = |reltol| SolveOptions::default().reltol(reltol).abstol(1e-4 * reltol);
        let solution = problem.solve(Rodas4, &options(reltol)).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success, "{reltol:e}");
        let exact = problem.solve(Rodas5P, &options(1e-10)).unwrap().final_state();
        for (x, y) in solution.final_state().into_iter().zip(exact) {
            assert!((x - y).abs() < reltol * (y.abs() + 1e-4), "{reltol:e}: {x} and {y}");
        }
    }
}
