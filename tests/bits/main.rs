//! One arithmetic: lanes, threads, schedules and the translation to C++ give equal bits.
//!
//! The bits are of states and of observables.

#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/everywhere.rs"]
mod everywhere;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/numbered.rs"]
mod numbered;
#[path = "../support/observed.rs"]
mod observed;
#[path = "../support/opencl.rs"]
mod opencl;
#[path = "../support/workloads.rs"]
mod workloads;

mod bits;
mod host_cpp;
mod observables;
mod options;
