//! Ensembles that several processes solve together.
//!
//! This module needs the feature `cluster`. [`EnsembleDistributed`] wraps any backend, and the same
//! program runs on a laptop and on many nodes. The guide `docs/clusters.md` begins with one process
//! and ends with Slurm. The examples `cluster` and `distributed` show solves and training runs.

#[cfg(feature = "cluster-cli")]
mod arguments;

#[cfg(feature = "cluster-cli")]
pub use arguments::{ArgumentError, Arguments, Command, Devices};
pub use ode_cluster::{ClusterError, EnsembleDistributed, RunStatus, Status, shard, status};
