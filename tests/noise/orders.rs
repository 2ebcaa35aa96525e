//! Strong and weak orders, on problems with known solutions or on paths with finer steps.

use crate::systems::{commuting, cubic, double_well, forced, geometric, stratonovich};
use odes::methods::{
    EulerMaruyama, Method, Milstein, Shark, Siea, Spark, Sra1, Sriw1, StochasticHeun,
};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;

/// The slope of the logarithms of errors over those of step sizes, each half of the one before.
fn slope(errors: &[f64]) -> f64 {
    let n = errors.len() as f64;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (i, error) in errors.iter().enumerate() {
        let x = (n - 1.0) / 2.0 - i as f64;
        xy += x * error.log2();
        xx += x * x;
    }
    xy / xx
}

/// Root mean squares of the errors of the first component at the end, for steps `2^-from` to
/// `2^-to`.
fn strong<M, S, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, f64, F, N, P>,
    (from, to): (i32, i32),
    exact: impl Fn(usize, &[f64]) -> f64,
) -> Vec<f64>
where
    M: Method,
    S: System<N, P>,
    F: Vary<S, f64, N, P>,
{
    let error = |level: i32| {
        let options = SolveOptions::default().noise_cell(2_f64.powi(-from)).noise_seed(5);
        let options = options.fixed_step(2_f64.powi(-level));
        let solution = ensemble.solve(method, EnsembleThreads, &options).unwrap();
        assert!(solution.all_succeeded());
        let ends = solution.final_states();
        let squares = ends.rows().into_iter().enumerate().map(|(i, end)| {
            let end = end.to_vec();
            (end[0] - exact(i, &end)).powi(2)
        });
        (squares.sum::<f64>() / solution.len() as f64).sqrt()
    };
    (from..=to).map(error).collect()
}

/// Checks the slope of errors, and the last one if another implementation's error is known.
fn check(name: &str, errors: &[f64], order: f64, last: impl Into<Option<f64>>) {
    let found = slope(errors);
    eprintln!("{name}: order {found:.3}, {errors:?}");
    assert!((found - order).abs() < 0.1, "{name}: order {found}, {errors:?}");
    if let Some(last) = last.into() {
        let ratio = errors[errors.len() - 1] / last;
        // A few paths of geometric motion make most of its mean square.
        assert!((0.7..1.4).contains(&ratio), "{name}: {errors:?}, expected {last}");
    }
}

/// `½ exp((a - b²/2) t + b W)` for Itô's geometric Brownian motion.
#[test]
fn geometric_motion() {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(4000);
    let exact = |_: usize, end: &[f64]| 0.5 * (1.01 - 0.5 * 0.87 * 0.87 + 0.87 * end[1]).exp();
    let errors = strong(EulerMaruyama, &ensemble, (4, 8), exact);
    check("Euler and Maruyama", &errors, 0.5, 0.079);
    check("SRIW1", &strong(Sriw1, &ensemble, (4, 8), exact), 1.5, 3.2e-4);
    let few = ensemble.trajectories(1500);
    check("Milstein", &strong(Milstein, &few, (4, 7), exact), 1.0, None);
    check("SIEA", &strong(Siea, &few, (4, 7), exact), 1.0, None);
}

