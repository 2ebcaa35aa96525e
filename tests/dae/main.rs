//! Mass matrices and differential-algebraic equations of index 1, by all implicit methods.

mod convergence;
mod initial;
mod problems;
mod same;
