//! A backend that spreads an ensemble over several processes.
//!
//! [`EnsembleDistributed`] wraps any backend. The trajectories are cut into chunks, and each rank
//! takes chunks as fast as it can. The bits of a chunk depend only on its index. Any rank may
//! therefore compute a chunk, and two ranks may compute the same one.
//!
//! Programs use the crate `odes` with its feature `cluster`, which re-exports the interface.

mod agree;
mod by_folder;
mod by_messages;
mod chunk_bytes;
pub mod chunk_server;
mod distributed;
mod distributed_solve;
mod error;
pub mod folder_queue;
mod gradients;
mod manifest;
mod mpi;
mod ranks;
mod results_bytes;
mod status;
mod store;

pub use distributed::EnsembleDistributed;
pub use error::ClusterError;
pub use ranks::shard;
pub use status::{RunStatus, Status, status};
