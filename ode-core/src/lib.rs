//! Lane programs, methods, problems and CPU ensembles of `odes`.

pub mod controller;
pub mod device;
pub mod ensemble;
mod error;
mod feed;
pub mod initial;
pub mod inputs;
pub mod integrate;
pub mod lane;
pub mod linear;
pub mod math;
pub mod methods;
mod options;
mod problem;
pub mod report;
pub mod simd;
mod solution;
pub mod solver;
pub mod system;
pub mod table;
pub mod timeline;

pub use controller::Controller;
pub use ensemble::{EnsembleAlgorithm, EnsembleSerial, EnsembleThreads, Schedule};
pub use error::{ObservableError, SolveError};
pub use options::{AbsTol, SaveAt, Saving, SolveOptions, StepSize};
pub use problem::{EnsembleProblem, OdeProblem, Unvaried, Vary};
pub use solution::{
    Backend, EnsembleSolution, OdeSolution, RawResults, ReturnCode, Timings, Trajectory,
};
pub use solver::{Auto, Solver};
