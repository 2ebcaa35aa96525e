//! Moments of solutions against closed forms of the schemes.

use crate::systems::{births, geometric, heston, relaxing, swept};
use odes::methods::EulerMaruyama;
use odes::prelude::*;
use odes::sample::{Normal, Samples};
use odes::summary::Summary;

/// Checks a mean against its expectation, within four standard errors.
pub(crate) fn near(numbers: impl Iterator<Item = f64>, expected: f64, variance: f64, what: &str) {
    let (mut n, mut sum) = (0.0, 0.0);
    for number in numbers {
        n += 1.0;
        sum += number;
    }
    let error = (variance / n).sqrt();
    assert!((sum / n - expected).abs() < 4.0 * error, "{what}: {} {expected} ± {error}", sum / n);
}

#[test]
fn geometric_motion_has_the_moments_of_the_scheme() {
    let (a, b, h, n) = (1.01, 0.87, 1.0 / 32.0, 32);
    let parameters = geometric::Parameters { drift: a, volatility: b };
    let problem =
        OdeProblem::new(geometric, geometric::State { x: 0.5, w: 0.0 }, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(40_000);
    let options = SolveOptions::default().fixed_step(h).noise_seed(1);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    assert!(solution.all_succeeded());
    let ends = solution.final_states();
    // The moments of one factor `1 + a h + b W`.
    let m: f64 = 1.0 + a * h;
    let second = m * m + b * b * h;
    let fourth = m.powi(4) + 6.0 * m * m * b * b * h + 3.0 * b.powi(4) * h * h;
    let of = |factor: f64, k: i32| 0.5_f64.powi(k) * factor.powi(n);
    let x = || ends.column(0).into_iter().copied();
    near(x(), of(m, 1), of(second, 2) - of(m, 1).powi(2), "mean");
    near(x().map(|x| x * x), of(second, 2), of(fourth, 4) - of(second, 2).powi(2), "square");
    let w = || ends.column(1).into_iter().copied();
    near(w(), 0.0, 1.0, "path");
    near(w().map(|w| w * w), 1.0, 2.0, "variance of the path");
}

/// Also in `f32`, at saved times between the ends of steps, and across trajectories.
#[test]
fn relaxation_has_the_moments_of_the_scheme() {
    fn check<T: odes::lane::Scalar>() {
        let (h, sd) = (0.125, [0.3, 0.5]);
        let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd };
        let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=2.0, parameters).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(20_000);
        let times = [0.25, 0.3, 0.36, 2.0];
        let options = SolveOptions::default().fixed_step(h).noise_seed(2).saveat(times);
        let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
        let states = solution.all_states();
        let of = |slot: usize, d: usize| {
            (0..20_000).map(move |i| states[[i, slot, d]].widen()).collect::<Vec<f64>>()
        };
        // The mean and the variance after whole steps, and a part of one.
        let law = |time: f64, sd: f64| {
            let whole = (time / h).floor();
            let part = time - whole * h;
            let keep = 1.0 - h;
            let mean = 1.2 * (1.0 - keep.powf(whole));
            let variance = sd * sd * h * (1.0 - keep.powf(2.0 * whole)) / (1.0 - keep * keep);
            let rest = 1.0 - part;
            (mean * rest + 1.2 * part, variance * rest * rest + sd * sd * part)
        };
        for (slot, time) in times.into_iter().enumerate() {
            for d in 0..2 {
                let (mean, variance) = law(time, sd[d]);
                let x = of(slot, d);
                near(x.iter().copied(), mean, variance, "mean");
                let squares = x.iter().map(|x| (x - mean).powi(2));
                near(squares, variance, 2.0 * variance * variance, "variance");
            }
            // The processes of components are independent.
            let (first, second) = (law(time, sd[0]), law(time, sd[1]));
            let products = of(slot, 0).into_iter().zip(of(slot, 1));
            let products = products.map(|(x, y)| (x - first.0) * (y - second.0));
            near(products, 0.0, first.1 * second.1, "covariance of components");
        }
        // Two saved times in one step: the path between them has the right variance.
        let [x, y] = [of(1, 0), of(2, 0)];
        let steps = x.iter().zip(&y).map(|(x, y)| y - x);
        let spread = steps.clone().map(|s| s * s).sum::<f64>() / 20_000.0
            - (steps.sum::<f64>() / 20_000.0).powi(2);
        // The drift is that of the beginning of the step, so it hardly adds to the variance.
        let expected = sd[0] * sd[0] * 0.06;
        assert!((spread / expected - 1.0).abs() < 0.05, "{spread} {expected}");
        // Neighbours are independent.
        let (mean, variance) = law(2.0, sd[0]);
        let x = of(3, 0);
        let products = x.iter().zip(&x[1..]).map(|(a, b)| (a - mean) * (b - mean));
        near(products, 0.0, variance * variance, "covariance of trajectories");
    }
    check::<f64>();
    check::<f32>();
}

