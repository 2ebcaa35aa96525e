//! Identical arithmetic: an ensemble on every backend of this machine.

// Not every program uses all of them.
#![allow(dead_code)]

use crate::cpp::HostCpp;
use crate::gpu::gpu;
use crate::opencl::OpenCl;
use crate::workloads::assert_same_bits;
use odes::EnsembleSolution;
use odes::backend::{InstructionSet, Schedule};
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;

/// The distribution over CPU threads: their number, trajectories in a batch, and the schedule.
pub(crate) type Cut = (usize, usize, Schedule);

/// The instruction sets of this machine that have FMA.
pub(crate) fn fused() -> Vec<InstructionSet> {
    InstructionSet::available().into_iter().filter(|&i| i != InstructionSet::Baseline).collect()
}

/// Compares the bits with `expected`, for these instruction sets and each of these distributions.
pub(crate) fn same_on_lanes<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    expected: &EnsembleSolution<S, T, N, P>,
    options: &SolveOptions,
    (sets, cuts): (&[InstructionSet], &[Cut]),
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    for &instructions in sets {
        for &(threads, batch, schedule) in cuts {
            let place = EnsembleThreads::new().threads(threads).instructions(instructions);
            let place = place.batch(batch).schedule(schedule);
            eprintln!("{instructions:?}, {threads} threads, batches of {batch}, {schedule:?}");
            assert_same_bits(expected, &ensemble.solve(method, place, options).unwrap());
        }
    }
}

/// Compares the bits of C++ with `expected`.
pub(crate) fn same_in_cpp<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    expected: &EnsembleSolution<S, T, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    match HostCpp::find() {
        Some(cpp) => assert_same_bits(expected, &ensemble.solve(method, cpp, options).unwrap()),
        None => eprintln!("skipped: no C++ compiler (c++, g++ or clang++)"),
    }
}

/// Compares the bits with `expected`, on all instruction sets with FMA, in C++, and on a GPU.
///
/// With `ODES_OPENCL=all` it also compares OpenCL.
pub(crate) fn same_everywhere<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    expected: &EnsembleSolution<S, T, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    // The tests of `bits` cover the distributions; here each instruction set has one.
    let cuts = [(2, 64, Schedule::Static), (3, 500, Schedule::Refill)];
    for (set, cut) in fused().into_iter().zip(cuts.into_iter().cycle()) {
        same_on_lanes(method, ensemble, expected, options, (&[set], &[cut]));
    }
    same_in_cpp(method, ensemble, expected, options);
    if let Some(gpu) = gpu() {
        assert_same_bits(expected, &ensemble.solve(method, gpu, options).unwrap());
    }
    if let Some(opencl) = OpenCl::for_all() {
        assert_same_bits(expected, &ensemble.solve(method, opencl, options).unwrap());
    }
}

/// Solves in one lane, where all trajectories must succeed, and then [everywhere](same_everywhere).
pub(crate) fn succeeds_everywhere<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    let (name, counts) = (M::PROPERTIES.name, expected.code_counts());
    assert!(expected.all_succeeded(), "{name} in {}: {counts:?}", T::NAME);
    same_everywhere(method, ensemble, &expected, options);
}
