//! The command line of an example that solves one ensemble.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Where to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// The GPU if there is one, else all CPU cores
    Auto,
    /// One CPU core, one trajectory after another
    Serial,
    /// All CPU cores, SIMD lanes
    Threads,
    /// The CUDA GPU
    Gpu,
}

/// With which numbers to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

impl Precision {
    /// As it is written in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// Solves an ensemble of ordinary differential equations.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
pub struct Options {
    /// How many trajectories
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub trajectories: usize,

    /// Where to solve
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub backend: Backend,

    /// Precision of the solve
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub precision: Precision,

    /// Absolute tolerance
    #[arg(long, value_name = "TOL", default_value_t = 1e-6, allow_negative_numbers = true)]
    pub abstol: f64,

    /// Relative tolerance
    #[arg(long, value_name = "TOL", default_value_t = 1e-3, allow_negative_numbers = true)]
    pub reltol: f64,

    /// Fixed step size, instead of adaptive steps
    #[arg(long, value_name = "STEP", conflicts_with_all = ["abstol", "reltol"], allow_negative_numbers = true)]
    pub dt: Option<f64>,

    /// Seed of the random parameters
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Write times, states, parameters, return codes and more to a NumPy archive
    #[arg(long, value_name = "FILE.npz")]
    pub out: Option<PathBuf>,

    /// Draw a picture
    #[arg(long, value_name = "FILE.png")]
    pub plot: Option<PathBuf>,

    /// Print a summary as one line of JSON instead of text
    #[arg(long)]
    pub json: bool,
}
