//! The GPU, for tests that need one.

use odes::prelude::*;
use odes_skipped::Needed;

/// Returns the GPU, or `None` with a message; with `ODES_REQUIRE_GPU=1` a GPU is required.
pub(crate) fn gpu() -> Option<EnsembleGpuKernel> {
    EnsembleGpuKernel::all().map_err(|error| Needed::Gpu.is_missing(error)).ok()
}
