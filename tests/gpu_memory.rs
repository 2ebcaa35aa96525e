//! The memory of a GPU: a solve with little free memory, and many solves without further
//! allocation.
//!
//! These tests are a program of their own, because no other test may allocate memory meanwhile.
//! Without a GPU they are ignored; with `ODES_REQUIRE_GPU=1` they fail.

#[path = "support/gpu.rs"]
mod gpu;
#[path = "support/workloads.rs"]
mod workloads;

use gpu::gpu;
use ode_gpu::{DeviceEnsemble, GpuError, pooled_bytes};
use odes::prelude::*;
use odes_skipped::needs;
use std::sync::Mutex;
use std::time::Instant;
use workloads::*;

/// A lock that each test holds while it runs.
static ALONE: Mutex<()> = Mutex::new(());

#[needs(gpu)]
#[test]
fn batches_shrink_until_they_fit() {
    let Some(gpu) = gpu() else { return };
    let _alone = ALONE.lock().unwrap();
    let device = &gpu.devices()[0];
    let options = SolveOptions::default().saveat(0.01);
    let ensemble = lorenz_sweep::<f64>(30_000, 10.0);
    // 0.7 GB of results; the first solve loads the kernel.
    let reference = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();

    // Takes all memory except a few hundred megabytes.
    let stream = device.new_stream().unwrap();
    device.trim_memory().unwrap();
    let mut taken = Vec::new();
    let mut size = usize::try_from(device.memory_info().unwrap().free).unwrap();
    while size >= 64 << 20 {
        match stream.allocate::<u8>(size) {
            Ok(memory) => taken.push(memory),
            Err(GpuError::OutOfMemory { .. }) => size /= 2,
            Err(error) => panic!("{error}"),
        }
    }
    taken.push(stream.allocate::<u8>(1).unwrap());
    // Frees enough for some batches, not for all.
    let room = taken.iter().position(|memory| memory.num_bytes() <= 1 << 28).unwrap();
    drop(taken.swap_remove(room));
    stream.synchronize().unwrap();
    eprintln!("{:?}", device.memory_info().unwrap());

    let solution = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
    assert_same_bits(&reference, &solution);
    // A batch that is too large is reduced.
    let solution = ensemble.solve(Tsit5, gpu.batch(30_000), &options).unwrap();
    assert_same_bits(&reference, &solution);
}

/// A thousand solves without an allocation, and the host's time for each.
#[needs(gpu)]
#[test]
fn a_resident_ensemble_takes_no_more_memory() {
    let Some(gpu) = gpu() else { return };
    let _alone = ALONE.lock().unwrap();
    let device = &gpu.devices()[0];
    let stream = device.new_stream().unwrap();
    let ensemble = lorenz_sweep::<f32>(1000, 0.01);
    let options = SolveOptions::default().fixed_step(0.01);
    let mut resident = DeviceEnsemble::new(&gpu, &stream, &ensemble, Tsit5, &options).unwrap();
    resident.solve().unwrap().wait().unwrap();
    let memory = || (device.memory_info().unwrap().free, pooled_bytes());
    let before = memory();
    let begin = Instant::now();
    for _ in 0..1000 {
        resident.solve().unwrap().wait().unwrap();
    }
    let each = begin.elapsed() / 1000;
    assert_eq!(memory(), before);
    let begin = Instant::now();
    for _ in 0..1000 {
        resident.solve().unwrap();
    }
    let queued = begin.elapsed() / 1000;
    stream.synchronize().unwrap();
    assert_eq!(memory(), before);
    println!("a solve of 1000 trajectories by one step: {each:?}, to queue it {queued:?}");
    let expected = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let ends = stream.raw().clone_dtoh(&resident.final_states()).unwrap();
    for (i, one) in expected.iter().enumerate() {
        assert_eq!(one.final_state(), [0, 1, 2].map(|d| ends[d * 1000 + i]));
    }
}
