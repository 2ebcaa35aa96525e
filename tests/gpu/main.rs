//! A GPU gives the bits of the CPU's scalar reference, however the ensemble is divided and
//! scheduled.
//!
//! Without a GPU most of these tests are ignored; with `ODES_REQUIRE_GPU=1` they fail. With
//! `ODES_OPENCL=all` most also run on an OpenCL runtime for CPUs.

#[path = "../support/batches.rs"]
mod batches;
#[path = "../support/cpp.rs"]
mod cpp;
#[cfg(target_os = "linux")]
#[path = "../support/driver.rs"]
mod driver;
#[cfg(target_os = "linux")]
mod faults;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/observed.rs"]
mod observed;
#[path = "../support/opencl.rs"]
mod opencl;
mod reductions;
mod resident;
#[path = "../systems/mod.rs"]
mod systems;
#[path = "../support/workloads.rs"]
mod workloads;

use batches::Sums;
use gpu::gpu;
use observed::{observed_sweep, ways_to_save};
use odes::backend::{Backend, Functions, PreparedSolve, Schedule};
use odes::lane::Scalar;
use odes::methods::{Bs3, Dop853, Kvaerno5, Method, Rodas4, Vern9};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Design, Scrambling};
use odes::system::System;
use odes::{SolveError, Vern7};
use odes_skipped::needs;
use opencl::OpenCl;
use workloads::*;

/// Compares with the bits of [`EnsembleSerial`], in one launch and in many, with and without
/// refill.
fn same_bits<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let (gpu, opencl) = (gpu(), OpenCl::for_all());
    if gpu.is_none() && opencl.is_none() {
        return;
    }
    let reference = ensemble.solve(method, EnsembleSerial, options).unwrap();
    if let Some(opencl) = opencl {
        for refill in [false, true] {
            let place = opencl.refill(refill);
            assert_same_bits(&reference, &ensemble.solve(method, place, options).unwrap());
        }
    }
    let Some(gpu) = gpu else { return };
    let batches = [None, Some(1013), Some(4096)];
    for schedule in [Schedule::Auto, Schedule::Static, Schedule::Refill] {
        for batch in batches {
            let place = gpu.clone().schedule(schedule);
            let place = match batch {
                Some(batch) => place.batch(batch),
                None => place,
            };
            let solution = ensemble.solve(method, place, options).unwrap();
            let Backend::Gpu { devices } = solution.backend() else { panic!("another place") };
            assert!((1..=gpu.devices().len()).contains(&devices.len()), "{devices:?}");
            let times = solution.timings();
            eprintln!(
                "{}, {schedule:?}, batch {batch:?}: {times:?}",
                ensemble.system().info().name
            );
            assert_same_bits(&reference, &solution);
            assert!(!times.solve.is_zero());
            assert!(times.compile + times.solve + times.transfer <= times.total);
        }
    }
}

/// Without a GPU its driver is simulated: the tests then cover everything except CUDA itself.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn on_simulated_devices() {
    let tests =
        ["resident::", "draws", "everything_varies", "few_trajectories", "batches", "small"];
    driver::run(&[&tests[..], &["reductions::"]].concat(), &[]);
    let of_two = [&tests[..], &["statistics_of_saved_states"]].concat();
    driver::run(&of_two, &[("SIMULATED_DEVICES", "2")]);
}

/// Solves by only three steps: the system has no meaning, and its solutions soon grow.
#[test]
fn every_function() {
    use systems::functions::{P, U, functions};
    let problem = OdeProblem::new(functions, U, 0.0..=0.003, P);
    let ensemble = EnsembleProblem::new(problem).trajectories(1000).vary(|problem, i| {
        let near = 1.0 + 1e-4 * i as f64;
        OdeProblem::new(functions, U.map(|x| x * near), 0.0..=0.003, problem.p)
    });
    let options = SolveOptions::default().fixed_step(0.001);
    let reference = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert!(reference.codes().all(ReturnCode::is_success));
    if let Some(gpu) = gpu() {
        assert_same_bits(&reference, &ensemble.solve(Tsit5, gpu, &options).unwrap());
    }
}

