//! Adaptive steps: laws, errors on one path, and paths that do not depend on steps.

use crate::laws::near;
use crate::systems::{area, double_well, forced, geometric, kicked, stratonovich};
use odes::ReturnCode;
use odes::methods::{Method, Shark, Spark, Sra1, Sriw1, StochasticHeun};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;

#[rustfmt::skip]
fn options(tolerance: f64) -> SolveOptions {
    SolveOptions::default().tolerance(tolerance).noise_cell(0.125).noise_seed(5)
}

/// The root mean square of errors of the first component, for each tolerance.
fn errors<M, S, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, f64, F, N, P>,
    tolerances: [f64; 3],
    exact: impl Fn(usize, &[f64]) -> f64,
) -> [f64; 3]
where
    M: Method,
    S: System<N, P>,
    F: Vary<S, f64, N, P>,
{
    let name = M::PROPERTIES.name;
    tolerances.map(|tolerance| {
        let solution = ensemble.solve(method, EnsembleThreads, &options(tolerance)).unwrap();
        assert!(solution.all_succeeded(), "{name}: {:?}", solution.code_counts());
        let ends = solution.final_states();
        let squares = ends.rows().into_iter().enumerate().map(|(i, end)| {
            let end = end.to_vec();
            (end[0] - exact(i, &end)).powi(2)
        });
        let error = (squares.sum::<f64>() / solution.len() as f64).sqrt();
        let steps: u64 = solution.iter().map(|t| u64::from(t.accepted())).sum();
        let rejected: u64 = solution.iter().map(|t| u64::from(t.rejected())).sum();
        let [steps, rejected] = [steps, rejected].map(|n| n as f64 / solution.len() as f64);
        eprintln!("{name} {tolerance}: {error:.2e}, {steps:.1} steps, {rejected:.1} rejected");
        error
    })
}

