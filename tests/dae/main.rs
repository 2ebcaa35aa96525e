//! Mass matrices and differential-algebraic equations of index 1, by all implicit methods.

mod convergence;
mod initial;
#[path = "../support/intrinsics.rs"]
mod intrinsics;
mod problems;
mod same;
