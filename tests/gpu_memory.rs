//! A solve on a GPU whose memory is nearly full. It is a program of its own, since no other test
//! may allocate memory meanwhile.
//!
//! Where there is no GPU it says so and passes; `ODES_REQUIRE_GPU=1` makes that a failure.

#[path = "support/gpu.rs"]
mod gpu;
#[path = "support/workloads.rs"]
mod workloads;

use gpu::gpu;
use ode_gpu::GpuError;
use odes::prelude::*;
use workloads::*;

#[test]
fn batches_shrink_until_they_fit() {
    let Some(gpu) = gpu() else { return };
    let device = &gpu.devices()[0];
    let options = SolveOptions::default().saveat(0.01);
    let ensemble = lorenz_sweep::<f64>(30_000, 10.0);
    // 0.7 GB of results; the first solve loads the kernel.
    let reference = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();

    // Takes all memory except some hundred megabytes.
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
    // Room for some batches, not for all.
    let room = taken.iter().position(|memory| memory.num_bytes() <= 1 << 28).unwrap();
    drop(taken.swap_remove(room));
    stream.synchronize().unwrap();
    eprintln!("{:?}", device.memory_info().unwrap());

    let solution = ensemble.solve(Tsit5, gpu.clone(), &options).unwrap();
    assert_same_bits(&reference, &solution);
    // A batch that is too large is made smaller.
    let solution = ensemble.solve(Tsit5, gpu.batch(30_000), &options).unwrap();
    assert_same_bits(&reference, &solution);
}
