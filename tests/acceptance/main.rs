//! DiffEqGPU.jl's regression tests for its explicit methods, with its tolerances or tighter, on every
//! place that this machine has.

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
use odes::{Method, Unvaried, Vary};

type Ensemble<S, T, F, const N: usize, const P: usize> = EnsembleProblem<S, T, F, N, P>;

/// The solutions on the CPU's lanes, and on a GPU where there is one.
fn everywhere<M, S, T, F, const N: usize, const P: usize, const K: usize>(
    method: M,
    ensemble: &Ensemble<S, T, F, N, P>,
    options: &SolveOptions,
) -> Vec<EnsembleSolution<S, T, N, P>>
where
    M: Method<K>,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let mut all = vec![ensemble.solve(method, EnsembleThreads::new(), options).unwrap()];
    if let Some(gpu) = gpu() {
        all.push(ensemble.solve(method, gpu, options).unwrap());
    }
    all
}

/// The tests of this module for each of DiffEqGPU.jl's explicit methods: functions of the method.
macro_rules! for_each_method {
    ($($test:ident)*) => {
        for_each_method! { tsit5: odes::Tsit5, [$($test)*] }
        for_each_method! { vern7: odes::Vern7, [$($test)*] }
        for_each_method! { vern9: odes::Vern9, [$($test)*] }
    };
    ($module:ident: $method:path, [$($test:ident)*]) => {
        mod $module {
            $(#[test]
            fn $test() {
                super::$test($method);
            })*
        }
    };
}
use for_each_method;

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
