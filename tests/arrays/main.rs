//! Lockstep ensembles, in which all trajectories have one step size, and large systems.

#[path = "../support/batches.rs"]
#[allow(dead_code)]
mod batches;
#[path = "../support/cpp.rs"]
mod cpp;
#[cfg(target_os = "linux")]
#[path = "../support/driver.rs"]
mod driver;
#[path = "../support/workloads.rs"]
mod workloads;

mod alone;
mod failures;
mod gpu;
mod kernel;
mod large;
mod systems;
mod together;
