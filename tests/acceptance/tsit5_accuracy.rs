//! `tsit5_accuracy.jl`: known solutions, in both precisions.

use super::{everywhere, ten};
use crate::cases::{growth, oscillator};
use odes::prelude::*;

#[test]
fn growth_f64() {
    let problem = OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5]);
    for options in [
        SolveOptions::default().abstol(1e-8).reltol(1e-8),
        SolveOptions::default().fixed_step(0.01),
    ] {
        for solution in everywhere(Tsit5, &ten(problem), &options) {
            let error = solution.final_state(9)[0] / 0.5f64.exp() - 1.0;
            assert!(error.abs() < 1e-7, "{error:e}");
        }
    }
}

#[test]
fn growth_f32() {
    let problem = OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5]).cast::<f32>();
    for options in [
        SolveOptions::default().abstol(1e-6).reltol(1e-6),
        SolveOptions::default().fixed_step(0.01),
    ] {
        for solution in everywhere(Tsit5, &ten(problem), &options) {
            let error = solution.final_state(9)[0] as f64 / 0.5f64.exp() - 1.0;
            assert!(error.abs() < 2e-6, "{error:e}");
        }
    }
}

#[test]
fn cosine() {
    let problem = OdeProblem::new(oscillator, [1.0, 0.0], 0.0..=3.0, [1.0]);
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9).saveat(0.25);
    for solution in everywhere(Tsit5, &ten(problem), &options) {
        let trajectory = solution.trajectory(3);
        for (t, [x, _]) in trajectory.times().zip(trajectory.states()) {
            assert!((x - t.cos()).abs() < 2e-8, "{x} at {t}");
        }
    }
}

/// A first step far beyond the end is shortened: the defect of a fast decay on a short span.
#[test]
fn short_span_of_a_fast_decay() {
    let problem = OdeProblem::new(growth, [1.0], 0.0..=0.01, [-100.0]);
    let options = SolveOptions::default().first_step(0.1);
    for solution in everywhere(Tsit5, &ten(problem), &options) {
        let error = solution.final_state(0)[0] - (-1.0f64).exp();
        assert!(error.abs() < 1e-3, "{error:e}");
    }
}
