//! Ensembles on all devices of one or many machines: one process in all, or one for each device.
//!
//! ```text
//! cargo run --release -p odes-examples --example multi_gpu          # 1, 2, ... all devices of this machine
//! scripts/multi_gpu.sh 4                           # four processes, here
//! srun cargo run --release -p odes-examples --example multi_gpu     # as many processes as Slurm starts
//! ```
//!
//! A single process solves on 1, 2, ... all GPUs, and then on all GPUs together with CPU threads.
//! Without a GPU it uses 1, 2, ... all threads. If there are several processes, each solves its
//! shard on the GPU of its local rank.
//!
//! The Lorenz trajectories end at t = 100. Their parameters are drawn by a rule, which each
//! device evaluates by itself. The first table keeps final states, the second one five states of
//! each trajectory, in four batches.
//!
//! Each line is one configuration. Its time is the median of several solves after a first one,
//! which starts devices and compiles the kernel. "Shares" are the parts of devices in percent,
//! and the sum of all CPU threads. The last column is the sum of the bits of all final states. It
//! is the same for all configurations, and the sums of the shards add up to it.

use std::error::Error;
use std::thread::available_parallelism;
use std::time::Instant;

use clap::Parser;
use odes::Shard;
use odes::backend::{EnsembleAlgorithm, Share};
use odes::prelude::*;
use odes::sample::{Samples, Uniform};

/// Solves an ensemble on 1, 2, ... all devices, and prints times and shares.
#[derive(Parser)]
struct Options {
    /// The number of trajectories of all processes. By default 2^22 on GPUs, where one takes about
    /// 0.15 s, and 2^16 on CPU threads.
    #[arg(long)]
    trajectories: Option<usize>,
    /// The number of measured solves of each configuration.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
}

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
            let name = format!("cuda:{}", gpu.devices()[0].ordinal());
            return Ok(vec![(name, Box::new(gpu.batch(batch)))]);
        }
        let mut places: Vec<Place> = Vec::new();
        for count in 1..=all.devices().len() {
            let gpus = EnsembleGpuKernel::with_devices(0..count)?.batch(batch);
            let plural = if count > 1 { "s" } else { "" };
            places.push((format!("{count} GPU{plural}"), Box::new(gpus)));
        }
        let beside = cores.saturating_sub(all.devices().len()).max(1);
        let both = all.batch(batch).with_cpu_threads(beside);
        places.push((format!("all GPUs, {beside} threads"), Box::new(both)));
        return Ok(places);
    }
    let threads = |n: usize| -> Place {
        let plural = if n > 1 { "s" } else { "" };
        (format!("{n} thread{plural}"), Box::new(EnsembleThreads.threads(n).batch(batch)))
    };
    if shard.size > 1 {
        // Processes share the cores as their launcher allows.
        return Ok(vec![threads(cores)]);
    }
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < cores);
    Ok(doubled.chain([cores]).map(threads).collect())
}

/// The percentages of the devices, and of all CPU threads together. Solves without devices have no
/// shares.
fn percentages(shares: &[Share]) -> String {
    let all: usize = shares.iter().map(|share| share.trajectories).sum();
    let percent = |part: usize| format!("{:.1}", 100.0 * part as f64 / all.max(1) as f64);
    let (threads, devices): (Vec<_>, Vec<_>) =
        shares.iter().partition(|share| share.worker.starts_with("CPU thread"));
    let mut parts: Vec<_> = devices.iter().map(|share| percent(share.trajectories)).collect();
    if !threads.is_empty() {
        parts.push(percent(threads.iter().map(|share| share.trajectories).sum()));
    }
    if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { trajectories, repeat } = Options::parse();
    let shard = Shard::from_launcher()?;
    let devices =
        EnsembleGpuKernel::all().map_or_else(|_| Vec::new(), |gpu| gpu.devices().to_vec());
    let trajectories = trajectories.unwrap_or(if devices.is_empty() { 1 << 16 } else { 1 << 22 });
    if shard.rank == 0 {
        for device in &devices {
            println!("{device}");
        }
    }
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(trajectories)
        .sample(Samples::seed(1).p(1, Uniform(0.0, 28.0)))
        .shard(shard);
    let finals = SolveOptions::default();
    let states = SolveOptions::default().saveat(25.0);
    let tables = [
        ("final states", finals, trajectories),
        ("5 saved states, 4 batches", states, trajectories.div_ceil(4)),
    ];
    for (saved, options, batch) in tables {
        if shard.rank == 0 {
            println!("\n{trajectories} trajectories, {saved}; median of {repeat}");
            println!(
                "{:>6} {:24} {:>9} {:>12} {:>7} {:>6}  {:16}  shares in %",
                "rank", "backend", "ms", "per second", "speed", "failed", "sum of bits"
            );
        }
        let mut first = None;
        for (name, place) in places(shard, batch)? {
            let solution = ensemble.solve(Tsit5, &place, &options)?;
            for warning in solution.warnings() {
                eprintln!("{name}: {warning}");
            }
            let failed = solution.codes().filter(|code| !code.is_success()).count();
            let bits = solution.iter().flat_map(|one| one.final_state()).map(f64::to_bits);
            let sum = bits.fold(0, u64::wrapping_add);
            let solved = solution.len();
            drop(solution);
            let mut runs = Vec::new();
            for _ in 0..repeat.max(1) {
                let begin = Instant::now();
                let solution = ensemble.solve(Tsit5, &place, &options)?;
                runs.push((begin.elapsed().as_secs_f64(), percentages(solution.shares())));
            }
            runs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (seconds, shares) = &runs[runs.len() / 2];
            println!(
                "{:>6} {name:24} {:9.1} {:12.0} {:6.2}x {failed:6}  {sum:016x}  {shares}",
                format!("{}/{}", shard.rank, shard.size),
                1e3 * seconds,
                solved as f64 / seconds,
                *first.get_or_insert(*seconds) / seconds,
            );
        }
    }
    Ok(())
}
