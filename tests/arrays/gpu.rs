//! A lockstep solve on a GPU has the bits of the lockstep solve on the CPU.
//!
//! Without a GPU most of these tests are ignored; with `ODES_REQUIRE_GPU=1` they fail.

use crate::batches::{Sums, solve_into};
#[cfg(target_os = "linux")]
use crate::driver;
use crate::kernel::balls;
use crate::systems::{constrained, forced, hyperbola};
use crate::workloads::{assert_same_bits, lorenz, lorenz_sweep, many, sampled_lorenz};
#[cfg(target_os = "linux")]
use odes::arrays::ArrayGpu;
use odes::backend::{Backend, EnsembleAlgorithm, LockstepNorm, PreparedSolve, WorstMember};
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::{Method, Rk4, Rosenbrock23, TrBdf2, Tsit5Rodas4};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::Design;
use odes::system::System;
use odes::{Controller, EnsembleSolution, GpuError, GrowthGuard, Memory, Saving, Shard, Solver};
use odes_skipped::{Needed, needs};

/// Returns the GPU, or `None` with a message; with `ODES_REQUIRE_GPU=1` a missing GPU is a failure.
fn gpu() -> Option<EnsembleGpuArray> {
    EnsembleGpuArray::device(0).map_err(|error| Needed::Gpu.is_missing(error)).ok()
}

/// Compares the bits of both backends, with both norms.
fn same<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let Some(gpu) = gpu() else { return };
    for norm in [LockstepNorm::Greatest, LockstepNorm::Mean] {
        let expected = ensemble.solve(method, EnsembleCpuArray::new().norm(norm), options).unwrap();
        let found = ensemble.solve(method, gpu.clone().norm(norm), options).unwrap();
        let (name, n, times) = (M::PROPERTIES.name, found.len(), found.timings());
        let steps = expected.accepted(0) + expected.rejected(0);
        eprintln!("{name} {} {norm:?} {n}: {steps} steps, {times:?}", T::NAME);
        assert_same_bits(&expected, &found);
        assert_eq!(expected.worst_member(), found.worst_member());
        assert!(matches!(found.backend(), Backend::Gpu { devices } if devices.len() == 1));
        assert!(!times.solve.is_zero());
        assert!(times.compile + times.solve + times.transfer <= times.total);
    }
}

/// Members in one warp and in several, in one block and in several, in registers and in memory.
fn sizes<M: Method>(method: M) {
    fn of<T: Scalar>(method: impl Method) {
        let options = SolveOptions::default().tolerance(1e-4).saveat(0.25);
        for n in [1, 2, 31, 32, 33, 1000] {
            same(method, &lorenz_sweep::<T>(n, 1.0), &options);
        }
        for n in [10_000, 100_000] {
            same(method, &lorenz_sweep::<T>(many(n), 0.5), &options);
        }
    }
    of::<f32>(method);
    of::<f64>(method);
}

#[needs(gpu)]
#[test]
fn sizes_by_tsit5() {
    sizes(Tsit5);
}

#[needs(gpu)]
#[test]
fn sizes_by_rosenbrock23() {
    sizes(Rosenbrock23);
}

#[needs(gpu)]
#[test]
fn sizes_by_rodas5p() {
    sizes(Rodas5P);
}

#[needs(gpu)]
#[test]
fn sizes_by_tr_bdf2() {
    sizes(TrBdf2);
}

/// More members than any device has threads, with sums over several tiles of a block.
#[needs(gpu)]
#[test]
fn very_many_columns() {
    let options = SolveOptions::default().tolerance(1e-3);
    same(Tsit5, &lorenz_sweep::<f32>(many(1_000_003), 0.3), &options);
    same(Rodas5P, &lorenz_sweep::<f64>(many(300_000), 0.3), &options);
}

/// Saved states that are copied while the kernel runs. The memory is page-locked at its second use.
#[needs(gpu)]
#[test]
fn copies_beside_the_kernel() {
    let Some(gpu) = gpu() else { return };
    // 36 MB.
    let (ensemble, adaptive) =
        (lorenz_sweep::<f32>(30_000, 1.0), SolveOptions::default().saveat(0.01));
    for options in [adaptive.clone(), adaptive.fixed_step(0.01)] {
        let expected = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
        for _ in 0..3 {
            assert_same_bits(&expected, &ensemble.solve(Tsit5, &gpu, &options).unwrap());
        }
    }
}

