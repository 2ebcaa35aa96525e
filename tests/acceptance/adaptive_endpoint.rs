//! `adaptive_endpoint.jl`: adaptive steps land on the end exactly, wherever it is.

use super::{everywhere, for_each_method, ten};
use crate::cases::growth;
use odes::Method;
use odes::prelude::*;

/// 200 ends and three rates; the error is within 2000 times the tolerance, as there.
fn many_ends<M: Method<K>, const K: usize>(method: M) {
    for lambda in [1.0, 10.0, 100.0] {
        let problem = OdeProblem::new(growth, [1.0f64], 0.0..=1.0, [-lambda]);
        let ends = EnsembleProblem::new(problem)
            .trajectories(200)
            .vary(|q, i| q.with_tspan(0.0..=1e-3 * 1.035f64.powi(i as i32)));
        let options = SolveOptions::default().abstol(1e-9).reltol(1e-6).first_step(0.1);
        for solution in everywhere(method, &ends, &options) {
            assert!(solution.all_succeeded());
            for i in 0..200 {
                let exact = (-lambda * 1e-3 * 1.035f64.powi(i as i32)).exp();
                let error = (solution.final_state(i)[0] - exact).abs() / exact.max(1e-3);
                assert!(error <= 2000.0 * 1e-6, "lambda {lambda}, end {i}: {error:e}");
            }
        }
    }
}

/// Times to save one unit in the last place before the end, and the end itself.
fn saved_next_to_the_end<M: Method<K>, const K: usize>(method: M) {
    let end = 1.0f64;
    let problem = OdeProblem::new(growth, [1.0f64], 0.0..=end, [-1.0]);
    let options = SolveOptions::default().tolerance(1e-8).saveat([end.next_down(), end]);
    for solution in everywhere(method, &ten(problem), &options) {
        let trajectory = solution.trajectory(0);
        assert_eq!(trajectory.len(), 2);
        assert_eq!(trajectory.state(1), trajectory.final_state());
        assert!((trajectory.state(0)[0] - (-1.0f64).exp()).abs() < 1e-7);
    }
}

/// `f32` at 2^26, where a unit of time in the last place is 8.
fn coarse_time<M: Method<K>, const K: usize>(method: M) {
    let begin = 67_108_864.0f32;
    let problem = OdeProblem::new(growth, [1.0f32], begin..=begin + 16.0, [-0.1]);
    for solution in everywhere(method, &ten(problem), &SolveOptions::default().tolerance(1e-5)) {
        assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
        let error = solution.final_state(0)[0] as f64 - (-1.6f64).exp();
        assert!(error.abs() < 1e-4, "{error:e}");
    }
}

for_each_method! { many_ends saved_next_to_the_end coarse_time }
