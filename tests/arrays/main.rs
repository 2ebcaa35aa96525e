//! Ensembles as arrays: all trajectories are columns with one step size. And arrays that are one large
//! system.

#[path = "../support/blocks.rs"]
#[allow(dead_code)]
mod blocks;
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
