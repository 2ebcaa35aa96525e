//! Gradients of stochastic equations: laws, differences on the same paths, and a fit of a law.

use odes::gradient::{Cotangents, EnsembleGradient};
use odes::methods::{
    Differentiable, EulerMaruyama, Method, Milstein, Shark, Siea, Spark, Sra1, Sriw1,
    StochasticHeun,
};
use odes::ndarray::{Array2, Axis};
use odes::prelude::*;
use odes::system::{PullBack, Quantities};

/// Diagonal noise of two processes.
#[ode_system(gradients = "on")]
mod own {
    fn rhs(u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
        [p[2] * (1.0 + u[0] * u[0]).sqrt() * t.cos(), p[3] * (1.0 + 0.5 * u[1].sin())]
    }
}

/// One process that drives both components.
#[ode_system(gradients = "on")]
mod shared {
    fn rhs(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        [p[0] * (t - u[0]), u[0] * u[0] - u[1]]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 2], t: f64) -> [[f64; 2]; 1] {
        [[p[1] * u[1] * t.cos(), (p[1] - u[0] * u[1]).sin()]]
    }
}

/// Two processes that do not commute, in Stratonovich's calculus.
#[ode_system(gradients = "on")]
mod crossed {
    fn rhs(u: &[f64; 2], p: &[f64; 3], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise(stratonovich)]
    fn noise(u: &[f64; 2], p: &[f64; 3], t: f64) -> [[f64; 2]; 2] {
        [[p[1] * u[1], p[2] * (u[0] + t).cos()], [0.3 * u[0] * u[1], p[1] * p[2]]]
    }
}

/// Additive noise of two processes, which depends on the time and on parameters.
#[ode_system(gradients = "on")]
mod forced {
    fn rhs(u: &[f64; 2], p: &[f64; 3], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise]
    fn noise(_u: &[f64; 2], p: &[f64; 3], t: f64) -> [[f64; 2]; 2] {
        [[p[1] * (1.0 + t).sqrt(), p[2] * p[2]], [0.2, p[0] * p[2] * t]]
    }
}

/// Returns the derivatives with respect to initial states and parameters of trajectory `i`.
fn of<T: odes::lane::Scalar, const N: usize, const P: usize>(
    gradient: &EnsembleGradient<T, N, P>,
    i: usize,
) -> Vec<T> {
    [&gradient.u0(i)[..], &gradient.p(i)[..]].concat()
}

/// Compares gradients with differences of order four on the same paths.
///
/// The loss is half the sum of squares of all saved numbers, and a weighted final state.
fn check<S, M, const N: usize, const P: usize>(
    problem: OdeProblem<S, f64, N, P>,
    method: M,
    options: &SolveOptions,
) where
    S: PullBack<N, P>,
    M: Method + Differentiable,
{
    const PATHS: usize = 5;
    let ensemble = |problem| EnsembleProblem::new(problem).trajectories(PATHS);
    let weight = |d: usize| 0.4 - 1.1 * d as f64;
    let u0: [f64; N] = problem.u0.to_numbers();
    let p: [f64; P] = problem.p.to_numbers();
    let losses = |k: usize, shift: f64| -> Vec<f64> {
        let (mut u0, mut p) = (u0, p);
        match k.checked_sub(N) {
            Some(k) => p[k] += shift,
            None => u0[k] += shift,
        }
        let problem = problem.with_u0(u0).with_p(p);
        let solution = ensemble(problem).solve(method, EnsembleSerial, options).unwrap();
        assert!(solution.all_succeeded());
        let (saved, ends) = (solution.all_states(), solution.final_states());
        let of = |i: usize| {
            let squares: f64 = saved.index_axis(Axis(0), i).iter().map(|u| 0.5 * u * u).sum();
            squares + (0..N).map(|d| weight(d) * ends[[i, d]]).sum::<f64>()
        };
        (0..PATHS).map(of).collect()
    };
    let solution = ensemble(problem).solve(method, EnsembleSerial, options).unwrap();
    let last = Array2::from_shape_fn((PATHS, N), |(_, d)| weight(d));
    let by = Cotangents::saved(solution.all_states().to_owned()).last(last);
    let found = ensemble(problem).pull_back(method, EnsembleSerial, options, by).unwrap();
    assert_eq!(found.failed(), 0);
    for k in 0..N + P {
        let all = [-2.0, -1.0, 1.0, 2.0].map(|step| losses(k, step * 1e-3));
        for i in 0..PATHS {
            let [below, before, after, above] = all.each_ref().map(|losses| losses[i]);
            let expected = (8.0 * (after - before) - (above - below)) / 12e-3;
            let found = of(&found, i)[k];
            let error = (found - expected).abs() / expected.abs().max(1.0);
            let name = M::PROPERTIES.name;
            assert!(error < 1e-9, "{name}, {k} of path {i}: {found}, not {expected}: {error:e}");
        }
    }
}

/// Saved times at both ends of the span, at the end of a step, and within steps.
const SAVED: [f64; 7] = [0.0, 0.125, 0.13, 0.3, 0.31, 0.9, 1.0];

fn options() -> SolveOptions {
    SolveOptions::default().fixed_step(0.0625).noise_seed(9).saveat(SAVED)
}

#[test]
fn gradients_are_those_of_each_path() {
    // The last step of this span is shorter.
    let problem = OdeProblem::new(own, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5, 0.6]);
    check(problem, EulerMaruyama, &options());
    check(problem, Milstein, &options());
    check(problem, Sriw1, &options());
    let problem = OdeProblem::new(shared, [0.4, -0.3], 0.0..=1.03, [0.7, 0.6]);
    check(problem, Siea, &options());
    check(problem, Milstein, &options());
    let problem = OdeProblem::new(crossed, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5]);
    check(problem, StochasticHeun, &options());
    check(problem, Spark, &options());
    let problem = OdeProblem::new(forced, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5]);
    check(problem, Shark, &options());
    check(problem, Sra1, &options().noise_cell(0.25));
}
