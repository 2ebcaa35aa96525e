//! Global sensitivity analyses of ensembles, in memory that does not grow with their size.
//!
//! The inputs of an analysis are the quantities that [sampling rules](crate::Samples) give a
//! distribution. The outputs are the saved states and observables at each saved time, or the final
//! states. The analysis makes some trajectories for each **base sample**, solves all of them in one
//! ensemble, and adds each batch to sums of outputs.
//!
//! Base samples belong to at most 64 groups of consecutive ones, with sums of their own. A bootstrap
//! draws groups. So it needs no results of single trajectories.

mod accumulate;
mod analysis;
mod groups;
mod indices;
mod morris;
mod sobol;
mod solve;
#[cfg(test)]
mod stub;

pub use crate::error::SensitivityError;
pub use analysis::Interval;
pub use indices::{SobolIndices, SobolIntervals};
pub use morris::{EffectIntervals, ElementaryEffects, Morris};
pub use sobol::Sobol;
