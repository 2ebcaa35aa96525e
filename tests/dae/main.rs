//! Mass matrices and differential-algebraic equations of index 1, by all implicit methods.

#[path = "../support/intrinsics.rs"]
mod intrinsics;
mod convergence;
mod initial;
mod problems;
mod same;
