//! The progress of the runs in a folder.

use core::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ode_core::persist;

use crate::error::ClusterError;
use crate::store;

/// The progress of one solve in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The name of its folder, `0000` for the first solve.
    pub solve: String,
    /// The system, the method and the precision.
    pub what: String,
    /// The number of trajectories.
    pub trajectories: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// The number of finished chunks.
    pub done: u64,
}

/// `0000: lorenz by Tsit5 in f64, 200000 trajectories, 391 of 782 chunks`
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Status { solve, what, trajectories, chunks, done } = self;
        write!(f, "{solve}: {what}, {trajectories} trajectories, {done} of {chunks} chunks")
    }
}

/// The progress of a run, which [`status()`] returns.
///
/// `Display` writes a line for each solve, and `FOLDER contains no run` if the folder is missing or
/// has no solves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunStatus {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The solves in the folder, in their order.
    pub solves: Vec<Status>,
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.solves.is_empty() {
            return writeln!(f, "{} contains no run", self.folder.display());
        }
        self.solves.iter().try_for_each(|solve| writeln!(f, "{solve}"))
    }
}

/// Returns the progress of the run in a folder.
///
/// The folder is one of [`EnsembleDistributed`](crate::EnsembleDistributed). The function changes
/// nothing, and ranks may be running. A missing folder has no solves.
///
/// # Errors
/// [`ClusterError::File`] if the folder or a file cannot be read, and [`ClusterError::Damaged`] for
/// an invalid manifest.
pub fn status(folder: impl AsRef<Path>) -> Result<RunStatus, ClusterError> {
    let folder = folder.as_ref();
    let list = |error| ClusterError::file("list", folder, error);
    let mut solves = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        entries => Some(entries.map_err(list)?),
    };
    for solve in entries.into_iter().flatten() {
        let solve = solve.map_err(list)?.path();
        let path = store::manifest_path(&solve);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => continue,
            Err(error) => return Err(ClusterError::file("read", &path, error)),
        };
        let damaged = |what| ClusterError::damaged(&path, what);
        let lines = persist::without_hash(&text).map_err(damaged)?;
        let entries: Vec<(&str, &str)> = persist::entries(lines).collect();
        let entry =
            |key: &str| entries.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let text = |key: &str| entry(key).unwrap_or("?").to_owned();
        let number = |key: &str| {
            let value = entry(key).and_then(|value| value.parse::<u64>().ok());
            value.ok_or_else(|| damaged("an entry is missing"))
        };
        let (trajectories, chunk) = (number("trajectories")?, number("chunk")?.max(1));
        solves.push(Status {
            solve: solve.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            what: format!("{} by {} in {}", text("system"), text("method"), text("precision")),
            trajectories,
            chunks: trajectories.div_ceil(chunk),
            done: store::count(&solve)?,
        });
    }
    solves.sort_by(|a, b| a.solve.cmp(&b.solve));
    Ok(RunStatus { folder: folder.to_owned(), solves })
}
