//! Failures of a driver, which `tests/driver/cuda.cpp` simulates.

use crate::driver::simulated;
use crate::workloads::{assert_same_bits, lorenz_sweep};
use ode_gpu::{GpuError, pooled_bytes};
use odes::backend::{Backend, EnsembleAlgorithm};
use odes::prelude::*;
use odes::problem::Vary;
use odes::{EnsembleWatched, Memory, SolveError, Warning};
use odes_models::lorenz::lorenz;
use odes_skipped::needs;
use std::time::{Duration, Instant};

const TWO: (&str, &str) = ("SIMULATED_DEVICES", "2");

/// Returns an ensemble of two hundred batches.
fn ensemble() -> EnsembleProblem<lorenz, f64, impl Vary<lorenz, f64, 3, 3> + Clone, 3, 3> {
    lorenz_sweep::<f64>(20_000, 0.1)
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-4)
}

fn gpus() -> EnsembleGpuKernel {
    EnsembleGpuKernel::all().unwrap().batch(100)
}

/// Returns the solution of the ensemble by one thread of the CPU.
fn expected() -> EnsembleSolution {
    ensemble().solve(Tsit5, EnsembleSerial, &options()).unwrap()
}

type EnsembleSolution = odes::EnsembleSolution<lorenz, f64, 3, 3>;

/// Asserts that one of two devices is lost, with this text in its warning.
fn loses_one(fault: &str, test: &str, because: &str) {
    simulated(test, &[TWO, ("SIMULATED_FAULTS", fault)], || {
        // A device that starts too late has nothing to lose.
        let solve = |_| ensemble().solve(Tsit5, gpus(), &options()).unwrap();
        let solution = (0..100).map(solve).find(|solution| !solution.warnings().is_empty());
        let solution = solution.expect("a device was in time");
        assert_same_bits(&expected(), &solution);
        let [Warning::Lost { worker, error, .. }] = solution.warnings() else {
            panic!("{:?}", solution.warnings())
        };
        assert_eq!(worker, "cuda:1 Simulated 1");
        assert!(error.to_string().contains(because), "{error}");
        let shares = solution.shares();
        assert_eq!(shares.iter().map(|share| share.trajectories).sum::<usize>(), 20_000);
    });
}

#[needs(cpp)]
#[test]
fn a_device_is_lost_at_once() {
    let because = "cuLaunchKernel failed with 719";
    loses_one("1:cuLaunchKernel:1:719", "faults::a_device_is_lost_at_once", because);
}

#[needs(cpp)]
#[test]
fn a_device_is_lost_in_the_middle() {
    let because = "cuStreamSynchronize failed with 700";
    loses_one("1:cuStreamSynchronize:3:700", "faults::a_device_is_lost_in_the_middle", because);
}

#[needs(cpp)]
#[test]
fn a_device_is_too_full_for_a_context() {
    let because = "other programs fill the device, or a limit of this process (ulimit -v)";
    let fault = "1:cuDevicePrimaryCtxRetain:1+:2";
    loses_one(fault, "faults::a_device_is_too_full_for_a_context", because);
}

#[needs(cpp)]
#[test]
fn a_device_has_no_memory_at_all() {
    let fault = "1:cuMemAllocAsync:1+:2";
    // The device has more free memory than the request.
    let because = "a limit of this process (ulimit -v) may be too low";
    loses_one(fault, "faults::a_device_has_no_memory_at_all", because);
}

#[needs(cpp)]
#[test]
fn all_devices_are_lost() {
    let faults = [TWO, ("SIMULATED_FAULTS", "*:cuStreamSynchronize:2:719")];
    simulated("faults::all_devices_are_lost", &faults, || {
        let error = ensemble().solve(Tsit5, gpus(), &options()).unwrap_err();
        let SolveError::Backend(inner) = &error else { panic!("{error}") };
        assert!(inner.downcast_ref::<GpuError>().is_some_and(GpuError::is_fatal), "{error}");
        // Threads of the CPU solve the remaining trajectories.
        let beside = gpus().with_cpu_threads(2);
        let solution = ensemble().solve(Tsit5, beside, &options()).unwrap();
        assert_same_bits(&expected(), &solution);
        assert_eq!(solution.warnings().len(), 2);
        let Backend::Cpu { threads: 2, .. } = solution.backend() else {
            panic!("{}", solution.backend())
        };
    });
}

#[needs(cpp)]
#[test]
fn the_first_allocation_fails() {
    let fault = [("SIMULATED_FAULTS", "*:cuMemAllocAsync:1+:2")];
    simulated("faults::the_first_allocation_fails", &fault, || {
        let error = ensemble().solve(Tsit5, gpus(), &options()).unwrap_err();
        let SolveError::OutOfMemory { memory: Memory::Device { ordinal: 0, free }, .. } = error
        else {
            panic!("{error}")
        };
        assert!(free > 1 << 20);
        assert!(error.to_string().contains("ulimit -v"), "{error}");
    });
}

