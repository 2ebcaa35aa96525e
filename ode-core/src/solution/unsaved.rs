//! Compile errors of calls that write files without the feature `save`.
//!
//! The message names the feature.

use crate::lane::Scalar;
use crate::solution::EnsembleSolution;
use crate::system::System;

/// A trait without implementations, for the message.
#[diagnostic::on_unimplemented(
    message = "writing files needs the feature `save`, which is off",
    label = "needs the feature `save`",
    note = "write in Cargo.toml: `odes = {{ version = \"…\", features = [\"save\"] }}`"
)]
#[doc(hidden)]
pub trait FeatureSave {}

#[doc(hidden)]
impl<S, T, const N: usize, const P: usize> EnsembleSolution<S, T, N, P>
where
    T: Scalar,
    S: System<N, P>,
{
    /// Needs the feature `save`.
    pub fn write_npz(&self, _path: impl Sized) -> Result<(), std::io::Error>
    where
        Self: FeatureSave,
    {
        Ok(())
    }

    /// Needs the feature `save`.
    pub fn write_zarr(&self, _path: impl Sized) -> Result<(), std::io::Error>
    where
        Self: FeatureSave,
    {
        Ok(())
    }

    /// Needs the feature `save`.
    pub fn write_csv(&self, _path: impl Sized) -> Result<(), std::io::Error>
    where
        Self: FeatureSave,
    {
        Ok(())
    }
}
