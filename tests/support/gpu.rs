//! The GPU of tests that need one.

use odes::prelude::*;

/// The GPU, or `None` with a message; with `ODES_REQUIRE_GPU=1` one must be there.
pub(crate) fn gpu() -> Option<EnsembleGpuKernel> {
    match EnsembleGpuKernel::all() {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            let required = std::env::var_os("ODES_REQUIRE_GPU").is_some_and(|v| v != "0");
            assert!(!required, "ODES_REQUIRE_GPU is set, but {error}");
            eprintln!("skipped on a GPU: {error}");
            None
        }
    }
}
