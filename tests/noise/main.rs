//! Stochastic equations: laws of solutions, orders, paths, and equal bits on all backends.

#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/everywhere.rs"]
mod everywhere;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/opencl.rs"]
mod opencl;
#[path = "../support/same_gradients.rs"]
mod same_gradients;
#[path = "../support/workloads.rs"]
mod workloads;

mod adaptive;
mod gradients;
mod jumping;
mod jumps;
mod laws;
mod multilevel;
mod orders;
mod passages;
mod paths;
mod refused;
mod same;
mod systems;
