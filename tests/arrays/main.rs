//! Ensembles as arrays: all trajectories are columns with one step size. And arrays that are one large
//! system.

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
