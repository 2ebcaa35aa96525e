//! Errors of distributed solves.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ode_core::{Shard, ShardError, SolveError};

use crate::mpi::WHOSE;

/// The reason why several processes cannot solve an ensemble together.
///
/// A solve returns it as [`SolveError::Backend`], and `downcast_ref` extracts it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The launcher's variables do not identify this process.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Several processes have neither MPI nor a folder in common.
    #[error(
        "this process is {}, and the processes cannot communicate{}: start them with the \
         `mpiexec` of {WHOSE}, or give all of them the same folder, with `--out` or \
         `.folder(path)`",
        rank_of(shard),
        no_mpi(why)
    )]
    Nothing {
        /// The rank of this process and the number of ranks.
        shard: Shard,
        /// The reason why there is no MPI, if the launcher may have started it.
        why: Option<String>,
    },
    /// A training in several processes without MPI.
    #[error(
        "this process is {}, and ranks need MPI to train together{}: start them with the \
         `mpiexec` of {WHOSE}, or train in one process",
        rank_of(shard),
        no_mpi(why)
    )]
    Training {
        /// The rank of this process and the number of ranks.
        shard: Shard,
        /// The reason why there is no MPI, if the launcher may have started it.
        why: Option<String>,
    },
    /// Gradients of single trajectories by ranks that share only a folder.
    #[error(
        "ranks that share only a folder compute no gradients; start them by `mpiexec`, or use the \
         backend inside `EnsembleDistributed`"
    )]
    Gradients,
    /// The solves of the ranks differ.
    #[error(
        "the ranks do not solve the same ensemble: `{key}` is {} on rank {rank}, and {} on rank 0; \
         start the same program with the same inputs on all ranks",
        short(theirs),
        short(ours)
    )]
    Disagree {
        /// The first rank with a different solve than rank 0.
        rank: usize,
        /// The first entry of the manifest that differs.
        key: String,
        /// The value on the rank.
        theirs: String,
        /// The value on rank 0.
        ours: String,
    },
    /// Another rank failed.
    #[error("rank {rank} failed: {message}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// A second solve from another thread, while one is in progress.
    #[error(
        "this backend is already running another solve; all ranks must run the same solves in the \
         same order, one at a time"
    )]
    UnderWay,
    /// The results of a chunk have too few bytes.
    #[error("the results of chunk {chunk} have {bytes} bytes, too few for its trajectories")]
    Short {
        /// The index of the chunk.
        chunk: u64,
        /// The number of received bytes.
        bytes: usize,
    },
    /// The inner backend solves in lockstep, and chunks would change its results.
    #[error(
        "the trajectories of the inner backend influence each other (lockstep), so its results \
         would depend on the chunks; use `EnsembleThreads` or `EnsembleGpuKernel`, or solve in \
         lockstep without `EnsembleDistributed`"
    )]
    Coupled,
    /// A chunk size of no trajectories.
    #[error("a chunk has 0 trajectories; it must have at least 1")]
    NoChunk,
    /// The folder contains no run to continue.
    #[error("{} contains no run to resume; leave `--resume` out to start one", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file or a folder cannot be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    File {
        /// The attempted action.
        action: &'static str,
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        error: Arc<io::Error>,
    },
    /// The folder contains results of another solve.
    #[error(
        "{} contains results of another solve: its `{key}` is {}, and this solve has {}; {}use \
         another folder, or remove this one",
        folder.display(),
        short(theirs),
        short(ours),
        remedy(key, theirs)
    )]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The first entry of the manifest that differs.
        key: String,
        /// The value in the folder.
        theirs: String,
        /// The value of this solve.
        ours: String,
    },
    /// The bytes of a file have changed.
    #[error("{} is damaged: {what}; remove it, and start the same program again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        what: String,
    },
    /// A chunk was computed from other initial states, parameters or times.
    #[error(
        "{} was computed from other initial states, parameters or times than this solve has; use \
         another folder, or remove this one",
        path.display()
    )]
    Inputs {
        /// The file.
        path: PathBuf,
    },
}

/// `rank 3 of 8 (Slurm)`
fn rank_of(shard: &Shard) -> String {
    let Shard { rank, size, launcher, .. } = shard;
    format!("rank {rank} of {size} ({launcher})")
}

/// Shortens hashes to their first eight digits.
fn short(value: &str) -> String {
    let is_hash =
        |word: &str| word.len() == 64 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let word = |word| if is_hash(word) { format!("{}…", &word[..8]) } else { word.to_owned() };
    value.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the argument that continues a run with another size of chunks.
fn remedy(key: &str, theirs: &str) -> String {
    match key {
        "chunk" => format!("pass `--chunk {theirs}` or `.chunk({theirs})`, or "),
        _ => String::new(),
    }
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
