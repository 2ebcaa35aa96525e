//! The error of files.

use crate::error::debug_as_display;
use std::io;
use std::path::PathBuf;

/// The error of a file that could not be written.
#[derive(thiserror::Error)]
#[error("cannot write {}: {error}", path.display())]
#[non_exhaustive]
pub struct SaveError {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub error: io::Error,
}
debug_as_display!(SaveError);
