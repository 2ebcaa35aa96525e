//! Ensembles as arrays: all trajectories are columns with one step size.

#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/workloads.rs"]
mod workloads;

mod alone;
mod failures;
mod kernel;
mod systems;
mod together;
