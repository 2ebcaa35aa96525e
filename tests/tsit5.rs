//! Tsit5 proved: its order conditions, its order of convergence, that of its interpolant, and that
//! errors follow tolerances.

#[path = "support/cases.rs"]
mod cases;

use cases::{decay_of_time, oscillator};
use odes::methods::tsit5::{A, B, C, E};
use odes::prelude::*;

/// Row `s` of the Butcher matrix, as long as its stages.
fn a(stage: usize, column: usize) -> f64 {
    if stage == 0 || column >= stage { 0.0 } else { A[stage - 1][column] }
}

/// `(A v)_s`.
fn times_a(v: [f64; 7]) -> [f64; 7] {
    std::array::from_fn(|s| (0..s).map(|j| a(s, j) * v[j]).sum())
}

fn product(a: [f64; 7], b: [f64; 7]) -> [f64; 7] {
    std::array::from_fn(|i| a[i] * b[i])
}

/// The elementary weights of all rooted trees up to order 5 and their densities (Hairer, Nørsett and
/// Wanner I, table II.2.2), by order.
fn trees() -> Vec<(usize, [f64; 7], f64)> {
    let one = [1.0; 7];
    let c = C;
    let c2 = product(c, c);
    let c3 = product(c2, c);
    let ac = times_a(c);
    let ac2 = times_a(c2);
    let aac = times_a(ac);
    vec![
        (1, one, 1.0),
        (2, c, 2.0),
        (3, c2, 3.0),
        (3, ac, 6.0),
        (4, c3, 4.0),
        (4, product(c, ac), 8.0),
        (4, ac2, 12.0),
        (4, aac, 24.0),
        (5, product(c2, c2), 5.0),
        (5, product(c2, ac), 10.0),
        (5, product(c, ac2), 15.0),
        (5, product(c, aac), 30.0),
        (5, product(ac, ac), 20.0),
        (5, times_a(c3), 20.0),
        (5, times_a(product(c, ac)), 40.0),
        (5, times_a(ac2), 60.0),
        (5, times_a(aac), 120.0),
    ]
}

fn weigh(b: [f64; 7], tree: [f64; 7]) -> f64 {
    product(b, tree).iter().sum()
}

#[test]
fn order_conditions() {
    let b: [f64; 7] = std::array::from_fn(|s| if s < 6 { A[5][s] } else { 0.0 });
    let embedded: [f64; 7] = std::array::from_fn(|s| b[s] - E[s]);
    for s in 0..7 {
        let row: f64 = (0..s).map(|j| a(s, j)).sum();
        assert!((row - C[s]).abs() < 1e-14, "row {s} sums to {row}, not {}", C[s]);
    }
    let mut broken_by_embedded = 0;
    for (order, tree, density) in trees() {
        let error = weigh(b, tree) - 1.0 / density;
        assert!(error.abs() < 1e-14, "order {order}, density {density}: {error:e}");
        let error = weigh(embedded, tree) - 1.0 / density;
        match order {
            // The published coefficients of the error estimate have about 15 digits.
            1..=4 => assert!(error.abs() < 1e-13, "embedded, order {order}: {error:e}"),
            _ => broken_by_embedded += usize::from(error.abs() > 1e-6),
        }
    }
    assert!(broken_by_embedded > 0, "an embedded method of order 5 would estimate nothing");
}

/// The interpolant satisfies the conditions of order 4 at every `theta`, and ends in the step.
#[test]
fn interpolant_conditions() {
    for theta in [0.1, 0.3, 0.5, 0.77, 1.0] {
        let b: [f64; 7] =
            std::array::from_fn(|s| (0..4).rev().fold(0.0, |sum, j| sum * theta + B[s][j]) * theta);
        for (order, tree, density) in trees().into_iter().filter(|t| t.0 <= 4) {
            let error = weigh(b, tree) - f64::powi(theta, order as i32) / density;
            assert!(error.abs() < 1e-13, "theta {theta}, order {order}: {error:e}");
        }
    }
    for s in 0..7 {
        let end: f64 = B[s].iter().sum();
        let step = if s < 6 { A[5][s] } else { 0.0 };
        assert!((end - step).abs() < 1e-13, "stage {s}: {end} at the end, {step} in the step");
    }
}

