//! Solves that a method or a backend cannot do: each is a typed error that contains the value.

use crate::cases::growth;
use odes::SolveError;
use odes::methods::{Euler, Rk4};
use odes::prelude::*;

fn problem() -> OdeProblem<growth, f64, 1, 1> {
    OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5])
}

/// Methods without an error estimate cannot choose a step size.
#[test]
fn methods_without_an_error_estimate_need_a_step_size() {
    let adaptive = SolveOptions::default();
    let errors =
        [("Euler", problem().solve(Euler, &adaptive)), ("Rk4", problem().solve(Rk4, &adaptive))];
    for (name, result) in errors {
        let error = result.unwrap_err();
        assert!(matches!(error, SolveError::NotAdaptive { method } if method == name), "{error}");
        assert_eq!(
            error.to_string(),
            format!(
                "{name} has no error estimate, so it cannot choose step sizes; set one with \
                 `.fixed_step(dt)`, or use another method"
            )
        );
    }
    assert!(problem().solve(Euler, &adaptive.fixed_step(0.1)).is_ok());
}

/// Too many trajectories are an error before anything is computed or allocated for them.
#[test]
fn more_trajectories_than_an_index_counts() {
    let most = i32::MAX as usize;
    for trajectories in [most + 1, usize::MAX] {
        let ensemble = EnsembleProblem::new(problem()).trajectories(trajectories);
        let error = ensemble.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap_err();
        let SolveError::TooManyTrajectories { trajectories: given, most: named } = error else {
            panic!("{error}")
        };
        assert_eq!((given, named), (trajectories, most));
        assert_eq!(
            error.to_string(),
            format!(
                "{trajectories} trajectories are too many for one solve, which takes at most \
                 {most}; solve the ensemble in shards"
            )
        );
    }
}
