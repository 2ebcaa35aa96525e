//! Measured orders of each method's steps and of its interpolant.
//!
//! The problems are an autonomous and a non-autonomous nonlinear one with known solutions.

use crate::cases::kepler;
use odes::Vern7;
use odes::methods::{Bs3, Dop853, Dp5, Euler, Heun, Method, Ralston, Rk4, Vern6, Vern9};
use odes::prelude::*;

/// Returns the state at time `t` on an orbit of eccentricity 0.3, from its pericentre at time 0.
fn orbit(t: f64, p: f64) -> [f64; 4] {
    const E: f64 = 0.3;
    let anomaly = t + p * t.sin();
    // Kepler's equation by Newton's method.
    let newton = |x: f64| x - (x - E * x.sin() - anomaly) / (1.0 - E * x.cos());
    let (sin, cos) = (0..30).fold(anomaly, |x, _| newton(x)).sin_cos();
    let (minor, rate) = ((1.0 - E * E).sqrt(), 1.0 / (1.0 - E * cos));
    [cos - E, minor * sin, -sin * rate, minor * cos * rate]
}

fn distance(a: [f64; 4], b: [f64; 4]) -> f64 {
    (0..4).map(|d| (a[d] - b[d]).abs()).fold(0.0, f64::max)
}

/// Smaller errors may be from rounding: Verner 6(5) cancels large terms.
const LEAST: f64 = 2e-10;

/// Returns the exponent with which errors grow with the step size.
///
/// It is the slope of the line through the logarithms of the errors that are neither near rounding
/// nor greater than `most`.
fn exponent(what: &str, most: f64, points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points = points.filter(|(_, error)| (LEAST..most).contains(error));
    let logarithms: Vec<[f64; 2]> = points.map(|(h, error)| [h.ln(), error.ln()]).collect();
    let n = logarithms.len() as f64;
    assert!(n > 6.0, "{what}: only {n} errors to look at");
    let mean = |i| logarithms.iter().map(|point: &[f64; 2]| point[i]).sum::<f64>() / n;
    let means = [mean(0), mean(1)];
    let sum = |i: usize, j: usize| -> f64 {
        logarithms.iter().map(|point| (point[i] - means[i]) * (point[j] - means[j])).sum()
    };
    let exponent = sum(0, 1) / sum(0, 0);
    eprintln!("{what}: h^{exponent:.2}, from {n} errors");
    exponent
}

/// Asserts that steps and interpolant have at least their declared orders.
///
/// The tableau tests prove that the orders are no higher; here errors of the next orders contribute
/// too.
fn converges<M: Method>(method: M) {
    let method_is = M::PROPERTIES;
    let most = f64::powi(10.0, -(method_is.order.min(5) as i32));
    let within = |what: &str, measured: f64, order: usize| {
        let excess = measured - order as f64;
        assert!((-0.5..1.7).contains(&excess), "{what}: order {measured}");
        assert!(order > 5 || excess.abs() < 0.4, "{what}: order {measured}");
    };
    for p in [0.0, 0.5] {
        let what = format!("{}, p = {p}: steps", method_is.name);
        let over_span = |i: i32| {
            let h = 4.0 / f64::powf(2.0, 2.0 + f64::from(i) / 6.0).round();
            let problem = OdeProblem::new(kepler, orbit(0.0, p), 0.0..=4.0, [p]);
            let solution = problem.solve(method, &SolveOptions::default().fixed_step(h)).unwrap();
            (h, distance(solution.final_state(), orbit(4.0, p)))
        };
        within(&what, exponent(&what, most, (0..72).map(over_span)), method_is.order);

        // Within one step from an exact value the order is one higher.
        let what = format!("{}, p = {p}: interpolant", method_is.name);
        let in_one_step = |i: i32| {
            let h = 1.6 / f64::powf(2.0, f64::from(i) / 6.0);
            let problem = OdeProblem::new(kepler, orbit(0.0, p), 0.0..=h, [p]);
            let times = [0.2, 0.45, 0.8].map(|theta| theta * h);
            let options = SolveOptions::default().fixed_step(h).saveat(times);
            let solution = problem.solve(method, &options).unwrap();
            let errors = solution.times().zip(solution.states());
            (h, errors.map(|(t, u)| distance(u, orbit(t, p))).fold(0.0, f64::max))
        };
        let measured = exponent(&what, most, (0..72).map(in_one_step)) - 1.0;
        within(&what, measured, method_is.interpolant);
    }
}

/// If a method estimates errors, they are proportional to tolerances, and not much greater.
fn follows_tolerances<M: Method>(method: M) {
    if !M::ADAPTIVE {
        return;
    }
    let name = M::PROPERTIES.name;
    let last = if M::PROPERTIES.order < 4 { 8 } else { 11 };
    let error = |exponent: i32| {
        let tolerance = f64::powi(10.0, -exponent);
        let problem = OdeProblem::new(kepler, orbit(0.0, 0.5), 0.0..=10.0, [0.5]);
        let options =
            SolveOptions::default().abstol(tolerance).reltol(tolerance).max_steps(1_000_000);
        let solution = problem.solve(method, &options).unwrap();
        (tolerance, distance(solution.final_state(), orbit(10.0, 0.5)))
    };
    let errors: Vec<(f64, f64)> = (4..=last).map(error).collect();
    let ((first, most), (last, least)) = (errors[0], errors[errors.len() - 1]);
    let proportionality = (most / least).ln() / (first / last).ln();
    eprintln!("{name}: tolerance^{proportionality:.2}, {errors:?}");
    assert!((0.75..1.2).contains(&proportionality), "{name}: {proportionality}");
    assert!(errors.iter().all(|(tolerance, error)| *error < 1e3 * tolerance), "{name}");
}

macro_rules! tests {
    ($($test:ident: $method:ident;)*) => { $(
        #[test]
        fn $test() {
            converges($method);
            follows_tolerances($method);
        }
    )* };
}

tests! {
    euler: Euler;
    heun: Heun;
    ralston: Ralston;
    rk4: Rk4;
    bs3: Bs3;
    dp5: Dp5;
    tsit5: Tsit5;
    vern6: Vern6;
    vern7: Vern7;
    dop853: Dop853;
    vern9: Vern9;
}
