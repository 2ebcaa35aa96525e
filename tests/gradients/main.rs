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
mod points;
mod replay;
mod stiff;
mod wrapped;
