//! Ignitions that implicit methods miss, with and without the growth guard.
//!
//! `bench/peers/ignition.py` solves the same problems with SciPy and Cantera.

use odes::GrowthGuard;
use odes::methods::{Method, Rodas4};
use odes::prelude::*;
use odes_models::h2o2::{DELAYS, h2o2, ignition_delay, of_delay};
use serde::Serialize;

use crate::Failure;
use crate::output::{Output, Row};

/// The time span of each state, in s.
const END: f64 = 10.0;
/// Pairs of tolerances, relative and absolute.
const TOLERANCES: [(f64, f64); 3] = [(1e-3, 1e-6), (1e-3, 1e-9), (1e-6, 1e-10)];

/// The results for the twelve states with one pair of tolerances.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    method: &'static str,
    guard: String,
    reltol: f64,
    abstol: f64,
    /// The number of trajectories that ended without success.
    failed: usize,
    /// The number of trajectories that ended with success and never became 400 K warmer.
    unignited: usize,
    /// The largest error of the delay of the other trajectories, relative to Cantera's delay.
    worst: f64,
    /// The smallest and the largest number of accepted steps of the trajectories that did not fail.
    steps: [u32; 2],
    /// The number of steps that the guard refused, in all trajectories together.
    guarded: u32,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("method", 8),
        ("guard", 6),
        ("reltol", 6),
        ("abstol", 6),
        ("failed", 6),
        ("unignited", 9),
        ("worst delay", 11),
        ("steps", 9),
        ("guarded", 7),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.method.to_owned(),
            self.guard.clone(),
            format!("{:.0e}", self.reltol),
            format!("{:.0e}", self.abstol),
            self.failed.to_string(),
            self.unignited.to_string(),
            format!("{:+.2e}", self.worst),
            format!("{}-{}", self.steps[0], self.steps[1]),
            self.guarded.to_string(),
        ]
    }
}

/// Solves all states with all tolerances.
fn by<M: Method + Copy>(
    (name, method): (&'static str, M),
    guard: GrowthGuard,
    output: &mut Output,
) -> Result<(), Failure> {
    let (u0, p) = of_delay(0);
    let ensemble = EnsembleProblem::new(OdeProblem::new(h2o2, u0, 0.0..=END, p))
        .trajectories(DELAYS.len())
        .vary(|problem, i| problem.with_u0(of_delay(i).0).with_p(of_delay(i).1));
    for (reltol, abstol) in TOLERANCES {
        let options = SolveOptions::default().reltol(reltol).abstol(abstol).growth_guard(guard);
        // One lane gives the same bits as several, and compiles faster.
        let solution = ensemble.solve(method, EnsembleSerial, &options.saveat(SaveAt::Steps))?;
        let mut row = Measured {
            bench: "ignition",
            method: name,
            guard: format!("{guard:?}").to_lowercase(),
            reltol,
            abstol,
            failed: 0,
            unignited: 0,
            worst: 0.0,
            steps: [u32::MAX, 0],
            guarded: 0,
        };
        for (trajectory, (_, _, expected)) in solution.iter().zip(DELAYS) {
            row.guarded += trajectory.guarded();
            if !trajectory.code().is_success() {
                row.failed += 1;
                continue;
            }
            let [fewest, most] = row.steps;
            row.steps = [fewest.min(trajectory.accepted()), most.max(trajectory.accepted())];
            match ignition_delay(trajectory).map(|delay| delay / expected - 1.0) {
                None => row.unignited += 1,
                Some(error) if error.abs() > row.worst.abs() => row.worst = error,
                Some(_) => {}
            }
        }
        output.row(&row)?;
    }
    Ok(())
}

/// Measures all methods and prints a table.
pub(crate) fn run(output: &mut Output) -> Result<(), Failure> {
    for guard in [GrowthGuard::Off, GrowthGuard::Reject] {
        by(("Rodas4", Rodas4), guard, output)?;
        by(("Rodas5P", Rodas5P), guard, output)?;
    }
    Ok(())
}
