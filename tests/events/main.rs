//! Events: their positions, their actions, and equal bits on all backends.

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
#[path = "../support/tone.rs"]
mod tone;
#[path = "../support/workloads.rs"]
mod workloads;

mod actions;
mod after_step;
mod crossings;
mod delays;
mod features;
mod functions;
mod jumps;
mod lockstep;
mod logged;
mod modes;
mod periodic;
mod refused;
mod same;
mod systems;
mod timed;