/// Sizes that a simulated device with 512 threads holds in registers, and larger sizes.
#[needs(gpu)]
#[test]
fn few_threads() {
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.25);
    for n in [1, 33, 100, 600] {
        same(Tsit5, &lorenz_sweep::<f32>(n, 0.5), &options);
    }
    same(TrBdf2, &oscillators::<f64>(300), &options);
}

/// Returns an ensemble of oscillators with a force, an observable and a wall.
fn oscillators<T: Scalar>(
    n: usize,
) -> EnsembleProblem<forced::Model, T, impl Vary<forced::Model, T, 2, 2>, 2, 2> {
    let problem = OdeProblem::new(forced, [1.0, 0.5], 0.0..=4.0, [4.0, 0.3]);
    let p = move |i: usize| [4.0 + 10.0 * i as f64 / n as f64, 0.3];
    EnsembleProblem::new(problem).trajectories(n).vary(move |q, i| q.with_p(p(i))).cast()
}

/// All options, by a method of each kind, in registers and in memory.
fn all_options<M: Method, T: Scalar>(method: M) {
    let adaptive = SolveOptions::default().tolerance(1e-5);
    for options in [
        adaptive.clone().saveat(0.25).saving(Saving::Both),
        adaptive.clone().saveat(0.25).save_only([2, 1]),
        adaptive.clone().saveat(SaveAt::Steps).tstops([1.5, 2.0]),
        adaptive.clone().saveat([0.0, 0.1, 1.5, 4.0]).tstops([1.5]).first_step(0.01).dtmax(0.2),
        adaptive.clone().max_steps(7).saveat(0.1),
        adaptive.controller(Controller::i()),
        SolveOptions::default().fixed_step(0.03).saveat(0.1),
        SolveOptions::default().fixed_step(0.03).saveat(SaveAt::Steps).tstops([1.5]),
    ] {
        same(method, &oscillators::<T>(500), &options);
        same(method, &oscillators::<T>(many(200_000)), &options);
    }
}

#[needs(gpu)]
#[test]
fn options_of_explicit_methods() {
    all_options::<_, f32>(Tsit5);
    all_options::<_, f64>(Tsit5);
}

#[needs(gpu)]
#[test]
fn options_of_rosenbrock_methods() {
    all_options::<_, f64>(Rodas5P);
}

#[needs(gpu)]
#[test]
fn options_of_esdirk_methods() {
    all_options::<_, f32>(TrBdf2);
}

/// Growth that triggers the guard in one member, and algebraic unknowns.
#[needs(gpu)]
#[test]
fn growth_and_constraints() {
    let problem = OdeProblem::new(constrained, [1e-12, 1e-12, 0.5], 0.0..=100.0, [1.0]);
    for n in [40, many(200_000)] {
        let seeds = EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(move |problem, i| problem.with_p([1.0 + 0.3 * i as f64 / n as f64]));
        for guard in [GrowthGuard::Reject, GrowthGuard::Report, GrowthGuard::Off] {
            let options = SolveOptions::default().tolerance(1e-5).growth_guard(guard);
            same(Rodas5P, &seeds, &options);
        }
        same(TrBdf2, &seeds, &SolveOptions::default().tolerance(1e-4).saveat(10.0));
    }
}

/// Dropped members: one that cannot begin, and some that end within the span.
fn left_behind(n: usize) {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n).vary(|problem, i| {
        problem.with_p([match i {
            3 => 2.0,
            41 => f64::NAN,
            64 => 0.8,
            599 => 1.1,
            _ => 0.2,
        }])
    });
    let options = SolveOptions::default().tolerance(1e-6).saveat(0.25);
    same(Tsit5, &ensemble, &options);
    let Some(gpu) = gpu() else { return };
    let found = ensemble.solve(Tsit5, gpu, &options).unwrap();
    let failed = (0..n).filter(|&i| !found.code(i).is_success());
    assert!(failed.eq([3, 41, 64, 599].into_iter().filter(|&i| i < n)));
}

#[needs(gpu)]
#[test]
fn failures_of_few() {
    left_behind(70);
    // All members fail.
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [-1.0]);
    let nothing =
        EnsembleProblem::new(problem).trajectories(3).vary(|problem, _| problem.with_p([f64::NAN]));
    same(Tsit5, &nothing, &SolveOptions::default());
}

#[needs(gpu)]
#[test]
fn failures_of_many() {
    left_behind(600);
    left_behind(many(200_000));
}

