//! Gradients: known answers, differences, equal bits, and refused systems.

#![allow(missing_docs)]

mod checkpoints;
#[path = "../support/cpp.rs"]
mod cpp;
mod event_bits;
mod events;
#[path = "../support/gpu.rs"]
mod gpu;
mod known;
mod learning;
#[path = "../support/learnt.rs"]
mod learnt;
mod lyapunov;
#[path = "../support/opencl.rs"]
mod opencl;
mod points;
mod replay;
#[path = "../support/same_gradients.rs"]
mod same;
mod stiff;
mod wrapped;