/// One allocation fails: memory that others hold is freed, and the allocation is repeated.
#[needs(cpp)]
#[test]
fn an_allocation_fails_once() {
    let fault = [("SIMULATED_FAULTS", "*:cuMemAllocAsync:7:2")];
    simulated("faults::an_allocation_fails_once", &fault, || {
        let solution = ensemble().solve(Tsit5, gpus(), &options()).unwrap();
        assert_same_bits(&expected(), &solution);
        assert!(solution.warnings().is_empty());
    });
}

/// Batches that do not fit in memory are halved.
#[needs(cpp)]
#[test]
fn memory_runs_out_in_the_middle() {
    let little = [("SIMULATED_MEMORY", "700000")];
    simulated("faults::memory_runs_out_in_the_middle", &little, || {
        let gpu = EnsembleGpuKernel::all().unwrap().batch(20_000);
        let solution = ensemble().solve(Tsit5, gpu, &options()).unwrap();
        assert_same_bits(&expected(), &solution);
        assert!(solution.warnings().is_empty());
        let chunks = solution.shares()[0].chunks;
        assert!((2..50).contains(&chunks), "{chunks}");
    });
}

/// A solve with a time limit keeps the bits of finished launches. The next solve has no limit.
#[needs(cpp)]
#[test]
fn launches_are_cancelled() {
    simulated("faults::launches_are_cancelled", &[TWO], || {
        let solve =
            |backend: &dyn EnsembleAlgorithm| ensemble().solve(Tsit5, backend, &options()).unwrap();
        let (expected, gpus) = (expected(), gpus());
        assert_same_bits(&expected, &solve(&gpus));
        let begin = Instant::now();
        assert_same_bits(&expected, &solve(&EnsembleWatched::new(&gpus)));
        let time = begin.elapsed();
        // Bisects the limit until some of the trajectories are solved.
        let (mut none, mut all) = (Duration::ZERO, time);
        let mut counts = Vec::new();
        while !counts.iter().any(|count| (1..20_000).contains(count)) {
            assert!(counts.len() < 40, "{counts:?}");
            let limit = if counts.is_empty() { none } else { (none + all) / 2 };
            let found = solve(&EnsembleWatched::new(&gpus).time_limit(limit));
            let is_solved = |i: &usize| found.code(*i) != ReturnCode::Cancelled;
            let numbers = |of: &EnsembleSolution, i: usize| {
                (of.final_state(i).map(f64::to_bits), of.accepted(i), of.code(i))
            };
            for i in (0..found.len()).filter(is_solved) {
                assert_eq!(numbers(&found, i), numbers(&expected, i), "{i}");
            }
            let count = (0..found.len()).filter(is_solved).count();
            let shares = found.shares().iter().map(|share| share.trajectories);
            assert_eq!(shares.sum::<usize>(), count);
            assert!(found.warnings().is_empty());
            *(if count == 0 { &mut none } else { &mut all }) = limit;
            counts.push(count);
        }
        assert_eq!(counts[0], 0);
        assert_same_bits(&expected, &solve(&gpus));
    });
}

/// A limit of the host is not reported as the device's failure.
#[needs(cpp)]
#[test]
fn the_host_locks_no_memory() {
    let fault = [("SIMULATED_FAULTS", "*:cuMemHostAlloc:1+:2")];
    simulated("faults::the_host_locks_no_memory", &fault, || {
        let error = ensemble().solve(Tsit5, gpus(), &options()).unwrap_err();
        let SolveError::OutOfMemory { memory: Memory::PageLocked, .. } = error else {
            panic!("{error}")
        };
        assert!(error.to_string().contains("page-locked memory"), "{error}");
    });
}

/// Many solves leave as much free memory as one.
#[needs(cpp)]
#[test]
fn solves_give_their_memory_back() {
    simulated("faults::solves_give_their_memory_back", &[TWO], || {
        let gpus = gpus();
        let ensemble = lorenz_sweep::<f64>(1000, 0.1);
        let solve = || drop(ensemble.solve(Tsit5, &gpus, &options()).unwrap());
        let free = || {
            let free = gpus.devices().iter().map(|device| device.memory_info().unwrap().free);
            (free.collect::<Vec<_>>(), pooled_bytes())
        };
        (0..3).for_each(|_| solve());
        let before = free();
        (0..200).for_each(|_| solve());
        assert_eq!(free().0, before.0);
        // There are as many blocks for copies as concurrent copies.
        assert!(free().1 <= 2 * before.1, "{} after {}", free().1, before.1);
    });
}

/// The first small solve creates a stream, memory and four events, and the next ones use them.
#[needs(cpp)]
#[test]
fn small_solves_create_nothing_again() {
    let faults = "0:cuStreamCreate:2+:1,0:cuMemAllocAsync:2+:2,0:cuEventCreate:5+:1";
    let test = "faults::small_solves_create_nothing_again";
    simulated(test, &[("SIMULATED_FAULTS", faults)], || {
        let ensemble = lorenz_sweep::<f64>(100, 0.1);
        let expected = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
        let gpu = EnsembleGpuKernel::all().unwrap();
        for _ in 0..5 {
            let solution = ensemble.solve(Tsit5, &gpu, &options()).unwrap();
            assert_same_bits(&expected, &solution);
        }
    });
}
