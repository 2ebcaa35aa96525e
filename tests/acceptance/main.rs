//! DiffEqGPU.jl's regression tests, its defects, and reference solutions of published [`models`].
//!
//! The regression tests have its tolerances or tighter ones, and run on every backend of this
//! machine. Each defect has a test that passes here ([`defects`], [`callbacks`],
//! [`discrete_callbacks`]).

#[path = "../support/cases.rs"]
mod cases;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/workloads.rs"]
mod workloads;

mod adaptive_endpoint;
mod callbacks;
mod conversions;
mod defects;
mod discrete_callbacks;
mod finite_diff;
mod gpu_ode_regression;
mod models;
mod published;
mod stiff_ode_regression;
mod tsit5_accuracy;

use gpu::gpu;
use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;
use odes::problem::{Unvaried, Vary};
use odes::system::System;

type Ensemble<S, T, F, const N: usize, const P: usize> = EnsembleProblem<S, T, F, N, P>;

/// Returns the solutions on the CPU, and on a GPU if there is one.
///
/// The CPU uses one lane: all instruction sets, which give the same bits, would take three times as
/// long to compile.
fn everywhere<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &Ensemble<S, T, F, N, P>,
    options: &SolveOptions,
) -> Vec<EnsembleSolution<S, T, N, P>>
where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let mut all = vec![ensemble.solve(method, EnsembleSerial, options).unwrap()];
    if let Some(gpu) = gpu() {
        all.push(ensemble.solve(method, gpu, options).unwrap());
    }
    all
}

/// The tests of a module, which are functions of the method.
///
/// Each runs for all stiff methods, for all other methods, or for all methods.
macro_rules! for_each_method {
    (explicit: $tests:tt) => {
        for_each_method! { tsit5: odes::Tsit5, $tests }
        for_each_method! { vern7: odes::Vern7, $tests }
        for_each_method! { vern9: odes::methods::Vern9, $tests }
    };
    (stiff: $tests:tt) => {
        for_each_method! { rosenbrock23: odes::methods::Rosenbrock23, $tests }
        for_each_method! { rodas3: odes::methods::Rodas3, $tests }
        for_each_method! { rodas4: odes::methods::Rodas4, $tests }
        for_each_method! { rodas5p: odes::Rodas5P, $tests }
        for_each_method! { trbdf2: odes::methods::TrBdf2, $tests }
        for_each_method! { kvaerno3: odes::methods::Kvaerno3, $tests }
        for_each_method! { kvaerno5: odes::methods::Kvaerno5, $tests }
        for_each_method! { kencarp4: odes::KenCarp4, $tests }
    };
    (all: $tests:tt) => {
        for_each_method! { explicit: $tests }
        for_each_method! { stiff: $tests }
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

/// An ensemble of ten times the same problem.
fn ten<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    problem: OdeProblem<S, T, N, P>,
) -> Ensemble<S, T, Unvaried, N, P> {
    EnsembleProblem::new(problem).trajectories(10)
}

/// [`cases::lines`] with both components from the same state.
fn straight<T: Scalar>(
    u0: f64,
    (begin, end): (f64, f64),
    p: [f64; 4],
) -> OdeProblem<cases::lines, T, 2, 4> {
    OdeProblem::new(cases::lines, [u0; 2], begin..=end, p).cast::<T>()
}

/// The Euclidean distance of two states.
fn distance<T: Scalar, const N: usize>(a: [T; N], b: [f64; N]) -> f64 {
    (0..N).map(|d| (a[d].widen() - b[d]).powi(2)).sum::<f64>().sqrt()
}
