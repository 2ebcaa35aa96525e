//! Combinations that are refused.

use crate::systems::{commuting, geometric, heston, relaxing, stratonovich, swept, switched};
use crate::workloads::lorenz;
use odes::methods::{EulerMaruyama, Milstein, Rk4, Sra1, Sriw1, StochasticHeun};
use odes::periodic::PeriodicSearch;
use odes::prelude::*;
use odes::sample::{Design, Samples, Scrambling, Uniform};
use odes::sensitivity::Sobol;
use odes::system::System;

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
    assert!(error.to_string().contains("`Sriw1` for diagonal or scalar noise"), "{error}");
    // The message names all methods with an error estimate.
    for method in odes::methods::STOCHASTIC {
        let named = error.to_string().contains(&format!("`{}`", method.name));
        assert_eq!(named, method.adaptive(), "{}", method.name);
    }
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

/// The kind of each system, and the messages of methods for other kinds.
#[test]
fn kinds_of_noise() {
    let kind = |info: &odes::system::SystemInfo| info.noise.unwrap().to_string();
    assert_eq!(kind(geometric.info()), "Itô noise, scalar, of 1 process");
    assert_eq!(kind(relaxing.info()), "Itô noise, additive, of 2 processes");
    assert_eq!(kind(heston.info()), "Itô noise, general, of 2 processes");
    assert_eq!(kind(stratonovich.info()), "Stratonovich noise, scalar, of 1 process");
    assert_eq!(kind(commuting.info()), "Itô noise, commutative, of 2 processes");
    assert_eq!(kind(swept.info()), "Itô noise, general, of 2 processes");
    assert!(swept::report().to_string().contains("Itô noise, general, of 2 processes"));
    assert_eq!(switched.info().parameter_breaks, ["p0"]);
    let noise = relaxing.info().noise.unwrap();
    assert!(noise.diagonal && noise.commutative);

    let options = SolveOptions::default().fixed_step(0.1);
    let why = |error: SolveError| match error {
        SolveError::Noise { why, .. } => why,
        other => panic!("{other}"),
    };
    let error = geometric_problem().solve(Sra1, &options).unwrap_err();
    assert!(why(error).starts_with("the method solves additive noise"));
    let error = geometric_problem().solve(StochasticHeun, &options).unwrap_err();
    assert_eq!(why(error), "the method is for Stratonovich noise; use `EulerMaruyama`");
    let parameters = heston::Parameters {
        rate: 0.05,
        reversion: 2.0,
        mean: 0.04,
        volatility: 0.3,
        correlation: -0.7,
    };
    let start = heston::State { price: 100.0, variance: 0.04 };
    let problem = OdeProblem::new(heston, start, 0.0..=1.0, parameters);
    assert!(why(problem.solve(Sriw1, &options).unwrap_err()).contains("diagonal or scalar noise"));
    assert!(why(problem.solve(Milstein, &options).unwrap_err()).contains("commutative noise"));
    // Both calculi agree for additive noise.
    let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters);
    assert!(problem.solve(StochasticHeun, &options).is_ok());
}

#[test]
fn cells_periodic_states_and_interpolation() {
    let options = SolveOptions::default().fixed_step(0.1);
    let adaptive = SolveOptions::default().noise_cell(1.0);
    for cell in [0.15, 0.05] {
        let options = options.clone().noise_cell(cell);
        let error = geometric_problem().solve(EulerMaruyama, &options).unwrap_err();
        assert!(matches!(error, SolveError::NoiseCell { .. }), "{error}");
    }
    let error = geometric_problem().solve(Sriw1, &adaptive.clone().first_step(0.3)).unwrap_err();
    assert!(matches!(error, SolveError::NoiseCell { .. }), "{error}");
    for cell in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        let error = geometric_problem().solve(Sriw1, &adaptive.clone().noise_cell(cell));
        let error = error.unwrap_err();
        assert!(matches!(error, SolveError::NoiseCellLength { .. }), "{error}");
    }
    let error = geometric_problem().solve(Sriw1, &adaptive.noise_cell(1e-12)).unwrap_err();
    assert!(matches!(error, SolveError::NoiseCells { .. }), "{error}");
    let ensemble = EnsembleProblem::new(geometric_problem()).trajectories(2);
    let search = PeriodicSearch::new();
    let error = ensemble.periodic_states(EulerMaruyama, EnsembleThreads, &options, &search);
    assert!(error.unwrap_err().to_string().contains("this system has noise"));
    // An interpolant between saved times would have too little variance.
    let solution = geometric_problem().solve(EulerMaruyama, &options.saveat(0.5)).unwrap();
    assert!(solution.at(0.5).is_some() && solution.at(0.25).is_none());
}

/// A threshold that ends a path.
#[ode_system(gradients = "on")]
mod stopped {
    fn rhs(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [p[0] * u[0]]
    }

    #[noise]
    fn noise(u: &[f64; 1]) -> [f64; 1] {
        [u[0]]
    }

    #[event(rising, stop)]
    fn high(u: &[f64; 1]) -> f64 {
        u[0] - 2.0
    }

    #[loss]
    fn size(u: &[f64; 1]) -> f64 {
        u[0]
    }
}

#[test]
fn gradients_through_events() {
    let problem = OdeProblem::new(stopped, [1.0], 0.0..=1.0, [0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(2);
    let options = SolveOptions::default().fixed_step(0.1).saveat([1.0]);
    let error = ensemble.gradient(EulerMaruyama, EnsembleSerial, &options).unwrap_err();
    assert!(matches!(error, SolveError::NoGradientsOf { .. }), "{error}");
    assert!(error.to_string().contains("systems with events and noise"), "{error}");
}

/// Sensitivities need one path for all trajectories: `u + sd W` is then linear in both inputs.
#[test]
fn sensitivities_on_one_path() {
    let parameters = relaxing::Parameters { rate: 0.0, mean: 0.0, sd: [1.0; 2] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters);
    let options = SolveOptions::default().fixed_step(0.25);
    let w = problem.solve(EulerMaruyama, &options).unwrap().final_state()[0];
    let samples = Samples::seed(20).u0(0, Uniform(0.0, 2.0)).p(2, Uniform(0.5, 1.5));
    let samples = samples.design(Design::Sobol(Scrambling::Owen));
    let ensemble = EnsembleProblem::new(problem).trajectories(1 << 10).sample(samples);
    let solve = |options: &SolveOptions| {
        ensemble.sobol(EulerMaruyama, EnsembleThreads, options, &Sobol::new())
    };
    let error = solve(&options).unwrap_err();
    assert!(error.to_string().contains("set `noise_paths(1)`"), "{error}");
    let found = solve(&options.noise_paths(1)).unwrap();
    let all = 4.0 + w * w;
    for (input, exact) in [4.0 / all, w * w / all].into_iter().enumerate() {
        for indices in [found.first_order(), found.total()] {
            assert!((indices[[input, 0, 0]] - exact).abs() < 0.01, "{indices} {exact}");
        }
    }
    assert!(w.abs() > 0.1, "{w}");
}