/// Events of all kinds, in registers and in memory.
#[needs(gpu)]
#[test]
fn events() {
    let options = SolveOptions::default().tolerance(1e-5).saving(Saving::Both).saveat(0.25);
    let options = options.event_log(EventLog::new(5).with_states());
    for n in [1, 70, 600] {
        same(Tsit5, &balls::<f64>(n), &options);
    }
    same(Tsit5, &balls::<f32>(100), &options);
    let fixed = SolveOptions::default().fixed_step(0.125).saveat(0.25);
    same(Rodas5P, &balls::<f64>(100), &fixed);
}

/// Sampled inputs are equal, and components have their own tolerances.
#[needs(gpu)]
#[test]
fn samples_and_tolerances() {
    let options = SolveOptions::default().reltol(1e-5).abstol([1e-6, 1e-4, 1e-5]);
    same(Tsit5, &sampled_lorenz::<f64>(200, Design::Random), &options);
    same(Tsit5, &sampled_lorenz::<f32>(many(100_000), Design::LatinHypercube), &options);
}

/// Each block of a sink is a lockstep solve of its own, and so is each shard.
///
/// A sink that stops the solve receives no further block.
#[needs(gpu)]
#[test]
fn batches_and_shards() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.5);
    let ensemble = lorenz_sweep::<f32>(300, 0.5);
    let inputs = PreparedSolve::new(&ensemble, &options, &Tsit5::PROPERTIES).unwrap();
    for batch in [70, 150, 300] {
        let mut sums = [Sums::by(batch), Sums::by(batch)];
        let [expected, found] = &mut sums;
        let cpu = solve_arrays(&EnsembleCpuArray, &inputs, expected);
        let gpu = solve_arrays(&gpu, &inputs, found);
        assert_eq!(expected.sums, found.sums);
        assert_eq!(cpu, gpu);
    }
    let mut sums = Sums { enough: 3, ..Sums::by(70) };
    solve_into((lorenz, Tsit5), &gpu, &inputs, &mut sums).unwrap();
    assert_eq!(sums.sums.len(), 3);
    let shard = ensemble.clone().shard(Shard::new(1, 3));
    same(Tsit5, &shard, &options);
    let empty = lorenz_sweep::<f64>(2, 1.0).shard(Shard::new(3, 5));
    assert!(empty.solve(Tsit5, gpu, &options).unwrap().is_empty());
}

/// Solves into a sink with the lockstep backend; returns the worst member.
fn solve_arrays<A: EnsembleAlgorithm>(
    place: &A,
    inputs: &PreparedSolve<f32>,
    sink: &mut Sums,
) -> Option<WorstMember> {
    let PreparedSolve { options: settings, inputs: columns } = inputs;
    let report = Solver::integrate::<f32, lorenz, A::Compiled, 3, 3>(
        &Tsit5, lorenz, place, settings, columns, sink,
    );
    report.unwrap().worst_member
}

/// One backend solves in several threads concurrently, also as a `dyn`.
#[needs(gpu)]
#[test]
fn from_several_threads() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.5);
    let solve = |n: usize| lorenz_sweep::<f32>(n, 1.0).solve(Tsit5, &gpu, &options).unwrap();
    std::thread::scope(|scope| {
        let running = [100, 200, 100, 300].map(|n| (n, scope.spawn(move || solve(n))));
        for (n, thread) in running {
            assert_same_bits(&solve(n), &thread.join().unwrap());
        }
    });
    let boxed: Box<dyn EnsembleAlgorithm> = Box::new(gpu.clone());
    let boxed = lorenz_sweep::<f32>(100, 1.0).solve(Tsit5, boxed, &options).unwrap();
    assert_same_bits(&solve(100), &boxed);
}

/// A problem that lockstep cannot solve is the same error as on the CPU.
#[needs(gpu)]
#[test]
fn what_is_no_array() {
    let Some(gpu) = gpu() else { return };
    type Solved = Result<EnsembleSolution<hyperbola, f64, 1, 1>, SolveError>;
    let same = |cpu: Solved, gpu: Solved| {
        let [cpu, gpu] = [cpu, gpu].map(|solved| solved.unwrap_err().to_string());
        assert_eq!(cpu, gpu);
        cpu
    };
    let options = SolveOptions::default();
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(10);
    let cpu = EnsembleCpuArray;
    let text = same(
        ensemble.solve(Tsit5Rodas4, &cpu, &options),
        ensemble.solve(Tsit5Rodas4, &gpu, &options),
    );
    assert!(text.contains("no lockstep solve by Tsit5Rodas4"), "{text}");
    same(ensemble.solve(Auto, &cpu, &options), ensemble.solve(Auto, &gpu, &options));
    same(ensemble.solve(Rk4, &cpu, &options), ensemble.solve(Rk4, &gpu, &options));
    let spans = EnsembleProblem::new(problem)
        .trajectories(10)
        .vary(|problem, i| OdeProblem::new(hyperbola, problem.u0, 0.0..=1.0 + i as f64, problem.p));
    same(spans.solve(Tsit5, &cpu, &options), spans.solve(Tsit5, &gpu, &options));
    let none = EnsembleProblem::new(problem).trajectories(0);
    same(none.solve(Tsit5, &cpu, &options), none.solve(Tsit5, &gpu, &options));
    let other = GpuError::NoSuchDevice { ordinal: 99, count: 0 }.to_string();
    let found = EnsembleGpuArray::device(99).unwrap_err().to_string();
    assert_eq!(found.split(':').next(), other.split(':').next());
}

