//! Where an example solves.

use odes::GpuError;
use odes::prelude::*;

use super::options::Backend;

/// Where to solve.
pub enum Place {
    Serial,
    Threads,
    Gpu(EnsembleGpuKernel),
}

impl Place {
    /// The place that was asked for. Says which it is, where that is its own choice.
    pub fn choose(backend: Backend) -> Result<Place, GpuError> {
        match backend {
            Backend::Serial => Ok(Place::Serial),
            Backend::Threads => Ok(Place::Threads),
            Backend::Gpu => EnsembleGpuKernel::all().map(Place::Gpu),
            Backend::Auto => Ok(match EnsembleGpuKernel::all() {
                Ok(gpu) => {
                    eprintln!("solving on the GPU that was found, {}", gpu.devices()[0]);
                    Place::Gpu(gpu)
                }
                Err(error) => {
                    eprintln!("solving on the CPU, because {error}");
                    Place::Threads
                }
            }),
        }
    }

    /// As `--backend` has it.
    pub fn name(&self) -> &'static str {
        match self {
            Place::Serial => "serial",
            Place::Threads => "threads",
            Place::Gpu(_) => "gpu",
        }
    }
}