#[test]
fn errors_fall_with_the_tolerance() {
    let falls = |name: &str, [a, b, c]: [f64; 3]| {
        assert!(b < 0.7 * a && c < 0.7 * b, "{name}: {a} {b} {c}");
    };
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(300);
    let exact = |_: usize, end: &[f64]| 0.5 * (1.01 - 0.5 * 0.87 * 0.87 + 0.87 * end[1]).exp();
    falls("SRIW1", errors(Sriw1, &ensemble, [1e-1, 1e-2, 1e-3], exact));

    let parameters = stratonovich::Parameters { drift: 1.01, volatility: 0.87 };
    let start = stratonovich::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(stratonovich, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(300);
    let exact = |_: usize, end: &[f64]| 0.5 * (1.01 + 0.87 * end[1]).exp();
    falls("SPaRK", errors(Spark, &ensemble, [3e-2, 5e-3, 1e-3], exact));
    falls("Heun", errors(StochasticHeun, &ensemble, [1e-1, 3e-2, 5e-3], exact));

    let problem = OdeProblem::new(double_well, [0.5], 0.0..=1.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(300);
    let fine = options(0.1).fixed_step(2_f64.powi(-10));
    let reference = ensemble.solve(Shark, EnsembleThreads, &fine).unwrap();
    let exact = |i: usize, _: &[f64]| reference.final_states()[[i, 0]];
    falls("ShARK", errors(Shark, &ensemble, [1e-1, 1e-2, 1e-3], exact));
    falls("SRA1", errors(Sra1, &ensemble, [1e-1, 1e-2, 1e-3], exact));
}

/// Processes that do not commute: `y = ∫ x dW_2`, of mean 0 and variance 1/2.
///
/// A controller that discards a step after it looked at its increments, and takes another path,
/// would converge to another law.
#[test]
fn processes_that_do_not_commute() {
    let problem = OdeProblem::new(area, [0.0; 2], 0.0..=1.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(1000);
    let solved = |options: &SolveOptions| ensemble.solve(Spark, EnsembleThreads, options).unwrap();
    let reference = solved(&options(0.1).fixed_step(2_f64.powi(-10)));
    let reference = reference.final_states();
    let mut last = f64::INFINITY;
    for tolerance in [0.1, 0.02, 0.004] {
        let options = SolveOptions::default().abstol(tolerance).reltol(0.0);
        let solution = solved(&options.noise_cell(0.125).noise_seed(5));
        assert!(solution.all_succeeded());
        let ends = solution.final_states();
        let y = || ends.column(1).into_iter().copied();
        near(y(), 0.0, 0.5, "mean");
        // `E y⁴` is 7/4. Steps of size `h` lose less than `h/2` of the variance.
        let variance = y().map(|y| y * y).sum::<f64>() / 1000.0;
        let steps: u64 = solution.iter().map(|t| u64::from(t.accepted())).sum();
        let h = 1000.0 / steps as f64;
        assert!((variance - 0.5).abs() < 4.0 * (1.5_f64 / 1000.0).sqrt() + h / 2.0, "{variance}");
        let squares = y().zip(reference.column(1)).map(|(a, b)| (a - b).powi(2));
        let error = (squares.sum::<f64>() / 1000.0).sqrt();
        eprintln!("SPaRK {tolerance}: {error:.2e}, h = {h:.2e}");
        assert!(error < 0.75 * last, "{error} {last}");
        last = error;
    }
}

/// The path itself, a component without drift, does not depend on the steps.
#[test]
fn paths_are_the_same_for_all_tolerances_and_methods() {
    let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=1.1, [0.1, 5.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(19);
    let close = |a: &EnsembleSolution<_, f64, 2, 2>, b: &EnsembleSolution<_, f64, 2, 2>, most| {
        let w = |solution: &EnsembleSolution<_, f64, 2, 2>| {
            let states = solution.all_states();
            (0..19 * 3).map(|i| states[[i / 3, i % 3, 1]]).collect::<Vec<f64>>()
        };
        let furthest = w(a).into_iter().zip(w(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(furthest < most, "{furthest}");
        assert!(w(a).iter().all(|w| *w != 0.0));
    };
    // The times are a node, within a node, and the end, which is within a cell.
    let saving = |options: SolveOptions| options.saveat([0.25, 0.3, 1.1]);
    let solved = |options: SolveOptions| ensemble.solve(Sra1, EnsembleSerial, &options).unwrap();
    let loose = solved(saving(options(1e-1)));
    let tight = solved(saving(options(1e-5)));
    let begun = solved(saving(options(1e-3).first_step(0.125 / 64.0)));
    let limited = solved(saving(options(1e-2).dtmax(0.02)));
    let steps = |solution: &EnsembleSolution<_, f64, 2, 2>| solution.trajectory(0).accepted();
    assert!(steps(&loose) < 30, "{}", steps(&loose));
    assert!(steps(&tight) > 100 && steps(&limited) > 64, "{}", steps(&tight));
    // Within the smallest nodes of the tree, the path has a law of its own.
    for other in [&tight, &begun, &limited] {
        close(&loose, other, 2e-5);
    }
    close(&tight, &ensemble.solve(Shark, EnsembleSerial, &saving(options(1e-5))).unwrap(), 2e-5);
    let fixed = solved(saving(options(0.1).fixed_step(0.125 / 32.0)));
    close(&loose, &fixed, 0.01);
    for i in 0..19 {
        let of = |solution: &EnsembleSolution<_, f64, 2, 2>| solution.all_states()[[i, 0, 1]];
        assert!((of(&loose) - of(&fixed)).abs() < 1e-14);
    }
    // A time to stop at between two nodes ends a cell, for each tolerance the same one.
    let stopped = |tolerance: f64| solved(saving(options(tolerance).tstops([0.29, 0.5])));
    close(&stopped(1e-1), &stopped(1e-5), 2e-5);
}

/// The law of the path at times within steps and cells, and after stops and actions.
#[test]
fn paths_have_the_law_of_brownian_motion() {
    let n = 2000;
    let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=1.1, [0.1, 5.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n);
    let options = options(1e-2).saveat([0.3, 0.6, 1.1]).tstops([0.29, 0.7]);
    let solution = ensemble.solve(Shark, EnsembleThreads, &options).unwrap();
    assert!(solution.all_succeeded());
    let states = solution.all_states();
    let slots = [(0, 0.3), (1, 0.3), (2, 0.5)];
    let step = |i: usize, slot: usize| {
        states[[i, slot, 1]] - if slot > 0 { states[[i, slot - 1, 1]] } else { 0.0 }
    };
    for (slot, time) in slots {
        near((0..n).map(|i| step(i, slot)), 0.0, time, "mean");
        let squares = (0..n).map(|i| step(i, slot).powi(2));
        near(squares, time, 2.0 * time * time, "variance");
        for (other, length) in slots.into_iter().filter(|(other, _)| *other > slot) {
            near((0..n).map(|i| step(i, slot) * step(i, other)), 0.0, time * length, "covariance");
        }
    }
}

/// Doses at times between two nodes, and an end by a condition.
#[test]
fn actions_keep_the_path() {
    let n = 500;
    let problem = OdeProblem::new(kicked, [0.0; 2], 0.0..=1.0, [f64::INFINITY]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n);
    let [a, b] = [1e-1, 1e-4]
        .map(|tolerance| ensemble.solve(Shark, EnsembleThreads, &options(tolerance)).unwrap());
    let (a, b) = (a.final_states(), b.final_states());
    for i in 0..n {
        assert!((a[[i, 1]] - b[[i, 1]]).abs() < 2e-5 && (a[[i, 0]] - b[[i, 0]]).abs() < 0.1);
    }
    near((0..n).map(|i| b[[i, 1]]), 2.0, 1.0, "mean");
    near((0..n).map(|i| (b[[i, 1]] - 2.0).powi(2)), 1.0, 2.0, "variance");
}

/// The least step is a cell divided by `2^22`, or `dtmin`.
#[test]
fn steps_that_are_too_small_end_a_trajectory() {
    let parameters = stratonovich::Parameters { drift: 1.01, volatility: 0.87 };
    let start = stratonovich::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(stratonovich, start, 0.0..=1.0, parameters);
    let codes = |options: SolveOptions| problem.solve(Spark, &options).unwrap().code();
    assert_eq!(codes(options(1e-12)), ReturnCode::DtMin);
    assert_eq!(codes(options(1e-3).dtmin(0.01)), ReturnCode::DtMin);
    // The first step is longer than `dtmin`, and than a 64th of a cell.
    let coarse = SolveOptions::default().reltol(0.9).abstol(1e3).noise_cell(1.0);
    assert_eq!(codes(coarse.dtmin(0.1)), ReturnCode::Success);
    assert_eq!(codes(options(1e-3).max_steps(20)), ReturnCode::MaxSteps);
    assert_eq!(codes(options(1e-2)), ReturnCode::Success);
}

#[ode_system]
mod oscillating {
    fn rhs(_u: &[f64; 1], _p: &[f64; 1]) -> [f64; 1] {
        [0.0]
    }

    #[noise]
    fn noise(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
        [(p[0] * t).sin()]
    }
}

/// The drifts of a step are equal, so the change of the noise alone shows the error: the variance is
/// `1/2 - sin(80)/160`.
#[test]
fn steps_follow_noise_that_oscillates() {
    let n = 4000;
    let problem = OdeProblem::new(oscillating, [0.0], 0.0..=1.0, [40.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n);
    let found = ensemble.solve(Shark, EnsembleThreads, &options(1e-2)).unwrap();
    let square = found.final_states().iter().map(|x| x * x).sum::<f64>() / n as f64;
    let exact = 0.5 - 80.0_f64.sin() / 160.0;
    // The standard deviation of a squared normal number of variance v is v sqrt(2).
    assert!((square - exact).abs() < 4.0 * exact * (2.0 / n as f64).sqrt(), "{square} {exact}");
}
