//! Ensembles in several processes.
//!
//! [`EnsembleDistributed`] wraps any place. The trajectories are cut into chunks, which ranks take,
//! each as fast as it can. A chunk's bits depend on its number alone, so it does not matter who
//! computes it, nor whether two do.
//!
//! Programs use the crate `odes` with its feature `cluster`, which re-exports the interface.

mod agree;
mod by_folder;
mod by_messages;
pub mod dispenser;
mod distributed;
mod error;
mod mpi;
mod parcels;
mod plan;
pub mod queue;
mod ranks;
mod status;
mod store;
mod work;

pub use distributed::EnsembleDistributed;
pub use error::ClusterError;
pub use ranks::part;
pub use status::{Status, status};
