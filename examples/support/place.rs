//! Where an example solves.

use odes::prelude::*;
use odes::{EnsembleAlgorithm, GpuError};

use super::options::Backend;

/// A place, by the name that `--backend` has for it.
pub struct Place {
    pub name: &'static str,
    pub algorithm: Box<dyn EnsembleAlgorithm>,
}

impl Place {
    fn new(name: &'static str, algorithm: impl EnsembleAlgorithm + 'static) -> Place {
        Place { name, algorithm: Box::new(algorithm) }
    }

    /// All cores.
    pub fn threads() -> Place {
        Place::new("threads", EnsembleThreads)
    }

    /// The place that was asked for. Says which it is, where that is its own choice.
    pub fn choose(backend: Backend) -> Result<Place, GpuError> {
        match backend {
            Backend::Serial => Ok(Place::new("serial", EnsembleSerial)),
            Backend::Threads => Ok(Place::threads()),
            Backend::Gpu => EnsembleGpuKernel::all().map(|gpu| Place::new("gpu", gpu)),
            Backend::Auto => Ok(match EnsembleGpuKernel::all() {
                Ok(gpu) => {
                    eprintln!("solving on the GPU that was found, {}", gpu.devices()[0]);
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
