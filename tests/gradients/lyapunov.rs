//! Lyapunov exponents against closed forms and published values.

use super::known::{lorenz, spiral};
use odes::lyapunov::{Lyapunov, LyapunovError, LyapunovExponents};
use odes::prelude::*;

/// Lorenz's system with several initial states, close to the attractor.
fn chaotic(
    trajectories: usize,
) -> EnsembleProblem<lorenz, f64, impl odes::problem::Vary<lorenz, f64, 3, 3>, 3, 3> {
    let problem = OdeProblem::new(lorenz, [1.0, 1.0, 20.0], 0.0..=200.0, [10.0, 28.0, 8.0 / 3.0]);
    EnsembleProblem::new(problem)
        .trajectories(trajectories)
        .vary(|problem, i| problem.with_u0([1.0 + 0.5 * i as f64, 2.0, 20.0]))
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-8)
}

/// Returns the mean of an exponent over all trajectories, and its standard error.
fn mean(found: &LyapunovExponents, exponent: usize) -> (f64, f64) {
    let n = found.codes().len() as f64;
    let column = found.exponents().column(exponent);
    let errors = found.standard_errors().column(exponent).mapv(|error| error * error);
    (column.sum() / n, errors.sum().sqrt() / n)
}

/// The published exponents are 0.9056, 0 and -14.5723, and the sum is the constant trace of the
/// Jacobian, -41/3 (J. C. Sprott, "Chaos and Time-Series Analysis", 2003).
#[test]
fn lorenz_has_its_exponents() {
    let request = Lyapunov::new(3).segments(400).transient(0.1);
    let found = chaotic(8).lyapunov(Tsit5, EnsembleThreads, &options(), &request).unwrap();
    assert!(found.codes().iter().all(|code| *code == ReturnCode::Success));
    for (exponent, published) in [0.9056, 0.0, -14.5723].into_iter().enumerate() {
        let (value, error) = mean(&found, exponent);
        assert!(error < 0.02, "{exponent}: {error}");
        // The largest exponents also change by a bounded amount over the whole span.
        assert!((value - published).abs() < 4.0 * error + 0.01, "{value} +- {error}");
    }
    for (exponents, dimension) in found.exponents().rows().into_iter().zip(found.kaplan_yorke()) {
        assert!((exponents.sum() + 41.0 / 3.0).abs() < 1e-5, "{}", exponents.sum());
        assert!((dimension - 2.062).abs() < 0.02, "{dimension}");
    }
}

/// Fewer exponents are the first ones, on all backends with the same bits.
#[test]
fn backends_and_fewer_exponents_have_the_same_bits() {
    let ensemble = chaotic(5);
    let request = |k| Lyapunov::new(k).segments(40).transient(0.0);
    let problem = |k| ensemble.lyapunov(Tsit5, EnsembleSerial, &options(), &request(k)).unwrap();
    let (all, first) = (problem(3), problem(1));
    assert_eq!(all.exponents().column(0), first.exponents().column(0));
    // Segments of five units of time are too long for the third exponent.
    assert!(all.exponents().column(2).iter().all(|exponent| exponent.is_nan()));
    let threads = EnsembleThreads.batch(2);
    let found = ensemble.lyapunov(Tsit5, &threads, &options(), &request(1)).unwrap();
    assert_eq!(found.exponents(), first.exponents());
    assert!(first.kaplan_yorke().iter().all(|dimension| dimension.is_nan()));
}

/// The exponents of linear equations are the real parts of the eigenvalues.
#[test]
fn linear_equations_have_their_eigenvalues() {
    let rows = [[0.5, -2.5], [-1.0, -4.0], [0.3, -0.5]];
    let exact = rows.map(|[a, b]: [f64; 2]| {
        let (mean, square) = ((a + b) / 2.0, (a - b) * (a - b) / 4.0 - 1.0);
        let root = square.max(0.0).sqrt();
        [mean + root, mean - root]
    });
    for span in [(0.0, 60.0), (60.0, 0.0)] {
        let problem = OdeProblem::new(spiral, [1.0, 0.5], span, [0.0, 0.0]);
        let ensemble = EnsembleProblem::new(problem).over(&rows);
        let request = Lyapunov::new(2).segments(60).transient(0.4);
        // The steps must suit the directions, also where the states are nearly zero.
        let options = options().dtmax(0.05);
        let found = ensemble.lyapunov(Tsit5, EnsembleSerial, &options, &request).unwrap();
        for (i, mut exact) in exact.into_iter().enumerate() {
            if span.1 == 0.0 {
                exact = [-exact[1], -exact[0]];
            }
            // Complex eigenvalues turn the directions, by a bounded growth within a turn.
            let error = if i == 2 { 0.05 } else { 1e-6 };
            for (j, exact) in exact.into_iter().enumerate() {
                let value = found.exponents()[[i, j]];
                assert!((value - exact).abs() < error, "{i}, {j}: {value} {exact}");
            }
            let sum = found.exponents().row(i).sum();
            assert!((sum - exact[0] - exact[1]).abs() < 1e-6, "{sum}");
        }
    }
}

/// A failed trajectory has no exponents, and affects no other one.
#[test]
fn failures_have_no_exponents() {
    let problem = OdeProblem::new(spiral, [1.0, 0.5], 0.0..=4.0, [0.0, 0.0]);
    let request = Lyapunov::new(1).segments(8);
    let run = |rows: &[[f64; 2]]| {
        let ensemble = EnsembleProblem::new(problem).over(rows);
        ensemble.lyapunov(Tsit5, EnsembleSerial, &options(), &request).unwrap()
    };
    let found = run(&[[0.5, -2.5], [f64::NAN, 0.0], [0.3, -0.5]]);
    assert_eq!(found.codes()[1], ReturnCode::NonFinite);
    assert!(found.exponents()[[1, 0]].is_nan() && found.standard_errors()[[1, 0]].is_nan());
    let alone = run(&[[0.3, -0.5]]);
    assert_eq!(found.exponents()[[2, 0]].to_bits(), alone.exponents()[[0, 0]].to_bits());
}

#[test]
fn unfit_options_are_errors() {
    let ensemble = chaotic(1);
    let run = |options: &SolveOptions| {
        ensemble.lyapunov(Tsit5, EnsembleSerial, options, &Lyapunov::new(1)).unwrap_err()
    };
    let saves = run(&options().saveat(1.0));
    assert!(matches!(saves, SolveError::Lyapunov(LyapunovError::Saves)), "{saves}");
    let stops = ensemble.tstops(|_, _| [1.0]);
    let error = stops.lyapunov(Tsit5, EnsembleSerial, &options(), &Lyapunov::new(1)).unwrap_err();
    assert!(matches!(error, SolveError::Lyapunov(LyapunovError::Stops)), "{error}");
}
