//! `stiff_ode/gpu_ode_regression.jl`: a decay in `f32` against its known solution, and fifteen
//! equations.

use super::{everywhere, for_each_method, straight, ten};
use crate::cases::lines;
use crate::workloads::many;
use odes::EnsembleSolution;
use odes::methods::Method;
use odes::prelude::*;

fn problem() -> OdeProblem<lines, f32, 2, 4> {
    straight(10.0, (0.0, 10.0), [0.0, -1.0, 0.0, -1.0])
}

/// Returns the fixed steps of DiffEqGPU.jl's test; `adaptive` returns its adaptive ones.
fn fixed() -> SolveOptions {
    SolveOptions::default().fixed_step(0.01)
}
fn adaptive() -> SolveOptions {
    SolveOptions::default().first_step(0.01)
}

/// Asserts that the error is below `most`, at the end and at all saved times.
fn within(solution: &EnsembleSolution<lines, f32, 2, 4>, most: f64) {
    assert!(solution.all_succeeded());
    for trajectory in solution.iter() {
        let rate = f64::from(trajectory.p()[1]);
        let error = |t: f32, u: f32| (f64::from(u) - 10.0 * (rate * f64::from(t)).exp()).abs();
        let states = trajectory.times().zip(trajectory.states()).map(|(t, u)| error(t, u[0]));
        let worst = states.fold(error(10.0, trajectory.final_state()[0]), f64::max);
        assert!(worst < most, "{worst:e} at a rate of {rate}");
    }
}

fn at_the_end<M: Method>(method: M) {
    for (options, most) in [(fixed(), 5e-3), (adaptive(), 6e-3)] {
        for solution in everywhere(method, &ten(problem()), &options) {
            within(&solution, most);
        }
    }
}

fn at_saved_times<M: Method>(method: M) {
    let many: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.1).collect();
    let tight = adaptive().abstol(1e-7).reltol(1e-7);
    for (options, times, most) in [
        (fixed(), vec![2.0, 4.0], 2e-4),
        (tight.clone(), vec![2.0, 4.0], 2e-4),
        (fixed(), many.clone(), 2e-3),
        (tight, many, 2e-3),
    ] {
        for solution in everywhere(method, &ten(problem()), &options.saveat(times.clone())) {
            assert!(solution.iter().all(|trajectory| trajectory.len() == times.len()));
            within(&solution, most);
        }
    }
}

/// Ten thousand trajectories with different rates; without optimisation, a tenth of them.
fn rates<M: Method>(method: M) {
    let ensemble = EnsembleProblem::new(problem())
        .trajectories(many(10_000))
        .vary(|q, i| q.with_p([0.0, -(i as f32) / many(10_000) as f32, 0.0, -1.0]));
    for (options, most) in [(fixed(), 5e-3), (adaptive().abstol(1e-7).reltol(1e-7), 5e-3)] {
        for solution in everywhere(method, &ensemble, &options) {
            within(&solution, most);
        }
    }
}

/// `u' = 1.01 u`, fifteen times.
#[ode_system]
fn large(u: &[f64; 15]) -> [f64; 15] {
    u.map(|x| 1.01 * x)
}

fn fifteen_equations<M: Method>(method: M) {
    let u0 = std::array::from_fn(|d| (d as f64 + 1.0) / 16.0);
    let problem = OdeProblem::new(large, u0, 0.0..=10.0, []).cast::<f32>();
    let options = SolveOptions::default().first_step(0.1);
    for solution in everywhere(method, &ten(problem), &options) {
        assert!(solution.all_succeeded());
        for (u, begin) in solution.final_state(9).into_iter().zip(u0) {
            let error = f64::from(u) / (begin * 10.1f64.exp()) - 1.0;
            assert!(error.abs() < 5e-2, "{error:e}");
        }
    }
}

for_each_method! { stiff: [at_the_end at_saved_times rates fifteen_equations] }
