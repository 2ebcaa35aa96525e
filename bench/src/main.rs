//! How fast `odes` is, and how exact.
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
//! A table goes to standard output, and with `--json` a line of JSON for each of its rows to a
//! file. What is measured is the library as a user has it: its default options, with the
//! tolerances of the workload. The workloads are in [`workloads`], and the times of the prototypes
//! that they are compared with in [`prototypes`].

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
    /// Stiff systems (D, H, P) on the first GPU, by the implicit methods, in double precision
    GpuStiff(Selection),
    /// The CPU: every instruction set, on one thread and on all, against the cores' peak
    Cpu(Selection),
    /// The time of a call by the number of trajectories: one thread, all, and 1, 2, ... all GPUs
    Scaling(Selection),
    /// Gradients beside solves of the same trajectories, on one thread and on the first GPU
    Gradients {
        /// One run: whether it works, not how fast it is
        #[arg(long)]
        quick: bool,

        /// A line of JSON for each row goes to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Schedules, batches and register limits on the first GPU
    GpuTune(Selection),
    /// Our elementary functions against the device library's, on the first GPU
    GpuFunctions(Selection),
    /// What a smaller error costs, for each method on each of the problems with published solutions
    WorkPrecision {
        /// One run: whether it works, not how fast it is
        #[arg(long)]
        quick: bool,

        /// A line of JSON for each row goes to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Ignitions that implicit methods miss, with and without the growth guard
    Ignition {
        /// A line of JSON for each row goes to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// How long the macro takes to expand
    Expand,
    /// What builds of users take, in time and memory, and how fast what they build is
    Build(build::Selection),
    /// What NVRTC takes for the kernels of the same programs; no GPU is needed
    Kernels(build::Selection),
    /// What share of random pulses of the forcing is missed
    Pulses {
        /// How many problems
        #[arg(long, default_value_t = 800)]
        count: usize,

        /// The problems go to this file, a line of JSON for each, for `bench/peers/pulses.py`
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
    },
    /// What events cost, on the first GPU and on the CPU
    Events(events::Selection),
    /// The parts of the time to a first solution on a GPU, in a new process
    Startup,
}

#[derive(Debug, Args)]
struct Selection {
    /// Small ensembles and few runs: whether it works, not how fast it is
    #[arg(long)]
    quick: bool,

    /// Only these workloads
    #[arg(long, value_delimiter = ',', value_name = "A,B2,…")]
    workloads: Vec<String>,

    /// Only this precision
    #[arg(long, value_enum)]
    precision: Option<Precision>,

    /// A line of JSON for each row goes to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Selection {
    /// Whether a workload is among the selected.
    fn has(&self, name: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|w| w.eq_ignore_ascii_case(name))
    }

    /// The selected workloads of `all`, with their precisions. A name that no workload has is an
    /// error.
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

/// Any error that ends the program.
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
