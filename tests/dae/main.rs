//! Mass matrices and differential-algebraic equations of index 1, by all implicit methods.

#[path = "../support/conserved.rs"]
mod conserved;
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

mod convergence;
mod initial;
mod mass_matrix;
mod problems;
mod same;
