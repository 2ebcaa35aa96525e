//! Problems: single initial value problems, ensembles, and the inputs of a solve.

mod actions;
pub(crate) mod asked;
pub mod columns;
pub(crate) mod draw;
pub(crate) mod ensemble;
mod evaluate;
pub mod inputs;
pub mod layout;
pub(crate) mod ode;
pub(crate) mod options;
pub(crate) mod samples;
pub mod settings;
pub(crate) mod shard;
pub(crate) mod sweep;

pub use ensemble::{EnsembleProblem, InPrecision, ProblemOfEach, StopsOfEach, Unvaried, Vary};
pub use ode::{Numbers, OdeProblem, TimeSpan};