/// Right-hand sides with tables and remainders.
#[needs(gpu_or_opencl)]
#[test]
fn tables() {
    use systems::{remainders, tables};
    let near = |i: usize| 1.0 + 1e-4 * i as f64;
    let options = SolveOptions::default().fixed_step(0.01);
    let problem = OdeProblem::new(tables::tables, tables::U, 0.0..=1.0, tables::P);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3000)
        .vary(move |q, i| q.with_u0(tables::U.map(|x| x * near(i))));
    same_bits(Tsit5, &ensemble, &options);
    let narrow = |x: f64| x as f32;
    let problem = OdeProblem::new(tables::tables, tables::U, 0.0..=1.0, tables::P).cast::<f32>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3000)
        .vary(move |q, i| q.with_u0(tables::U.map(|x| narrow(x * near(i)))));
    same_bits(Tsit5, &ensemble, &options);
    let problem = OdeProblem::new(remainders::remainders, remainders::U, 0.0..=1.0, remainders::P);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3000)
        .vary(move |q, i| q.with_u0(remainders::U.map(|x| x * near(i))));
    same_bits(Tsit5, &ensemble, &options);
}

#[needs(gpu)]
#[test]
fn library_functions_are_close() {
    let Some(gpu) = gpu() else { return };
    let ensemble = transcendental_sweep::<f64>(1000);
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9);
    let ours = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
    let theirs = ensemble.solve(Tsit5, gpu.functions(Functions::Library), &options).unwrap();
    let mut differences = 0;
    for i in 0..1000 {
        for (a, b) in
            ours.trajectory(i).final_state().iter().zip(theirs.trajectory(i).final_state())
        {
            assert!((a - b).abs() < 1e-6, "trajectory {i}: {a} and {b}");
            differences += usize::from(a.to_bits() != b.to_bits());
        }
    }
    // Equal bits would mean that the option has no effect.
    assert!(differences > 0);
}

#[needs(gpu_or_opencl)]
#[test]
fn lorenz_adaptive() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0);
    same_bits(Tsit5, &lorenz_sweep::<f64>(10_000, 10.0), &options);
    same_bits(Tsit5, &lorenz_sweep::<f32>(10_000, 10.0), &options);
}

#[needs(gpu_or_opencl)]
#[test]
fn other_methods() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(0.5);
    same_bits(Bs3, &lorenz_sweep::<f32>(5000, 5.0), &options);
    same_bits(Vern7, &lorenz_sweep::<f32>(5000, 5.0), &options);
    same_bits(Vern7, &lorenz_sweep::<f64>(5000, 5.0), &options);
    same_bits(Dop853, &lorenz_sweep::<f64>(5000, 5.0), &options);
    same_bits(Vern9, &lorenz_sweep::<f64>(5000, 5.0), &options);
}

#[needs(gpu_or_opencl)]
#[test]
fn lorenz_adaptive_final_states() {
    let options = SolveOptions::default();
    same_bits(Tsit5, &lorenz_sweep::<f64>(10_000, 30.0), &options);
    same_bits(Tsit5, &lorenz_sweep::<f32>(10_000, 30.0), &options);
}

#[needs(gpu_or_opencl)]
#[test]
fn lorenz_fixed() {
    let options = SolveOptions::default().fixed_step(0.01);
    for options in [options.clone(), options.saveat(0.25)] {
        same_bits(Tsit5, &lorenz_sweep::<f64>(10_000, 3.0), &options);
        same_bits(Tsit5, &lorenz_sweep::<f32>(10_000, 3.0), &options);
    }
}

#[needs(gpu_or_opencl)]
#[test]
fn van_der_pol_in_mixed_order() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    same_bits(Tsit5, &van_der_pol_sweep::<f64>(10_000), &options);
    same_bits(Tsit5, &van_der_pol_sweep::<f32>(10_000), &options);
}

#[needs(gpu_or_opencl)]
#[test]
fn elementary_functions() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(0.5);
    same_bits(Tsit5, &transcendental_sweep::<f64>(10_000), &options);
    same_bits(Tsit5, &transcendental_sweep::<f32>(10_000), &options);
}

