//! Gradients of losses by initial states and parameters, and what learns by them.
//!
//! * [`EnsembleProblem::pull_back`](crate::EnsembleProblem::pull_back) takes the derivatives of any
//!   loss by saved and final states to those by the initial state and the parameters of each
//!   trajectory. All else stands on it.
//! * [`EnsembleLoss`] is the sum of a module's `#[loss]` over all trajectories, as a function of
//!   what is learnt.
//! * [`Train`] makes it small.
//!
//! Gradients are discrete adjoints: those of the steps that were taken, whose sizes are frozen.
//! They are exact for what was computed, up to rounding, and differ from the derivatives of the
//! exact solution by an error of the order of the tolerance.

mod checkpoint;
mod ensemble;
mod lbfgs;
mod learning;
mod optimiser;
mod sum;
mod train;

pub use ensemble::{Cotangents, EnsembleGradient};
pub use lbfgs::Lbfgs;
pub use learning::{EnsembleLoss, Learnt, LossGradient};
pub use optimiser::{Adam, AdamW, Evaluation, Optimiser, Sgd};
pub use train::{IntoFlow, Progress, Train, Trained};
