//! Reductions beside the plain solve: time of the kernels, time of the call, memory of the host.
//!
//! `cargo run --release -p odes-bench --bin reductions -- --trajectories 1000000000`

use clap::Parser;
use core::ops::ControlFlow;
use odes::SolveError;
use odes::backend::{InputRange, RawResults, ResultSet, ResultSink, RunReport};
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Unvaried;
use odes::sample::{Samples, Uniform};
use odes::summary::{Histogram, Summaries, Summary};
use odes_models::lorenz::lorenz;
use std::time::Instant;

#[derive(Parser)]
struct Arguments {
    /// The number of trajectories.
    #[arg(long, default_value_t = 10_000_000)]
    trajectories: usize,
    /// The end of the time span.
    #[arg(long, default_value_t = 10.0)]
    end: f64,
    /// Repetitions; the fastest one is printed.
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Solves on the CPU.
    #[arg(long)]
    cpu: bool,
    /// Also solves a thousandth of the trajectories by CPU threads, and compares the bits.
    #[arg(long)]
    check: bool,
}

type Ensemble<T> = EnsembleProblem<lorenz, T, Unvaried, 3, 3>;

/// A sink of nothing: the plain solve, without results for the host.
struct Nothing;

impl<T: Scalar> ResultSink<T> for Nothing {
    fn wants(&self) -> ResultSet {
        ResultSet::NONE
    }

    fn store(
        &mut self,
        _: InputRange<'_, T>,
        _: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        Ok(ControlFlow::Continue(()))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    of::<f32>(&arguments)?;
    of::<f64>(&arguments)?;
    Ok(())
}

fn ensemble<T: Scalar>(trajectories: usize, end: f64) -> Ensemble<T> {
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=end, [10.0, 28.0, 8.0 / 3.0]);
    let samples = Samples::seed(1).p("rho", Uniform(20.0, 28.0));
    EnsembleProblem::new(problem.cast::<T>()).trajectories(trajectories).sample(samples)
}

fn of<T: Scalar>(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let &Arguments { trajectories, end, repeat, cpu, check } = arguments;
    let ensemble = ensemble::<T>(trajectories, end);
    let options = SolveOptions::default().saveat(end / 10.0);
    let moments = Summary::new().mean().variance();
    let bands = moments.clone().quantiles([0.05, 0.5, 0.95]);
    let every = bands.clone().extremes().histogram(Histogram::linear(-30.0, 60.0, 90));
    let rows = [
        ("codes", Summary::new()),
        ("mean, variance", moments),
        ("mean, variance, quantiles", bands.clone()),
        ("and extremes, histogram", every),
    ];
    println!("{} trajectories of Lorenz in {} to t = {end}, 11 times", trajectories, T::NAME);
    let plain = || {
        if cpu {
            ensemble.solve_into(Tsit5, EnsembleThreads, &options, &mut Nothing)
        } else {
            ensemble.solve_into(Tsit5, EnsembleGpuKernel::all()?, &options, &mut Nothing)
        }
    };
    let reduce = |ensemble: &Ensemble<T>, summary: &Summary, cpu: bool| {
        if cpu {
            ensemble.reduce(Tsit5, EnsembleThreads, &options, summary)
        } else {
            ensemble.reduce(Tsit5, EnsembleGpuKernel::all()?, &options, summary)
        }
    };
    let (kernels, call) = best(repeat, plain, |report| report.timings.solve.as_secs_f64())?;
    println!("{:30} kernels {:9.1} ms, call {:9.1} ms", "plain", kernels * 1e3, call * 1e3);
    let before = resident_megabytes();
    for (name, summary) in rows {
        let solved = || reduce(&ensemble, &summary, cpu);
        let of = |found: &Summaries| {
            found.report().map_or(0.0, |report: &RunReport| report.timings.solve.as_secs_f64())
        };
        let (reduced, call) = best(repeat, solved, of)?;
        println!(
            "{name:30} kernels {:9.1} ms, call {:9.1} ms, {:.3} of the plain kernels",
            reduced * 1e3,
            call * 1e3,
            reduced / kernels
        );
    }
    println!("greatest resident memory: {before} MB before, {} MB after", resident_megabytes());
    if check {
        let few = self::ensemble::<T>(trajectories / 1000, end);
        let (device, host) = (reduce(&few, &bands, cpu)?, reduce(&few, &bands, true)?);
        assert!(device == host, "the CPU has other bits");
        println!("{} trajectories have the bits of the CPU", device.trajectories());
        let gpu = if cpu { None } else { Some(EnsembleGpuKernel::all()?) };
        if let Some(gpu) = gpu.filter(|gpu| gpu.devices().len() > 1) {
            let of = |gpu| ensemble.reduce(Tsit5, gpu, &options, &bands);
            assert!(of(gpu.clone())? == of(EnsembleGpuKernel::device(0)?)?, "other bits");
            println!("{} devices have the bits of one", gpu.devices().len());
        }
    }
    Ok(())
}

/// Returns the least time of kernels and the least time of the call, in seconds.
fn best<V>(
    repeat: usize,
    call: impl Fn() -> Result<V, SolveError>,
    kernels: impl Fn(&V) -> f64,
) -> Result<(f64, f64), SolveError> {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for _ in 0..=repeat {
        let begin = Instant::now();
        let found = call()?;
        let time = begin.elapsed().as_secs_f64();
        least = (least.0.min(kernels(&found)), least.1.min(time));
    }
    Ok(least)
}

/// Returns the greatest resident memory so far, in MB; 0 on systems without `/proc`.
fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.unwrap_or(0_u64) / 1024
}