/// Ensembles of one trajectory, of less than a block, and of one more than a block.
#[needs(gpu_or_opencl)]
#[test]
fn few_trajectories() {
    let options = SolveOptions::default().saveat([0.5, 2.0]);
    for n in [1, 2, 63, 64, 65] {
        same_bits(Tsit5, &lorenz_sweep::<f64>(n, 5.0), &options);
    }
}

/// A sink that takes blocks receives the data of a sink that takes all at once, for all batches.
///
/// A sink that stops the solve receives no further block.
#[needs(gpu)]
#[test]
fn batches_are_parts_of_the_whole() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0);
    let ensemble = lorenz_sweep::<f32>(10_500, 10.0);
    let mut inputs = PreparedSolve::new(&ensemble, &options, &Tsit5::PROPERTIES).unwrap();
    inputs.inputs.first = (1 << 40) + 3;
    let whole = batches::collected((lorenz, Tsit5), &EnsembleThreads, &inputs);
    let places = [gpu.clone(), gpu.clone().batch(300), gpu.clone().batch(1001)];
    for place in &places {
        batches::same_in_batches((lorenz, Tsit5), place, &inputs, &whole);
        let mut sums = Sums { enough: 3, ..Sums::by(1000) };
        batches::solve_into((lorenz, Tsit5), place, &inputs, &mut sums).unwrap();
        assert_eq!(sums.sums.len(), 3);
    }
}

/// More trajectories than a device has threads, so that each thread solves several.
#[needs(gpu)]
#[test]
fn many_trajectories() {
    let Some(gpu) = gpu() else { return };
    let ensemble = lorenz_sweep::<f32>(1_000_000, 1.0);
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let cpu = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let whole = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
    assert_same_bits(&cpu, &whole);
    let batches = ensemble.solve(Tsit5, gpu.batch(300_000), &options).unwrap();
    assert_same_bits(&cpu, &batches);
}

/// Kernels draw sampled inputs themselves, and the solution contains the drawn values.
#[needs(gpu_or_opencl)]
#[test]
fn draws() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let sobol = [Scrambling::None, Scrambling::Owen].map(Design::Sobol);
    for design in [[Design::Random, Design::LatinHypercube], sobol].concat() {
        same_bits(Tsit5, &sampled_lorenz::<f64>(many(10_000), design), &options);
        same_bits(Tsit5, &sampled_lorenz::<f32>(many(10_000), design), &options);
    }
}

/// More trajectories than a device has threads, and a shard of them with threads of the CPU.
#[needs(gpu)]
#[test]
fn many_samples() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let ensemble = sampled_lorenz::<f32>(300_000, Design::Random);
    let whole = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
    let cpu = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
    assert_same_bits(&cpu, &whole);
    assert!(cpu.iter().zip(&whole).all(|(a, b)| (a.u0(), a.p()) == (b.u0(), b.p())));
    let shard = ensemble.shard((2, 3)).solve(Tsit5, gpu.with_cpu_threads(2), &options).unwrap();
    let of_whole = cpu.iter().skip(200_000);
    assert_eq!(shard.len(), 100_000);
    assert!(shard.iter().zip(of_whole).all(|(a, b)| a.final_state() == b.final_state()));
}

/// Small results take one launch per device, and few trajectories take one launch.
#[needs(gpu)]
#[test]
fn small_results_are_not_cut() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().fixed_step(0.1);
    for n in [100, 5000] {
        let ensemble = lorenz_sweep::<f32>(n, 1.0);
        let solution = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
        let chunks: usize = solution.shares().iter().map(|share| share.chunks).sum();
        let most = if n == 100 { 1 } else { gpu.devices().len() };
        assert!((1..=most).contains(&chunks), "{chunks} of {n}");
        assert_same_bits(&ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap(), &solution);
    }
}

/// Each trajectory has its own initial state, parameters and time span, and hence saved times.
///
/// Some run backwards, some have an empty span, and some fail.
#[needs(gpu_or_opencl)]
#[test]
fn everything_varies() {
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(3000).vary(|q, i| {
        let x = i as f64 / 3000.0;
        let q = q.with_u0([1.0 + x, x, -x]).with_p([10.0, 28.0 * x, 8.0 / 3.0]);
        match i % 10 {
            3 => q.with_u0([f64::NAN, 0.0, 0.0]),
            5 => q.with_tspan(1.0..=0.5 * x),
            7 => q.with_tspan(x..=x),
            9 => q.with_u0([1e200, 1e200, 1.0]),
            _ => q.with_tspan(-x..=10.0 * x),
        }
    });
    same_bits(Tsit5, &ensemble, &SolveOptions::default().saveat(0.5));
    same_bits(Tsit5, &ensemble, &SolveOptions::default().max_steps(40));
}

