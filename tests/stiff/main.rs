//! Stiff problems: implicit methods and methods that switch.
//!
//! The tests cover dense and pivoted linear equations, failures, and equal bits on all backends.

#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/everywhere.rs"]
mod everywhere;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/opencl.rs"]
mod opencl;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/workloads.rs"]
mod workloads;

mod auto;
mod dense;
mod exponentials;
mod pivoting;
mod stiff;