/// Without a GPU its driver is simulated: the tests then cover everything except CUDA itself.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn on_simulated_devices() {
    let tests = ["few_threads", "of_few", "gpu::batches", "gpu::what", "gpu::events"];
    driver::run(&tests, &[]);
}

/// A device without cooperative launches returns an error for lockstep solves.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn a_device_is_not_cooperative() {
    let test = "gpu::a_device_is_not_cooperative";
    driver::simulated(test, &[("SIMULATED_COOPERATIVE", "0")], || {
        let error = EnsembleGpuArray::device(0).unwrap_err();
        assert!(matches!(error, GpuError::NotCooperative { device: 0 }), "{error}");
        assert!(error.to_string().contains("EnsembleGpuKernel"), "{error}");
    });
}

/// All GPU backends choose the device of a shard by one rule.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn the_device_of_a_shard() {
    let two = [("SIMULATED_DEVICES", "2")];
    driver::simulated("gpu::the_device_of_a_shard", &two, || {
        let shard = |rank, size, local_rank| Shard { local_rank, ..Shard::new(rank, size) };
        for (shard, expected) in [
            (shard(0, 4, None), 0),
            (shard(3, 4, None), 1),
            (shard(3, 4, Some(2)), 0),
            (shard(0, 1, Some(1)), 1),
        ] {
            let kernel = EnsembleGpuKernel::for_shard(&shard).unwrap();
            let array = EnsembleGpuArray::for_shard(&shard).unwrap();
            let large = ArrayGpu::for_shard(&shard).unwrap();
            for devices in [kernel.devices(), array.devices(), large.devices()] {
                assert_eq!(devices.len(), 1, "{shard}");
                assert_eq!(devices[0].ordinal(), expected, "{shard}");
            }
        }
        // Without a local rank, a single shard has all devices, or the first one.
        let whole = Shard::new(0, 1);
        assert_eq!(EnsembleGpuKernel::for_shard(&whole).unwrap().devices().len(), 2);
        assert_eq!(EnsembleGpuArray::for_shard(&whole).unwrap().devices()[0].ordinal(), 0);
        assert_eq!(ArrayGpu::for_shard(&whole).unwrap().devices()[0].ordinal(), 0);
    });
}

/// A failed launch is an error that names the call.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn a_launch_fails() {
    let fault = [("SIMULATED_FAULTS", "*:cuLaunchCooperativeKernel:2:719")];
    driver::simulated("gpu::a_launch_fails", &fault, || {
        let (gpu, options) = (EnsembleGpuArray::device(0).unwrap(), SolveOptions::default());
        let solve = || lorenz_sweep::<f32>(100, 0.1).solve(Tsit5, &gpu, &options);
        assert!(solve().is_ok());
        let error = solve().unwrap_err().to_string();
        assert!(error.contains("cuLaunchCooperativeKernel failed with 719"), "{error}");
    });
}

/// A lockstep ensemble is not divided if memory is too small.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn memory_does_not_suffice() {
    let little = [("SIMULATED_MEMORY", "60000")];
    driver::simulated("gpu::memory_does_not_suffice", &little, || {
        let (gpu, options) = (EnsembleGpuArray::device(0).unwrap(), SolveOptions::default());
        let solve = |n| lorenz_sweep::<f64>(n, 0.1).solve(Tsit5, &gpu, &options);
        assert!(solve(100).is_ok());
        let error = solve(600).unwrap_err();
        let SolveError::OutOfMemory { memory: Memory::Device { ordinal: 0, .. }, .. } = error
        else {
            panic!("{error}")
        };
        assert!(solve(100).is_ok());
    });
}
