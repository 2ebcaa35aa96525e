//! Tsit5 end to end: errors follow tolerances, orbits close, and time runs backwards and in small
//! steps.

use crate::cases::{decay_of_time, oscillator};
use odes::prelude::*;

/// Returns the slope of `log error` against `log h` through the first and the last point.
fn slope(points: &[(f64, f64)]) -> f64 {
    let ((h0, e0), (h1, e1)) = (points[0], points[points.len() - 1]);
    (e0 / e1).ln() / (h0 / h1).ln()
}

#[test]
fn errors_follow_tolerances() {
    let mut points = Vec::new();
    for exponent in 4..=10 {
        let tolerance = f64::powi(10.0, -exponent);
        let problem = OdeProblem::new(oscillator, [1.0, 0.0], 0.0..=20.0, [1.0]);
        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
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
    let options = SolveOptions::default().abstol(1e-11).reltol(1e-11);
    let problem = OdeProblem::new(decay_of_time, [1.0], 0.0..=2.0, []);
    let there = problem.solve(Tsit5, &options).unwrap().final_state();
    let back = problem.with_u0(there).with_tspan(2.0..=0.0);
    let options = options.saveat([2.0, 1.0, 0.25]);
    let solution = back.solve(Tsit5, &options).unwrap();
    assert!((solution.final_state()[0] - 1.0).abs() < 1e-9);
    for (t, [u]) in solution.times().zip(solution.states()) {
        assert!((u - 1.0 / (1.0 + t * t)).abs() < 1e-8, "{u} at {t}");
    }
}

/// `f32` time does not lose steps below its resolution.
///
/// Ten thousand steps are each less than a quarter of a unit in the last place of `t`; with
/// rounding alone they would not advance the time.
#[test]
fn f32_time_keeps_small_steps() {
    let (from, span, omega) = (4096.0_f64, 1.0, 2000.0_f64);
    let unit = f64::from((from as f32).next_up()) - from;
    let problem =
        OdeProblem::new(oscillator, [1.0, 0.0], from..=from + span, [omega * omega]).cast::<f32>();
    let options = SolveOptions::default().abstol([1e-6, 1e-3]).reltol(1e-6);
    let solution = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let step = span / f64::from(solution.accepted());
    assert!(step < 0.25 * unit, "{} steps of {} units", solution.accepted(), step / unit);
    let error = (solution.final_state()[0] as f64 - (omega * span).cos()).abs();
    assert!(error < 2e-2, "{error} after {} steps", solution.accepted());
}
