//! Combinations that are refused.

use crate::systems::{geometric, relaxing};
use crate::workloads::lorenz;
use odes::methods::{EulerMaruyama, Rk4};
use odes::prelude::*;

fn geometric_problem() -> geometric::Problem {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    OdeProblem::new(geometric, geometric::State { x: 0.5, w: 0.0 }, 0.0..=1.0, parameters)
}

#[test]
fn methods_of_other_equations() {
    let options = SolveOptions::default().fixed_step(0.1);
    let error = geometric_problem().solve(Rk4, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Rk4 cannot solve geometric, which has Itô noise, scalar, of 1 process: the method solves \
         ordinary equations; use a method for noise, such as `EulerMaruyama`"
    );
    let ordinary = OdeProblem::new(lorenz, [1.0; 3], 0.0..=1.0, [10.0, 28.0, 2.0]);
    let error = ordinary.solve(EulerMaruyama, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "EulerMaruyama cannot solve lorenz, which has no noise: the method solves stochastic \
         equations; use another one, such as `Tsit5`, or add a function with `#[noise]` to the \
         system"
    );
    let adaptive = SolveOptions::default();
    let error = geometric_problem().solve(EulerMaruyama, &adaptive).unwrap_err();
    assert!(matches!(error, SolveError::NotAdaptive { .. }), "{error}");
}

#[test]
fn lockstep_and_reversed_time() {
    let options = SolveOptions::default().fixed_step(0.1);
    let ensemble = EnsembleProblem::new(geometric_problem()).trajectories(3);
    let error = ensemble.solve(EulerMaruyama, EnsembleCpuArray, &options).unwrap_err();
    assert!(matches!(error, SolveError::NoArrays { .. }), "{error}");
    let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
    let back = OdeProblem::new(relaxing, [0.0; 2], (1.0, 0.0), parameters);
    let options = SolveOptions::default().fixed_step(-0.1);
    let error = back.solve(EulerMaruyama, &options).unwrap_err();
    assert!(matches!(error, SolveError::Noise { .. }), "{error}");
}
