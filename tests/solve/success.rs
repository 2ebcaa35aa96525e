//! The table of `docs/what-success-means.md`: the rows of odes are the results of these solves.
//!
//! (The examples of that page are tests of the documentation.)

use odes::methods::Rodas4;
use odes::prelude::*;
use odes::system::System;
use odes::{GrowthGuard, Solver};

const PAGE: &str = include_str!("../../docs/what-success-means.md");

#[ode_system]
fn autocatalysis(u: &[f64; 1]) -> [f64; 1] {
    [u[0] * (1.0 - u[0])]
}

#[ode_system]
fn epidemic(u: &[f64; 2]) -> [f64; 2] {
    let infections = 0.5 * u[0] * u[1];
    [-infections, infections - 0.25 * u[1]]
}

#[ode_system]
fn spiral(u: &[f64; 2]) -> [f64; 2] {
    let [x, y] = *u;
    let rate = 1.0 - x * x - y * y;
    [rate * x - 30.0 * y, 30.0 * x + rate * y]
}

#[ode_system]
fn pair(u: &[f64; 2]) -> [f64; 2] {
    [u[0] * (1.0 - u[0]), 0.9 * u[1] * (1.0 - u[1])]
}

#[ode_system]
fn pulse(_u: &[f64; 1], _p: &[f64; 0], t: f64) -> [f64; 1] {
    [(-((t - 6.3) / 0.01).powi(2)).exp()]
}

/// Returns an entry of the table: a number, and the steps of its solve.
fn cell<const N: usize>(solution: &OdeSolution<impl System<N, 0>, f64, N, 0>, end: f64) -> String {
    if !solution.code().is_success() {
        return format!("`{}` ({})", solution.code(), solution.accepted());
    }
    let digits = match end.abs() {
        0.0 => "0".to_owned(),
        size if size < 1e-3 => format!("{end:.0e}"),
        _ => format!("{end:.3}"),
    };
    format!("{digits} ({})", solution.accepted())
}

/// Returns the time at which the solution of `u' = u (1 - u)` was a half.
///
/// The time is computed from the end of the step that passed it.
fn half_time(solution: &OdeSolution<autocatalysis, f64, 1, 0>) -> Option<f64> {
    let mut ends = solution.times().zip(solution.states());
    let (t, [u]) = ends.find(|(_, [u])| *u >= 0.5)?;
    Some(t - (u / (1.0 - u)).ln())
}

fn row<M: Solver + Copy>(name: &str, method: M, options: &SolveOptions) -> String {
    let steps = options.clone().saveat(SaveAt::Steps);
    let growth = OdeProblem::new(autocatalysis, [1e-16], 0.0..=100.0, []);
    let growth = growth.solve(method, &steps).unwrap();
    let mut first = cell(&growth, growth.final_state()[0]);
    if let Some(time) = half_time(&growth) {
        first += &format!(", half at {time:.2}");
    }
    let ill = OdeProblem::new(epidemic, [1.0 - 1e-9, 1e-9], 0.0..=300.0, []);
    let ill = ill.solve(method, options).unwrap();
    let turns = OdeProblem::new(spiral, [1e-14, 0.0], 0.0..=100.0, []);
    let turns = turns.solve(method, options).unwrap();
    let two = OdeProblem::new(pair, [1e-14, 1e-14], 0.0..=100.0, []);
    let two = two.solve(method, options).unwrap();
    let seen = OdeProblem::new(pulse, [0.0], 0.0..=10.0, []).solve(method, options).unwrap();
    let area = 0.01 * std::f64::consts::PI.sqrt();
    let cells = [
        first,
        cell(&ill, ill.final_state()[0]),
        cell(&turns, turns.final_state()[0].hypot(turns.final_state()[1])),
        cell(&two, two.final_state()[0]),
        cell(&seen, seen.final_state()[0] / area),
    ];
    format!("| {name} | {} |", cells.join(" | "))
}

#[test]
fn the_table_is_what_is_solved() {
    let options = SolveOptions::default();
    let precise = options.clone().abstol(1e-18);
    let bare = options.clone().growth_guard(GrowthGuard::Off).time_breaks(false);
    let page = PAGE.replace("**", "");
    let rows = [
        row("`Rodas4`", Rodas4, &options),
        row("`Tsit5`, `Auto`", Tsit5, &options),
        row("`Tsit5`, `Auto`", Auto, &options),
        row("`Rodas5P`", Rodas5P, &options),
        row("`Rodas4`, `abstol(1e-18)`", Rodas4, &precise),
        row("`Tsit5`, `abstol(1e-18)`", Tsit5, &precise),
        row("`Rodas4`, `growth_guard(Off)`, `time_breaks(false)`", Rodas4, &bare),
    ];
    let missing: Vec<String> = rows.into_iter().filter(|row| !page.contains(row)).collect();
    assert!(missing.is_empty(), "the page does not have\n{}", missing.join("\n"));
}
