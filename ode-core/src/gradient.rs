//! Gradients of losses with respect to initial states and parameters, and training.
//!
//! * [`EnsembleProblem::pull_back`](crate::EnsembleProblem::pull_back) maps the derivatives of any
//!   loss with respect to saved and final states to the derivatives with respect to the initial
//!   state and the parameters of each trajectory. The rest of this module builds on it.
//! * [`EnsembleLoss`] is the sum of a module's `#[loss]` over all trajectories, as a function of
//!   the learnt quantities.
//! * [`Train`] minimises this loss.
//!
//! Gradients are discrete adjoints: derivatives through the steps that were taken, with frozen step
//! sizes. They are the exact derivatives of the computed solution, up to rounding. From the
//! derivatives of the exact solution they differ by an error of the order of the tolerance.

mod checkpoint;
mod ensemble;
mod finite;
mod lbfgs;
mod learning;
mod optimiser;
mod sum;
mod train;

pub(crate) use ensemble::refuse_mass;
pub use ensemble::{Cotangents, EnsembleGradient};
pub use lbfgs::Lbfgs;
pub use learning::{EnsembleLoss, Learnt, LossGradient, Objective};
pub use optimiser::{Adam, AdamW, Evaluation, Optimiser, Sgd};
pub use train::{IntoFlow, Progress, Train, Trained};
