//! Lane programs, methods, problems and CPU ensembles of `odes`.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod features;

mod choice;
pub mod controller;
pub mod device;
pub mod ensemble;
mod error;
mod feed;
pub mod first;
pub mod guard;
mod host;
pub mod initial;
pub mod inputs;
pub mod integrate;
pub mod lane;
pub mod linear;
pub mod math;
pub mod methods;
mod options;
mod outlined;
mod problem;
pub mod report;
#[cfg(feature = "save")]
pub mod save;
mod sealed;
pub mod simd;
mod solution;
pub mod solver;
mod sweep;
pub mod system;
pub mod table;
pub mod timeline;
mod workers;

pub use choice::{AnyMethod, UnknownMethod};
pub use controller::Controller;
pub use ensemble::{EnsembleAlgorithm, EnsembleSerial, EnsembleThreads, Schedule};
pub use error::{Memory, ObservableError, SolveError};
pub use guard::GrowthGuard;
#[doc(hidden)]
pub use host::ByPrecision;
pub use ndarray;
pub use options::{AbsTol, IntoSaveAt, SaveAt, Saving, SolveOptions, StepSize, TimeList};
pub use problem::{EnsembleProblem, Numbers, OdeProblem, StopsOfEach, TimeSpan, Unvaried, Vary};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde;
pub use solution::{
    Backend, EnsembleSolution, OdeSolution, RawResults, ReturnCode, Timings, Trajectories,
    Trajectory,
};
pub use solver::{Auto, Solver};
pub use sweep::{Axis, Quantity, Which};
