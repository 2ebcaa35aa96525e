//! Events: where they are found, what happens there, and that it is the same everywhere.

#[path = "../support/bouncing.rs"]
mod bouncing;
#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/everywhere.rs"]
mod everywhere;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/opencl.rs"]
mod opencl;
#[path = "../support/workloads.rs"]
mod workloads;

mod actions;
mod after_step;
mod crossings;
mod functions;
mod jumps;
mod logged;
mod modes;
mod refused;
mod same;
mod systems;
mod timed;
