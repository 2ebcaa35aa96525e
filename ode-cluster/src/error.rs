//! What can go wrong between processes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ode_core::{Part, PartError, SolveError};

use crate::mpi::WHOSE;

/// Why several processes cannot solve an ensemble together. A solve returns it as
/// [`SolveError::Backend`], whose `downcast_ref` gives it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The variables of the launcher do not say which process this is.
    #[error(transparent)]
    Part(#[from] PartError),
    /// Several processes have no way to share their work.
    #[error(
        "this is {part}, and the processes have nothing in common{}: start them by the `mpiexec` of \
         {WHOSE}, or give all of them the same folder, by `--out` or `.folder(path)`",
        no_mpi(why)
    )]
    Nothing {
        /// Which process this is.
        part: Part,
        /// Why there is no MPI, where the launcher may have started one.
        why: Option<String>,
    },
    /// A training by several processes that have no MPI.
    #[error(
        "this is {part}, and ranks that train together need MPI{}: start them by the `mpiexec` of {WHOSE}, \
         or train in one process",
        no_mpi(why)
    )]
    Training {
        /// Which process this is.
        part: Part,
        /// Why there is no MPI, where the launcher may have started one.
        why: Option<String>,
    },
    /// Gradients of each trajectory, by several processes.
    #[error(
        "gradients of each trajectory are not computed by several processes: take the place inside of \
         `EnsembleDistributed`; `Train`, which needs their sums, takes all processes"
    )]
    Gradients,
    /// Ranks do not solve the same.
    #[error(
        "the ranks do not solve the same: `{key}` is {theirs} on rank {rank}, and {ours} on rank 0"
    )]
    Disagree {
        /// The first rank that has another solve than rank 0.
        rank: usize,
        /// The first entry of the plan that differs.
        key: String,
        /// What the rank has.
        theirs: String,
        /// What rank 0 has.
        ours: String,
    },
    /// Another rank has failed.
    #[error("rank {rank} has failed: {message}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// A second solve from another thread, while one is under way.
    #[error(
        "another solve is under way in this place: all ranks make the same solves in the same order, one at \
         a time"
    )]
    UnderWay,
    /// Results of a chunk that have too few bytes.
    #[error("the results of chunk {chunk} have {bytes} bytes, too few for its trajectories")]
    Short {
        /// The number of the chunk.
        chunk: u64,
        /// The bytes that came.
        bytes: usize,
    },
    /// A chunk of no trajectories.
    #[error("a chunk has 0 trajectories; it must have at least 1")]
    NoChunk,
    /// There is no run to go on with.
    #[error("there is no run in {} to go on with", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or a folder cannot be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    File {
        /// What was to be done.
        action: &'static str,
        /// The file or the folder.
        path: PathBuf,
        /// Why it was not.
        error: Arc<io::Error>,
    },
    /// The folder has results of another solve.
    #[error(
        "{} has results of another solve: its `{key}` is {theirs}, and that of this solve is {ours}; \
         take another folder, or remove this one",
        folder.display()
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The first entry of the plan that differs.
        key: String,
        /// What the folder has.
        theirs: String,
        /// What this solve has.
        ours: String,
    },
    /// A file is not what was written.
    #[error("{} is damaged: {what}; remove it, and start the same program again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A chunk was computed from other initial states, parameters or times.
    #[error(
        "{} was computed from other initial states, parameters or times than those of this solve: take \
         another folder, or remove this one",
        path.display()
    )]
    Inputs {
        /// The file.
        path: PathBuf,
    },
}

fn no_mpi(why: &Option<String>) -> String {
    why.as_ref().map_or_else(String::new, |why| format!(" ({why})"))
}

ode_core::debug_as_display!(ClusterError);

impl From<ClusterError> for SolveError {
    fn from(error: ClusterError) -> Self {
        SolveError::Backend(Arc::new(error))
    }
}

impl ClusterError {
    pub(crate) fn file(action: &'static str, path: &Path, error: io::Error) -> Self {
        ClusterError::File { action, path: path.to_owned(), error: Arc::new(error) }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        ClusterError::Damaged { path: path.to_owned(), what: what.into() }
    }
}
