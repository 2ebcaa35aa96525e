//! One arithmetic: an ensemble in every place that this machine has.

#[path = "cpp.rs"]
mod cpp;
#[path = "gpu.rs"]
mod gpu;
#[path = "workloads.rs"]
pub(crate) mod workloads;

use cpp::HostCpp;
use gpu::gpu;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::System;
use odes::{EnsembleSolution, InstructionSet, Method, Schedule, Vary};
use workloads::assert_same_bits;

/// The bits of `expected` by all instruction sets with FMA, in all schedules, in C++, and on a GPU.
pub(crate) fn same_everywhere<M, S, T, F, const N: usize, const P: usize, const K: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    expected: &EnsembleSolution<S, T, N, P>,
    options: &SolveOptions,
) where
    M: Method<K> + Copy,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let fused = InstructionSet::available().into_iter().filter(|&i| i != InstructionSet::Baseline);
    for instructions in fused {
        for (threads, batch, schedule) in [(2, 64, Schedule::Static), (3, 500, Schedule::Refill)] {
            let place = EnsembleThreads::new().threads(threads).instructions(instructions);
            let place = place.batch(batch).schedule(schedule);
            eprintln!("{instructions:?}, {threads} threads, batches of {batch}, {schedule:?}");
            assert_same_bits(expected, &ensemble.solve(method, place, options).unwrap());
        }
    }
    match HostCpp::find() {
        Some(cpp) => assert_same_bits(expected, &ensemble.solve(method, cpp, options).unwrap()),
        None => eprintln!("skipped: no C++ compiler (c++, g++ or clang++)"),
    }
    if let Some(gpu) = gpu() {
        assert_same_bits(expected, &ensemble.solve(method, gpu, options).unwrap());
    }
}