/// `-x(1 - x²)/4` and `(1 - x²)/2`, diagonal noise in one component, with a second one as its path.
#[test]
fn cubic_with_known_solution() {
    let problem = OdeProblem::new(cubic, [0.5, 0.0], 0.0..=1.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(4000);
    let exact = |_: usize, end: &[f64]| {
        let growth = 1.5 * end[1].exp();
        (growth - 0.5) / (growth + 0.5)
    };
    check("SRIW1", &strong(Sriw1, &ensemble, (4, 7), exact), 1.5, 4.0e-5);
}

/// `½ exp(a t + b W)` for Stratonovich's geometric Brownian motion.
#[test]
fn stratonovich_motion() {
    let parameters = stratonovich::Parameters { drift: 1.01, volatility: 0.87 };
    let start = stratonovich::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(stratonovich, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(1500);
    let exact = |_: usize, end: &[f64]| 0.5 * (1.01 + 0.87 * end[1]).exp();
    check("Heun", &strong(StochasticHeun, &ensemble, (4, 8), exact), 1.0, 9.5e-3);
    check("SPaRK", &strong(Spark, &ensemble, (4, 8), exact), 1.0, 6.4e-3);
    check("Milstein", &strong(Milstein, &ensemble, (4, 7), exact), 1.0, None);
}

/// Two processes that commute: Milstein's method needs the products of their increments.
#[test]
fn commuting_processes() {
    let start = commuting::State { x: 1.0, w: [0.0; 2] };
    let problem = OdeProblem::new(commuting, start, 0.0..=1.0, [0.5, 0.6, 0.4]);
    let ensemble = EnsembleProblem::new(problem).trajectories(1500);
    let drift = 0.5 - 0.5 * (0.36 + 0.16);
    let exact = |_: usize, end: &[f64]| (drift + 0.6 * end[1] + 0.4 * end[2]).exp();
    check("Milstein", &strong(Milstein, &ensemble, (4, 7), exact), 1.0, None);
}

/// Additive noise that depends on the time: `g` at both ends of a step counts.
#[test]
fn additive_noise_of_the_time() {
    let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=1.0, [0.1, 0.05]);
    // The errors are normal numbers, so few paths suffice.
    let ensemble = EnsembleProblem::new(problem).trajectories(500);
    // `u = (u0 + β t + α β W) / √(1 + t)`.
    let exact = |_: usize, end: &[f64]| (1.0 + 0.05 + 0.1 * 0.05 * end[1]) / 2_f64.sqrt();
    let errors = strong(EulerMaruyama, &ensemble, (4, 8), exact);
    check("Euler and Maruyama", &errors, 1.0, 4.8e-4);
    check("SRA1", &strong(Sra1, &ensemble, (4, 8), exact), 2.0, 1.2e-7);
    check("ShARK", &strong(Shark, &ensemble, (4, 8), exact), 2.2, 3.0e-9);
}

/// Order 3/2 on the same path: a wrong bridge of areas would give order 1.
#[test]
fn double_well_on_one_path() {
    let problem = OdeProblem::new(double_well, [0.5], 0.0..=1.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(500);
    let options = SolveOptions::default().noise_cell(2_f64.powi(-4)).noise_seed(5);
    let fine = options.fixed_step(2_f64.powi(-10));
    let reference = ensemble.solve(Shark, EnsembleThreads, &fine).unwrap();
    let exact = |i: usize, _: &[f64]| reference.final_states()[[i, 0]];
    check("SRA1", &strong(Sra1, &ensemble, (4, 7), exact), 1.6, 5.2e-5);
    check("ShARK", &strong(Shark, &ensemble, (4, 7), exact), 1.6, 4.1e-5);
    check("Milstein", &strong(Milstein, &ensemble, (4, 7), exact), 1.0, None);
}

/// The mean of geometric Brownian motion by the schemes: `½ m^n`, with the factor `m` of a step.
#[test]
fn weak_orders() {
    let parameters = geometric::Parameters { drift: 1.5, volatility: 0.1 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(20_000);
    let mean = |method: &dyn Fn(&SolveOptions) -> EnsembleSolution<_, f64, 2, 2>, h: f64| {
        let options = SolveOptions::default().fixed_step(h).noise_seed(3);
        let solution = method(&options);
        let ends = solution.final_states();
        // The exact solution on the same path has a known mean, and takes most of the variance.
        let exact = |w: f64| 0.5 * (1.5 - 0.005 + 0.1 * w).exp();
        let differences = ends.rows().into_iter().map(|end| end[0] - exact(end[1]));
        let differences: Vec<f64> = differences.collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let square = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
        (mean, (square / n).sqrt())
    };
    for h in [1.0 / 16.0, 1.0 / 64.0] {
        let n = (1.0_f64 / h).round() as i32;
        let euler = 0.5 * ((1.0 + 1.5 * h).powi(n) - 1.5_f64.exp());
        let (found, error) =
            mean(&|o| ensemble.solve(EulerMaruyama, EnsembleThreads, o).unwrap(), h);
        assert!((found - euler).abs() < 4.0 * error, "{found} {euler} ± {error}");
        // Weak order 2: the mean of a step is that of Heun's method.
        let second = 0.5 * ((1.0 + 1.5 * h + 0.5 * 2.25 * h * h).powi(n) - 1.5_f64.exp());
        for (name, (found, error)) in [
            ("SIEA", mean(&|o| ensemble.solve(Siea, EnsembleThreads, o).unwrap(), h)),
            ("SRIW1", mean(&|o| ensemble.solve(Sriw1, EnsembleThreads, o).unwrap(), h)),
        ] {
            assert!((found - second).abs() < 4.0 * error, "{name}: {found} {second} ± {error}");
        }
    }
}
