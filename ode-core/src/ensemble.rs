//! Backends: the trait, and the backends of the CPU.

mod action_records;
pub mod adjoint;
mod algorithm;
pub(crate) mod batches;
mod checked_sink;
pub(crate) mod choice;
mod chunk;
mod cpu;
mod lane_io;
mod lane_results;
mod lockstep;
pub mod loop_config;
mod outlined;
pub(crate) mod ranges;
mod ranks;
pub mod raw_gradients;
mod reduce;
mod request;
mod schedule;
mod solve;
mod solve_each;
#[doc(hidden)]
pub mod solver;
mod stack;
mod step_records;
pub mod task;
mod two_speeds;
mod views;
mod watched;
pub mod work_queue;
pub mod worker;

pub use algorithm::{Capabilities, EnsembleAlgorithm, EvaluationPool, Evaluator, run_job};
pub use cpu::{EnsembleSerial, EnsembleThreads};
pub use lockstep::{EnsembleCpuArray, LockstepNorm, LockstepOptions};
pub use ranks::Ranks;
pub use request::{AdjointJob, Job, Request, RequestVisitor, SolveJob};
pub use schedule::Schedule;
pub use solve_each::{Folded, MapEach, SolveEach};
pub use watched::EnsembleWatched;
