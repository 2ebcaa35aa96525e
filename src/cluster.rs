//! Several processes that solve an ensemble together: the feature `cluster`.
//!
//! [`EnsembleDistributed`] wraps any place, and the same program runs on a laptop and on many nodes.
//! `docs/clusters.md` begins with one process and ends with Slurm. The examples `cluster`
//! and `distributed` show solves and trainings.

#[cfg(feature = "cluster-cli")]
mod arguments;

#[cfg(feature = "cluster-cli")]
pub use arguments::{ArgumentError, Arguments, Devices};
pub use ode_cluster::{ClusterError, EnsembleDistributed, Status, part, status};