/// The slope of `log error` against `log h` through the first and the last point.
fn slope(points: &[(f64, f64)]) -> f64 {
    let ((h0, e0), (h1, e1)) = (points[0], points[points.len() - 1]);
    (e0 / e1).ln() / (h0 / h1).ln()
}

/// `u' = -2 t u²`: nonlinear, not autonomous, `u = 1/(1 + t²)`.
#[test]
fn converges_with_order_5() {
    let errors: Vec<(f64, f64)> = [0.0625, 0.03125, 0.015625]
        .map(|dt| {
            let problem = OdeProblem::new(decay_of_time, [1.0f64], 0.0..=1.0, []);
            let solution = problem.solve(Tsit5, &SolveOptions::default().fixed_step(dt)).unwrap();
            (dt, (solution.final_state()[0] - 0.5).abs())
        })
        .into();
    let slope = slope(&errors);
    assert!((4.8..5.2).contains(&slope), "order {slope}: {errors:?}");
}

/// The error of the interpolant within one step from an exact value is of order `h^5`: order 4.
#[test]
fn interpolates_with_order_4() {
    let errors: Vec<(f64, f64)> = [0.4, 0.2, 0.1, 0.05]
        .map(|dt| {
            let times = [0.25, 0.5, 0.8].map(|theta| theta * dt);
            let problem = OdeProblem::new(decay_of_time, [0.5f64], -1.0..=-1.0 + dt, []);
            let options = SolveOptions::default().fixed_step(dt).saveat(times.map(|t| t - 1.0));
            let solution = problem.solve(Tsit5, &options).unwrap();
            let error = |(t, u): (f64, [f64; 1])| (u[0] - 1.0 / (1.0 + t * t)).abs();
            let errors = solution.times().zip(solution.states()).map(error);
            (dt, errors.fold(0.0, f64::max))
        })
        .into();
    let slope = slope(&errors);
    assert!((4.7..5.3).contains(&slope), "h^{slope}: {errors:?}");
}

#[test]
fn errors_follow_tolerances() {
    let mut points = Vec::new();
    for exponent in 4..=10 {
        let tolerance = f64::powi(10.0, -exponent);
        let problem = OdeProblem::new(oscillator, [1.0, 0.0], 0.0..=20.0, [1.0]);
        let options = SolveOptions::default().tolerance(tolerance);
        let [x, v] = problem.solve(Tsit5, &options).unwrap().final_state();
        let exact = [20f64.cos(), -20f64.sin()];
        points.push((tolerance, (x - exact[0]).hypot(v - exact[1])));
    }
    let proportionality = slope(&points);
    assert!((0.8..1.2).contains(&proportionality), "{proportionality}: {points:?}");
}

/// A reversed time span undoes a forward one.
#[test]
fn backwards_and_forwards() {
    let options = SolveOptions::default().tolerance(1e-11);
    let problem = OdeProblem::new(decay_of_time, [1.0f64], 0.0..=2.0, []);
    let there = problem.solve(Tsit5, &options).unwrap().final_state();
    let back = problem.with_u0(there).with_tspan(2.0..=0.0);
    let options = options.saveat([2.0, 1.0, 0.25]);
    let solution = back.solve(Tsit5, &options).unwrap();
    assert!((solution.final_state()[0] - 1.0).abs() < 1e-9);
    for (t, [u]) in solution.times().zip(solution.states()) {
        assert!((u - 1.0 / (1.0 + t * t)).abs() < 1e-8, "{u} at {t}");
    }
}

/// `f32` time does not lose steps below its resolution: 400,000 steps of 1/4 unit in the last
/// place of `t` still cover the span.
#[test]
fn f32_time_keeps_small_steps() {
    let (from, span) = (4096.0f32, 32.0f32);
    let problem = OdeProblem::new(oscillator, [1.0f32, 0.0], from..=from + span, [1e4]);
    // omega = 100: steps of about 1e-3 and below, where a unit of t in the last place is 4.9e-4.
    let options = SolveOptions::default().tolerance(1e-6);
    let solution = problem.solve(Tsit5, &options).unwrap();
    let phase = 100.0 * span as f64;
    let error = (solution.final_state()[0] as f64 - phase.cos()).abs();
    assert!(error < 2e-2, "{error} after {} steps", solution.accepted());
}
