//! Means by several step sizes.

use crate::systems::geometric;
use crate::workloads::lorenz;
use odes::methods::{EulerMaruyama, Milstein, Rk4};
use odes::multilevel::{Multilevel, MultilevelError};
use odes::prelude::*;

type Path<'a> = odes::Trajectory<'a, geometric::Model, f64, 2, 2>;

fn problem() -> geometric::Problem {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    OdeProblem::new(geometric, geometric::State { x: 0.5, w: 0.0 }, 0.0..=1.0, parameters)
}

/// `E x = ½ exp(1.01)`, with the bias of the finest step of the scheme, and the variances of strong
/// order 1.
#[test]
fn the_mean_of_geometric_motion() {
    let (error, exact) = (0.015, 0.5 * 1.01_f64.exp());
    let options = SolveOptions::default().fixed_step(0.25).noise_seed(1);
    let request = Multilevel::new(error).first_paths(400);
    let mean = |algorithm: &dyn odes::backend::EnsembleAlgorithm| {
        let x = |path: Path<'_>| path.final_state().x;
        problem().multilevel_mean(Milstein, algorithm, &options, &request, x).unwrap()
    };
    let found = mean(&EnsembleThreads);
    assert_eq!(found, mean(&EnsembleThreads.batch(100)));
    let finest = found.levels.last().unwrap();
    let scheme = 0.5 * (1.0 + 1.01 * finest.step).powf(1.0 / finest.step);
    assert!((found.mean - scheme).abs() < 4.0 * found.standard_error, "{found:?}");
    let bias = exact - scheme;
    assert!(bias < error && (found.bias / bias - 1.0).abs() < 1.0, "{bias} {found:?}");
    assert!(found.standard_error < 0.72 * error && found.standard_error > 0.5 * error, "{found:?}");
    // The difference of two levels has the mean of the scheme and a quarter of the variance of
    // the one before; so it does only on common paths.
    let level = |l: usize| &found.levels[l];
    for l in 1..found.levels.len() {
        let of = |step: f64| 0.5 * (1.0 + 1.01 * step).powf(1.0 / step);
        let expected = of(level(l).step) - of(2.0 * level(l).step);
        let error = (level(l).variance / level(l).paths as f64).sqrt();
        assert!((level(l).mean - expected).abs() < 4.0 * error, "{l}: {found:?}");
    }
    let ratio = level(2).variance / level(1).variance;
    assert!(
        (0.12..0.45).contains(&ratio) && level(1).variance < 0.1 * level(0).variance,
        "{found:?}"
    );
    // The same error by the finest step alone takes more steps.
    let single = 2.0 * level(0).variance / (error * error) / finest.step;
    assert!(found.steps() < single, "{} {single}", found.steps());
}

#[test]
fn impossible_means() {
    let fixed = SolveOptions::default().fixed_step(0.25);
    let why = |options: &SolveOptions, request: Multilevel| {
        let x = |path: Path<'_>| 1.0 / (path.final_state().x - 1e9).max(0.0);
        let found = problem().multilevel_mean(EulerMaruyama, EnsembleSerial, options, &request, x);
        match found.unwrap_err() {
            SolveError::Multilevel(error) => error,
            other => panic!("{other}"),
        }
    };
    let request = Multilevel::new(0.1);
    let options = fixed.clone().noise_cell(0.5);
    for (options, request, expected) in [
        (&fixed, Multilevel::new(0.0), MultilevelError::Error { error: 0.0 }),
        (&fixed, request.first_paths(1), MultilevelError::FirstPaths { paths: 1 }),
        (&fixed, request.most_levels(18), MultilevelError::Levels { levels: 18, most: 17 }),
        (&SolveOptions::default(), request, MultilevelError::Adaptive),
        (&options, request, MultilevelError::Option { option: "noise_cell" }),
        (&fixed, request, MultilevelError::NotFinite { level: 0, number: f64::INFINITY }),
    ] {
        assert_eq!(why(options, request), expected);
    }
    let first = |path: Path<'_>| path.final_state().x;
    // No step is longer than the span, so the levels differ.
    let long = SolveOptions::default().fixed_step(1000.0);
    let request = Multilevel::new(0.1);
    let found = problem().multilevel_mean(Milstein, EnsembleSerial, &long, &request, first);
    let found = found.unwrap();
    assert_eq!((found.levels[0].step, found.levels[0].steps), (1.0, 1.0));
    assert!((found.mean - 0.5 * 1.01_f64.exp()).abs() < 0.3, "{found:?}");
    let rare = |path: Path<'_>| f64::from(u8::from(path.final_state().x > 1e6));
    let error = problem().multilevel_mean(Milstein, EnsembleSerial, &fixed, &request, rare);
    let expected = MultilevelError::Equal { paths: 1000, quantity: 0.0 };
    assert!(matches!(error.unwrap_err(), SolveError::Multilevel(error) if error == expected));
    let great = |path: Path<'_>| 1e300 * path.final_state().x;
    let error = problem().multilevel_mean(Milstein, EnsembleSerial, &fixed, &request, great);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("the variance of level 0 is "), "{error}");
    let request = Multilevel::new(1e-300);
    let error = problem().multilevel_mean(EulerMaruyama, EnsembleSerial, &fixed, &request, first);
    let error = error.unwrap_err();
    let paths = matches!(error, SolveError::Multilevel(MultilevelError::Paths { level: 0, .. }));
    assert!(paths, "{error}");
    let request = Multilevel::new(0.03).most_levels(3);
    let error = problem().multilevel_mean(EulerMaruyama, EnsembleThreads, &fixed, &request, first);
    let error = error.unwrap_err();
    let bias = matches!(error, SolveError::Multilevel(MultilevelError::Bias { levels: 3, .. }));
    assert!(bias, "{error}");
    let broken = problem().with_u0(geometric::State { x: 1e308, w: 0.0 });
    let error = broken.multilevel_mean(EulerMaruyama, EnsembleSerial, &fixed, &request, first);
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("a trajectory of level 0 ended with NonFinite"), "{error}");
    let ordinary = OdeProblem::new(lorenz, [1.0; 3], 0.0..=1.0, [10.0, 28.0, 2.0]);
    let error = ordinary.multilevel_mean(Rk4, EnsembleSerial, &fixed, &request, |_| 0.0);
    assert!(error.unwrap_err().to_string().starts_with("Rk4 solves equations without noise"));
}