/// Trajectories that end early keep their state while their lanes wait for others.
#[needs(gpu_or_opencl)]
#[test]
fn trajectories_that_are_given_up() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).max_steps(300);
    same_bits(Tsit5, &lorenz_sweep::<f64>(10_000, 10.0), &options);
    same_bits(Tsit5, &lorenz_sweep::<f32>(10_000, 10.0), &options.dtmin(1e-2));
}

/// A right-hand side that is NaN beyond one, so that steps that reach one are repeated.
///
/// The sign of a NaN differs on a GPU, and nothing may depend on it.
#[ode_system]
fn branch(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    let rest = (1.0 - u[0] * u[0]).sqrt();
    [p[0] * rest, p[1] - rest * u[1]]
}

#[needs(gpu_or_opencl)]
#[test]
fn steps_that_are_not_numbers() {
    let problem = OdeProblem::new(branch, [0.0, 1.0], 0.0..=1.4, [1.0, 0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(5000).vary(|problem, i| {
        let x = i as f64 / 5000.0;
        problem.with_p([0.3 + 0.7 * x, 0.5 - x])
    });
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).first_step(1.4);
    same_bits(Rodas4, &ensemble, &options);
    same_bits(Vern7, &ensemble, &options);
    same_bits(Kvaerno5, &ensemble, &options);
}

#[needs(gpu_or_opencl)]
#[test]
fn observables() {
    for options in ways_to_save() {
        same_bits(Tsit5, &observed_sweep::<f64>(5000, 3.0), &options);
        same_bits(Tsit5, &observed_sweep::<f32>(5000, 3.0), &options);
    }
    for chosen in [vec![4, 2, 0], vec![5], vec![1]] {
        let options = SolveOptions::default().tolerance(1e-6).saveat(0.3).save_only(chosen);
        same_bits(Tsit5, &observed_sweep::<f64>(5000, 3.0), &options);
        same_bits(Tsit5, &observed_sweep::<f32>(5000, 3.0), &options.saveat(SaveAt::Steps));
    }
}

/// Invalid options are the same errors as on the CPU.
#[needs(gpu)]
#[test]
fn malformed_questions() {
    let Some(gpu) = gpu() else { return };
    let ensemble = lorenz_sweep::<f64>(10, 1.0);
    let options = SolveOptions::default().abstol(-1.0).reltol(-1.0);
    let cpu = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap_err();
    let here = ensemble.solve(Tsit5, gpu, &options).unwrap_err();
    assert_eq!(cpu.to_string(), here.to_string());
}

/// Several threads solve concurrently on one device.
#[needs(gpu)]
#[test]
fn concurrent_solves() {
    let Some(gpu) = gpu() else { return };
    let options = SolveOptions::default().saveat(1.0);
    let ensemble = lorenz_sweep::<f64>(5000, 10.0);
    let reference = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    std::thread::scope(|scope| {
        for batch in [700, 5000, 1300, 2500] {
            let (gpu, ensemble, options) = (gpu.clone().batch(batch), &ensemble, &options);
            let reference = &reference;
            scope.spawn(move || {
                for _ in 0..3 {
                    let solution = ensemble.solve(Tsit5, gpu.clone(), options).unwrap();
                    assert_same_bits(reference, &solution);
                }
            });
        }
    });
}

/// Results larger than any memory are an error, not a crash.
#[needs(gpu)]
#[test]
fn results_larger_than_memory() {
    let Some(gpu) = gpu() else { return };
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(10_000_000);
    let options = SolveOptions::default().saveat(1e-5);
    let error = ensemble.solve(Tsit5, gpu, &options).unwrap_err();
    assert!(matches!(error, SolveError::OutOfMemory { .. }), "{error}");
}