/// Doses at times between two steps: the mean is that of the linear equations, solved by the same
/// steps, and no noise is lost or used twice.
#[test]
fn doses_keep_mean_and_variance() {
    // Without births and deaths the sum of the species changes by doses alone, exactly.
    let at = |birth, death| {
        let parameters =
            births::Parameters { birth, death, change: 0.5, dose: 4.0, limit: f64::INFINITY };
        let start = births::State { a: 400.0, b: 300.0 };
        let problem = OdeProblem::new(births, start, 0.0..=1.0, parameters);
        let ensemble = EnsembleProblem::new(problem).trajectories(4000);
        let options = SolveOptions::default().fixed_step(0.125).noise_seed(9);
        ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap()
    };
    let closed = at(0.0, 0.0);
    assert!(closed.all_succeeded());
    for end in closed.final_states().rows() {
        assert!((end.sum() - 708.0).abs() < 1e-9, "{end}");
    }
    // With births alone, the sum is a Brownian motion with the variance of the births.
    let open = at(50.0, 0.0);
    let sums = || open.final_states().rows().into_iter().map(|end| end.sum()).collect::<Vec<_>>();
    near(sums().into_iter(), 758.0, 50.0, "mean");
    near(sums().into_iter().map(|s| (s - 758.0).powi(2)), 50.0, 5000.0, "variance");
}

/// Processes that do not commute: `E x = E y = 0`, and `E y² = (1 - h)/2` by Euler's method.
#[test]
fn processes_that_do_not_commute() {
    let problem = OdeProblem::new(swept, [0.0; 2], 0.0..=1.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(40_000);
    let options = SolveOptions::default().fixed_step(0.125).noise_seed(6);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let ends = solution.final_states();
    let y = || ends.column(1).into_iter().copied();
    near(y(), 0.0, 0.4375, "mean");
    // `E y⁴` is below 3.
    near(y().map(|y| y * y), 0.4375, 3.0, "square");
    let products = ends.rows().into_iter().map(|end| end[0] * end[1]);
    near(products, 0.0, 3.0, "product");
}

/// The mean price is that of the scheme, and the price of an option near the closed form.
#[test]
fn options_in_hestons_model() {
    let parameters = heston::Parameters {
        rate: 0.05,
        reversion: 2.0,
        mean: 0.04,
        volatility: 0.3,
        correlation: -0.7,
    };
    let start = heston::State { price: 100.0, variance: 0.04 };
    let problem = OdeProblem::new(heston, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(20_000);
    let options = SolveOptions::default().fixed_step(1.0 / 64.0).noise_seed(8);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    assert!(solution.all_succeeded());
    let ends = solution.final_states();
    let price = || ends.column(0).into_iter().copied();
    let mean = 100.0 * (1.0 + 0.05 / 64.0_f64).powi(64);
    let variance = price().map(|price| (price - mean).powi(2)).sum::<f64>() / 20_000.0;
    near(price(), mean, variance, "price");
    let payoff = price().map(|price| (price - 100.0).max(0.0) * (-0.05_f64).exp());
    let found = payoff.clone().sum::<f64>() / 20_000.0;
    let spread = payoff.map(|payoff| (payoff - found).powi(2)).sum::<f64>() / 20_000.0;
    // The bias of the step is below 0.05.
    assert!((found - 10.3942185639).abs() < 4.0 * (spread / 20_000.0).sqrt() + 0.05, "{found}");
}

/// Samples and noise of the same seed are independent.
#[test]
fn samples_of_the_same_seed_are_independent() {
    let n = 20_000;
    let parameters = relaxing::Parameters { rate: 0.0, mean: 0.0, sd: [1.0, 1.0] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters);
    let normal = Normal { mean: 0.0, sd: 1.0 };
    let samples = Samples::seed(7).u0(0, normal).u0(1, normal);
    let ensemble = EnsembleProblem::new(problem).trajectories(n).sample(samples);
    let options = SolveOptions::default().fixed_step(1.0).noise_seed(7).saveat([0.0, 1.0]);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let states = solution.all_states();
    for [a, b] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let pairs = || (0..n).map(|i| (states[[i, 0, a]], states[[i, 1, b]] - states[[i, 0, b]]));
        near(pairs().map(|(x, w)| x * w), 0.0, 1.0, "covariance");
        let squares = pairs().map(|(x, w)| (x * x - 1.0) * (w * w - 1.0));
        near(squares, 0.0, 4.0, "covariance of squares");
        near(pairs().map(|(x, w)| x * (w * w - 1.0)), 0.0, 2.0, "covariance with squares");
    }
}

/// Statistics of an ensemble, solved in batches, against those of all states.
#[test]
fn statistics_are_those_of_all_paths() {
    let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(500);
    let options = SolveOptions::default().fixed_step(0.125).noise_seed(4).saveat([0.4, 1.0]);
    let all = ensemble.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    let summary = Summary::new().mean().extremes().batch_size(64);
    let found = ensemble.reduce(EulerMaruyama, EnsembleThreads, &options, &summary).unwrap();
    let states = all.all_states();
    for slot in 0..2 {
        for d in 0..2 {
            let x = (0..500).map(|i| states[[i, slot, d]]);
            let (mean, least) = (x.clone().sum::<f64>() / 500.0, x.fold(f64::INFINITY, f64::min));
            assert!((found.mean().unwrap()[[slot, d]] - mean).abs() < 1e-12);
            assert_eq!(found.minimum().unwrap()[[slot, d]], least);
        }
    }
}
