//! Problems: single initial value problems, ensembles, and the inputs of a solve.

mod actions;
pub(crate) mod draw;
pub(crate) mod ensemble;
pub(crate) mod ensemble_spec;
mod evaluate;
pub mod inputs;
pub mod layout;
pub(crate) mod ode;
pub(crate) mod options;
pub mod prepared;
pub mod resolved_options;
pub(crate) mod samples;
pub(crate) mod shard;
pub(crate) mod sweep;
mod tables;
pub(crate) mod which;

pub use ensemble::{EnsembleProblem, InPrecision, ProblemOfEach, StopsOfEach, Unvaried, Vary};
pub use ode::{Numbers, OdeProblem, TimeSpan};
