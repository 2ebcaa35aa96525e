//! The backends of the examples.

use std::str::FromStr;

use odes::GpuError;
use odes::backend::EnsembleAlgorithm;
use odes::prelude::*;

/// The choice of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The GPU if there is one, else all CPU cores.
    Auto,
    /// One CPU core, one trajectory after another.
    Serial,
    /// All CPU cores, SIMD lanes.
    Threads,
    /// The CUDA GPU.
    Gpu,
}

impl FromStr for Backend {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Backend, Self::Err> {
        match name {
            "auto" => Ok(Backend::Auto),
            "serial" => Ok(Backend::Serial),
            "threads" => Ok(Backend::Threads),
            "gpu" => Ok(Backend::Gpu),
            _ => Err("expected auto, serial, threads or gpu"),
        }
    }
}

/// A backend, with its name in `--backend`.
pub struct Place {
    pub name: &'static str,
    pub algorithm: Box<dyn EnsembleAlgorithm>,
}

impl Place {
    fn new(name: &'static str, algorithm: impl EnsembleAlgorithm + 'static) -> Place {
        Place { name, algorithm: Box::new(algorithm) }
    }

    /// Returns the backend of all cores.
    pub fn threads() -> Place {
        Place::new("threads", EnsembleThreads)
    }

    /// Returns the requested backend. Prints the choice that `auto` makes.
    pub fn choose(backend: Backend) -> Result<Place, GpuError> {
        match backend {
            Backend::Serial => Ok(Place::new("serial", EnsembleSerial)),
            Backend::Threads => Ok(Place::threads()),
            Backend::Gpu => EnsembleGpuKernel::all().map(|gpu| Place::new("gpu", gpu)),
            Backend::Auto => Ok(match EnsembleGpuKernel::all() {
                Ok(gpu) => {
                    eprintln!("solving on the GPU {}", gpu.devices()[0]);
                    Place::new("gpu", gpu)
                }
                Err(error) => {
                    eprintln!("solving on the CPU, because {error}");
                    Place::threads()
                }
            }),
        }
    }
}
