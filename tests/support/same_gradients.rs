//! Identical arithmetic: the gradients of an ensemble on every backend of this machine.

// Not every program uses all of them.
#![allow(dead_code)]

use crate::cpp::HostCpp;
use crate::gpu::gpu;
use crate::opencl::OpenCl;
use odes::backend::{InstructionSet, Schedule};
use odes::gradient::{Cotangents, EnsembleGradient};
use odes::lane::Scalar;
use odes::methods::Differentiable;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::PullBack;

/// Returns the bits of all derivatives.
pub(crate) fn bits<T, const N: usize, const P: usize>(found: &EnsembleGradient<T, N, P>) -> Vec<u64>
where
    T: Scalar + Into<f64>,
{
    let (by_u0, by_p) = (found.all_u0(), found.all_p());
    by_u0.iter().chain(by_p.iter()).map(|number| (*number).into().to_bits()).collect()
}

/// Compares the bits of all instruction sets, of C++ and of a GPU with those of one lane.
///
/// With `ODES_OPENCL=all` it also compares OpenCL.
pub(crate) fn same_gradients<S, T, M, F, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    method: M,
    options: &SolveOptions,
    by: &Cotangents<T>,
) where
    S: PullBack<N, P>,
    T: Scalar + Into<f64>,
    M: Differentiable,
    F: Vary<S, T, N, P>,
{
    let expected = same_gradients_in_cpp(ensemble, method, options, by);
    for set in InstructionSet::available() {
        let place = EnsembleThreads.threads(2).instructions(set).batch(37);
        let found = ensemble.pull_back(method, place, options, by.clone()).unwrap();
        assert!(bits(&found) == expected, "{set:?}");
    }
}

/// Compares the bits of C++ and of a GPU with those of one lane, and returns these.
pub(crate) fn same_gradients_in_cpp<S, T, M, F, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    method: M,
    options: &SolveOptions,
    by: &Cotangents<T>,
) -> Vec<u64>
where
    S: PullBack<N, P>,
    T: Scalar + Into<f64>,
    M: Differentiable,
    F: Vary<S, T, N, P>,
{
    let serial = ensemble.pull_back(method, EnsembleSerial, options, by.clone()).unwrap();
    let expected = bits(&serial);
    assert!(expected.iter().filter(|bits| **bits != 0).count() * 2 > expected.len());
    assert_eq!(serial.failed(), 0);
    let check = |found: EnsembleGradient<T, N, P>, place: &str| {
        assert!(bits(&found) == expected, "{place}");
    };
    if let Some(cpp) = HostCpp::find() {
        check(ensemble.pull_back(method, cpp, options, by.clone()).unwrap(), "C++");
    }
    if let Some(gpu) = gpu() {
        for schedule in [Schedule::Static, Schedule::Refill] {
            let gpu = gpu.clone().schedule(schedule).batch(100);
            check(ensemble.pull_back(method, gpu, options, by.clone()).unwrap(), "GPU");
        }
    }
    if let Some(opencl) = OpenCl::for_all() {
        for refill in [false, true] {
            let place = opencl.refill(refill);
            check(ensemble.pull_back(method, place, options, by.clone()).unwrap(), "OpenCL");
        }
    }
    expected
}
