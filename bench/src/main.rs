//! Benchmarks of the speed and the accuracy of `odes`.
//!
//! ```text
//! cargo run --release -p odes-bench -- gpu
//! cargo run --release -p odes-bench -- cpu --json cpu.jsonl
//! cargo run --release -p odes-bench -- gpu --quick --workloads A,B2 --precision f32
//! cargo run --release -p odes-bench -- scaling --precision f32
//! cargo run --release -p odes-bench -- gradients
//! cargo run --release -p odes-bench -- gpu-tune
//! cargo run --release -p odes-bench -- gpu-functions
//! cargo run --release -p odes-bench -- work-precision --json target/work_precision.jsonl
//! cargo run --release -p odes-bench -- ignition
//! cargo run --release -p odes-bench -- expand
//! cargo run --release -p odes-bench -- startup
//! cargo run --release -p odes-bench -- build --only lorenz,robertson
//! cargo run --release -p odes-bench -- pulses --export target/pulses.jsonl
//! cargo run --release -p odes-bench -- events --only lorenz,neurons --place threads
//! cargo run --release -p odes-bench -- kernels --only lorenz,tanh20
//! ```
//!
//! The program prints a table to standard output. With `--json` it also writes each row to a file,
//! as a line of JSON. The benchmarks measure the library with default options and the workload's
//! tolerances. [`workloads`] defines the workloads, and [`prototypes`] the prototypes' times for
//! comparison.

mod build;
#[path = "../../tests/support/counted.rs"]
mod counted;
mod cpu;
mod errors;
mod events;
mod expand;
mod functions;
mod gpu;
mod gradients;
mod ignition;
mod output;
mod peak;
mod prototypes;
mod pulses;
#[path = "../../tests/support/random.rs"]
mod random;
mod scaling;
mod startup;
mod stiff;
mod tune;
mod work_precision;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use output::Output;
use workloads::{Precision, Workload};

/// Benchmarks of odes.
#[derive(Debug, Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The first GPU: kernel and end-to-end times, steps, errors
    Gpu(Selection),
    /// Stiff systems (D, H, P) on the first GPU, by implicit methods, in double precision
    GpuStiff(Selection),
    /// The CPU: every instruction set, on one thread and on all, relative to the cores' peak
    Cpu(Selection),
    /// Call time by number of trajectories: one thread, all threads, and 1, 2, ... all GPUs
    Scaling(Selection),
    /// Gradients relative to solves of the same trajectories, on one thread and on the first GPU
    Gradients {
        /// One run, as a test of the program
        #[arg(long)]
        quick: bool,

        /// Write a line of JSON for each row to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Schedules, batches and register limits on the first GPU
    GpuTune(Selection),
    /// The library's elementary functions against the device library's, on the first GPU
    GpuFunctions(Selection),
    /// The cost of accuracy, for each method on each of the problems with published solutions
    WorkPrecision {
        /// One run, as a test of the program
        #[arg(long)]
        quick: bool,

        /// Write a line of JSON for each row to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Ignitions that implicit methods miss, with and without the growth guard
    Ignition {
        /// Write a line of JSON for each row to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// The expansion time of the macro
    Expand,
    /// Time and memory of users' builds, and the speed of the built programs
    Build(build::Selection),
    /// NVRTC's compile time for the kernels of the same programs, without a GPU
    Kernels(build::Selection),
    /// The share of random forcing pulses that solves miss
    Pulses {
        /// The number of problems
        #[arg(long, default_value_t = 800)]
        count: usize,

        /// Write the problems to this file, as lines of JSON for `bench/peers/pulses.py`
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
    },
    /// The cost of events, on the first GPU and on the CPU
    Events(events::Selection),
    /// The parts of the time to a first solution on a GPU, in a new process
    Startup,
}

#[derive(Debug, Args)]
struct Selection {
    /// Small ensembles and few runs, as a test of the program
    #[arg(long)]
    quick: bool,

    /// Only these workloads
    #[arg(long, value_delimiter = ',', value_name = "A,B2,…")]
    workloads: Vec<String>,

    /// Only this precision
    #[arg(long, value_enum)]
    precision: Option<Precision>,

    /// Write a line of JSON for each row to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Selection {
    /// Returns whether a workload is selected.
    fn has(&self, name: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|w| w.eq_ignore_ascii_case(name))
    }

    /// Returns the selected workloads of `all`, with their precisions.
    ///
    /// An unknown name is an error.
    fn of(&self, all: Vec<Workload>) -> Result<Vec<(Workload, Precision)>, Failure> {
        let known = |name: &&String| !all.iter().any(|w| w.name.eq_ignore_ascii_case(name));
        if let Some(name) = self.workloads.iter().find(known) {
            return Err(format!("there is no workload {name}").into());
        }
        let pairs = all.into_iter().filter(|w| self.has(w.name)).flat_map(|workload| {
            let precisions = workload.precisions.iter().copied();
            let precisions = precisions.filter(|p| self.precision.is_none_or(|only| only == *p));
            precisions.map(move |precision| (workload, precision)).collect::<Vec<_>>()
        });
        Ok(pairs.collect())
    }
}

/// An error that ends the program.
type Failure = Box<dyn std::error::Error>;

fn run() -> Result<(), Failure> {
    match Options::parse().command {
        Command::Gpu(selection) => {
            gpu::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::GpuStiff(selection) => {
            stiff::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::Cpu(selection) => {
            cpu::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::Scaling(selection) => {
            scaling::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::Gradients { quick, json } => {
            gradients::run(quick, &mut Output::new(json.as_deref())?)
        }
        Command::GpuTune(selection) => {
            tune::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::GpuFunctions(selection) => {
            functions::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::WorkPrecision { quick, json } => {
            work_precision::run(quick, &mut Output::new(json.as_deref())?)
        }
        Command::Ignition { json } => ignition::run(&mut Output::new(json.as_deref())?),
        Command::Expand => expand::run(&mut Output::new(None)?),
        Command::Build(selection) => build::run(&selection),
        Command::Kernels(selection) => build::kernels::run(&selection),
        Command::Pulses { count, export } => pulses::run(count, export.as_deref()),
        Command::Events(selection) => {
            events::run(&selection, &mut Output::new(selection.json.as_deref())?)
        }
        Command::Startup => startup::run(),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
