//! DiffEqGPU.jl's regression tests for its Tsit5, with its tolerances or tighter, on every place
//! that this machine has.

#[path = "../support/cases.rs"]
mod cases;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/workloads.rs"]
mod workloads;

mod adaptive_endpoint;
mod conversions;
mod gpu_ode_regression;
mod tsit5_accuracy;

use gpu::gpu;
use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::System;
use odes::{Unvaried, Vary};

type Ensemble<S, T, F, const N: usize, const P: usize> = EnsembleProblem<S, T, F, N, P>;

/// The solutions on the CPU's lanes, and on a GPU where there is one.
fn everywhere<S, T, F, const N: usize, const P: usize>(
    ensemble: &Ensemble<S, T, F, N, P>,
    options: &SolveOptions,
) -> Vec<EnsembleSolution<S, T, N, P>>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let mut all = vec![ensemble.solve(Tsit5, EnsembleThreads::new(), options).unwrap()];
    if let Some(gpu) = gpu() {
        all.push(ensemble.solve(Tsit5, gpu, options).unwrap());
    }
    all
}

/// One problem, ten times.
fn ten<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    problem: OdeProblem<S, T, N, P>,
) -> Ensemble<S, T, Unvaried, N, P> {
    EnsembleProblem::new(problem).trajectories(10)
}

/// Euclidean distance.
fn distance<T: Scalar, const N: usize>(a: [T; N], b: [f64; N]) -> f64 {
    (0..N).map(|d| (a[d].widen() - b[d]).powi(2)).sum::<f64>().sqrt()
}
