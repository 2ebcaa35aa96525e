//! Right-hand sides with exponentials, whose Jacobians change by many orders of magnitude in a step.

use odes::methods::{KenCarp4, Kvaerno3, Kvaerno5, Method, Rodas5P, TrBdf2};
use odes::prelude::*;

/// A solution that falls at rate -1, until it meets `t` and follows it.
///
/// With `v = t - u`, `v' = 2 - exp(p v)`, so the solution soon is `t - ln(2) / p`.
#[ode_system]
fn follower(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [((t - u[0]) * p[0]).exp() - 1.0]
}

fn follows<M: Method>(method: M) {
    for p in [20.0, 100.0, 1000.0] {
        for tolerance in [1e-4, 1e-6, 1e-9] {
            let options = SolveOptions::default().tolerance(tolerance);
            let problem = OdeProblem::new(follower, [5.0], 0.0..=20.0, [p]);
            let solution = problem.solve(method, &options).unwrap();
            let (end, exact) = (solution.final_state()[0], 20.0 - 2_f64.ln() / p);
            let what = format!("{}, p = {p}, {tolerance}: {end} for {exact}", M::PROPERTIES.name);
            assert_eq!(solution.code(), ReturnCode::Success, "{what}");
            assert!((end - exact).abs() <= 100.0 * tolerance * exact, "{what}");
        }
    }
}

/// A step into the exponential is rejected, not hidden by its Jacobian.
#[test]
fn implicit_methods_follow() {
    follows(TrBdf2);
    follows(Kvaerno3);
    follows(KenCarp4);
    follows(Kvaerno5);
    follows(Rodas5P);
}
