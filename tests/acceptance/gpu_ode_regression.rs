//! `gpu_ode_regression.jl`: Lorenz in `f32` against a tight solution.

use super::{distance, everywhere, for_each_method, ten};
use crate::random::Random;
use crate::workloads::{lorenz, many};
use odes::methods::Method;
use odes::prelude::*;

fn problem() -> OdeProblem<lorenz, f32, 3, 3> {
    OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]).cast()
}

/// Returns the reference states at `times`, by tight tolerances in `f64`.
fn reference(times: &[f64]) -> Vec<[f64; 3]> {
    let p = [10.0, 28.0, (8.0f32 / 3.0) as f64];
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, p);
    let options = SolveOptions::default().abstol(1e-13).reltol(1e-13).saveat(times);
    problem.solve(Tsit5, &options).unwrap().states().collect()
}

fn fixed_steps<M: Method>(method: M) {
    let end = reference(&[10.0])[0];
    for solution in everywhere(method, &ten(problem()), &SolveOptions::default().fixed_step(0.01)) {
        for i in 0..10 {
            assert_eq!(solution.accepted(i), 1000);
            assert!(distance(solution.final_state(i), end) < 5e-3);
        }
    }
}

fn adaptive_steps<M: Method>(method: M) {
    let end = reference(&[10.0])[0];
    let options = SolveOptions::default().first_step(0.01).abstol(1e-7).reltol(1e-7);
    for solution in everywhere(method, &ten(problem()), &options) {
        for i in 0..10 {
            assert!(distance(solution.final_state(i), end) < 1e-3);
        }
    }
}

fn two_saved_times<M: Method>(method: M) {
    let times = [2.0, 4.0];
    let exact = reference(&times);
    let fixed = SolveOptions::default().fixed_step(0.01).saveat(times);
    let adaptive = SolveOptions::default().first_step(0.01).abstol(1e-7).reltol(1e-7).saveat(times);
    for options in [fixed, adaptive] {
        for solution in everywhere(method, &ten(problem()), &options) {
            assert_eq!(solution.shared_times(), Some(&[2.0f32, 4.0][..]));
            for trajectory in solution.iter() {
                assert_eq!(trajectory.len(), 2);
                for (state, exact) in trajectory.states().zip(&exact) {
                    assert!(distance(state, *exact) < 5e-4);
                }
            }
        }
    }
}

fn many_saved_times<M: Method>(method: M) {
    let times: Vec<f64> = (0..=100).map(|i| i as f64 * 0.1).collect();
    let exact = reference(&times);
    let fixed = SolveOptions::default().fixed_step(0.01).saveat(times.clone());
    let adaptive = SolveOptions::default().first_step(0.01).abstol(1e-7).reltol(1e-7).saveat(0.1);
    for (options, tolerance) in [(fixed, 5e-3), (adaptive, 1e-2)] {
        for solution in everywhere(method, &ten(problem()), &options) {
            for trajectory in solution.iter() {
                assert_eq!(trajectory.len(), 101);
                for (s, state) in trajectory.states().enumerate() {
                    assert!(distance(state, exact[s]) < tolerance, "at {}", times[s]);
                }
            }
        }
    }
}

/// 10,000 trajectories with random parameters all end, with different results.
fn random_parameters<M: Method>(method: M) {
    let ensemble = EnsembleProblem::new(problem()).trajectories(many(10_000)).vary(|q, i| {
        // Three uniform numbers of trajectory i.
        let mut random = Random::after(3 * i as u64);
        let [a, b, c] = [(); 3].map(|()| (random.bits() >> 40) as f32 / (1u64 << 24) as f32);
        q.with_p([10.0 * a, 28.0 * b, 8.0 / 3.0 * c])
    });
    for options in [
        SolveOptions::default().fixed_step(0.01),
        SolveOptions::default().first_step(0.01).saveat(1.0),
    ] {
        for solution in everywhere(method, &ensemble, &options) {
            assert!(solution.all_succeeded());
            assert_eq!(solution.len(), many(10_000));
            assert_ne!(solution.final_state(1), solution.final_state(2));
        }
    }
}

for_each_method! {
    explicit: [fixed_steps adaptive_steps two_saved_times many_saved_times random_parameters]
}
