//! Ensembles on all devices of one or many machines: one process in all, or one for each device.
//!
//! ```text
//! cargo run --release -p odes-examples --example multi_gpu          # 1, 2, ... all devices of this machine
//! scripts/multi_gpu.sh 4                           # four processes, here
//! srun cargo run --release -p odes-examples --example multi_gpu     # as many processes as Slurm starts
//! ```
//!
//! The example solves 100,000 Lorenz trajectories in batches of 50,000, and 40,000 in batches of
//! 10,000, saved at every unit of time.
//!
//! A single process solves them on 1, 2, ... all GPUs, and then on all GPUs together with CPU
//! threads. Without a GPU it uses 1, 2, ... all threads. If there are several processes, each
//! solves its shard on the GPU of its local rank.
//!
//! Each line ends with the sum of the bits of all final states. The sum is the same for all
//! devices, and the sums of the shards add up to it.

use std::error::Error;
use std::thread::available_parallelism;
use std::time::Instant;

use odes::Shard;
use odes::backend::EnsembleAlgorithm;
use odes::prelude::*;

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

/// A backend, with its name.
type Place = (String, Box<dyn EnsembleAlgorithm>);

/// The backends of a process, which solve batches of `batch` trajectories.
fn places(shard: Shard, batch: usize) -> Result<Vec<Place>, Box<dyn Error>> {
    let cores = available_parallelism()?.get();
    if let Ok(all) = EnsembleGpuKernel::all() {
        if shard.size > 1 {
            let gpu = EnsembleGpuKernel::for_shard(&shard)?;
            return Ok(vec![(gpu.devices()[0].to_string(), Box::new(gpu.batch(batch)))]);
        }
        let mut places: Vec<Place> = Vec::new();
        for count in 1..=all.devices().len() {
            let gpus = EnsembleGpuKernel::with_devices(0..count)?.batch(batch);
            places.push((format!("{count} x {}", gpus.devices()[0].name()), Box::new(gpus)));
        }
        let beside = cores.saturating_sub(all.devices().len()).max(1);
        let both = all.batch(batch).with_cpu_threads(beside);
        places.push((format!("all GPUs and {beside} threads"), Box::new(both)));
        return Ok(places);
    }
    let threads = |n: usize| -> Place {
        (format!("{n} threads"), Box::new(EnsembleThreads.threads(n).batch(batch)))
    };
    if shard.size > 1 {
        // Processes share the cores as their launcher allows.
        return Ok(vec![threads(cores)]);
    }
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < cores);
    Ok(doubled.chain([cores]).map(threads).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let shard = Shard::from_launcher()?;
    let options = SolveOptions::default().saveat(1.0);
    for (trajectories, batch) in [(100_000, 50_000), (40_000, 10_000)] {
        let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(trajectories)
            .vary(move |mut problem, i| {
                problem.p[1] = 28.0 * (i + 1) as f64 / trajectories as f64;
                problem
            })
            .shard(shard);
        let mut one = None;
        for (name, place) in places(shard, batch)? {
            // The first solve starts threads, or compiles a kernel.
            ensemble.solve(Tsit5, &place, &options)?;
            let begin = Instant::now();
            let solution = ensemble.solve(Tsit5, &place, &options)?;
            let seconds = begin.elapsed().as_secs_f64();
            let failed = (0..solution.len()).filter(|&i| !solution.code(i).is_success()).count();
            let one = *one.get_or_insert(seconds);
            let bits = solution.iter().flat_map(|one| one.final_state()).map(f64::to_bits);
            println!(
                "{shard}; {trajectories} in batches of {batch}; {name}; {:?}; {failed} failed; \
                 {:.1} ms; {:.0} trajectories/s; {:.2} times the first; sum {:016x}",
                solution.numbers(),
                1e3 * seconds,
                solution.len() as f64 / seconds,
                one / seconds,
                bits.fold(0, u64::wrapping_add),
            );
            for share in solution.shares() {
                println!("    {}: {} in {} chunks", share.worker, share.trajectories, share.chunks);
            }
            for warning in solution.warnings() {
                eprintln!("{warning}");
            }
        }
    }
    Ok(())
}
