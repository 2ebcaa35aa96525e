//! Lane programs, methods, problems and CPU ensembles of `odes`.
//!
//! Programs use the crate `odes`, which re-exports the interface. Semantic versioning covers that
//! crate except for its module `internals`, as its documentation describes. Semantic versioning
//! does not cover the modules of this crate.
//!
//! # Lane programs
//!
//! A lane program is a module under `#[device]`. The attribute leaves the module unchanged and adds
//! `pub const DEVICE: &str`, its items as C++ (`ode_codegen::translate`). The lane programs of this
//! crate are in these modules:
//!
//! | module | contents |
//! |---|---|
//! | `math` | elementary functions |
//! | `random` | random and quasi-random numbers as functions of an index: Philox, Sobol' points, permutations, distributions by their quantiles, normal numbers by Box and Muller, Brownian paths |
//! | `system::linear` | eliminations in loops |
//! | `step` | the parts of a step: norms, step-size control, the growth guard, time, vectors, the trait `Stepper`, and one program for each family of methods: explicit, Rosenbrock, ESDIRK, stochastic, and pairs that switch |
//! | `methods` | one file for each method: its tableau, from which a macro of `step` generates the program |
//! | `integrate` | the loop, the lockstep loop, and the backward loop through recorded steps |

pub mod lane;
pub mod math;
#[macro_use]
pub mod step;

// Rustdoc lists the methods of a type in the order of modules: `problem` has the main ones.
pub mod problem;

pub mod ensemble;
mod error;
mod evaluation;
#[cfg(feature = "serde")]
mod file_format;
pub mod gradient;
pub mod integrate;
pub mod kernel;
pub mod lyapunov;
pub mod memory;
pub mod methods;
pub mod multilevel;
pub mod periodic;
pub mod persist;
pub mod random;
pub mod reserve;
mod sealed;
pub mod sensitivity;
pub mod solution;
pub mod summary;
pub mod system;
mod table;
pub mod watch;

pub use ensemble::choice::{AnyMethod, AnyStochasticMethod, UnknownMethod};
pub use ensemble::solver::{Auto, Method, Solver};
pub use ensemble::{
    EnsembleAlgorithm, EnsembleCpuArray, EnsembleSerial, EnsembleThreads, EnsembleWatched, Folded,
    LockstepNorm, MapEach, Schedule, SolveEach,
};
pub use error::{CheckpointError, EventError, FeatureError, Memory, ObservableError, SolveError};
pub use evaluation::EvaluationThreads;
pub use ndarray;
pub use problem::layout::Layout;
pub use problem::options::{
    AbsTol, EventLog, IntoSaveAt, LogRow, SaveAt, SavedComponents, SavedRow, Saving, SolveOptions,
    StepSize, TimeList, tstops_for, tstops_of,
};
pub use problem::samples::{
    Choice, Design, Linspace, LogNormal, LogUniform, Logspace, Normal, Rule, Samples, Scrambling,
    Uniform,
};
pub use problem::shard::{Launcher, Shard, ShardError};
pub use problem::sweep::{Axis, AxisValues, Quantity};
pub use problem::which::Which;
pub use problem::{
    EnsembleProblem, InPrecision, Numbers, OdeProblem, ProblemOfEach, StopsOfEach, TimeSpan,
    Unvaried, Vary,
};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde;
#[cfg(feature = "save")]
pub use solution::save;
pub use solution::{
    Backend, Collect, EnsembleSolution, Log, LoggedEvent, OdeSolution, RawResults, ResultSink,
    ReturnCode, RunReport, Share, Timings, Trajectories, Trajectory, Warning, WorstMember,
};
pub use step::controller::Controller;
pub use step::guard::GrowthGuard;
pub use watch::{CancellationToken, SolveProgress, SolveWatch};

/// Names in expansions of `#[ode_system]`, through the facade.
#[doc(hidden)]
pub mod __private {
    pub use crate::gradient::{EnsembleLoss, LossGradient};
    pub use crate::lane::{Real, Scalar};
    pub use crate::problem::{EnsembleProblem, OdeProblem, Unvaried};
    pub use crate::random::{arrivals, brownian, chance, nodes, path};
    pub use crate::solution::{EnsembleSolution, OdeSolution};
    pub use crate::system::capabilities::*;
    pub use crate::system::gradients::{Learn, Loss, PullBack, PullBackEvents};
    pub use crate::system::info::{LinearEquations, Operations};
    pub use crate::system::linear;
    pub use crate::system::modes::WithModes;
    pub use crate::system::noise::{Calculus, NoNoise, Noise, NoiseInfo, PullBackNoise};
    pub use crate::system::quantities::Quantities;
    pub use crate::system::report::Report;
    pub use crate::system::table::{device_table, extended, knots};
    pub use crate::system::{DeviceSource, System, SystemInfo, device_constant, in_order};
}
