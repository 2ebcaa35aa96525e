//! Lockstep ensembles on the CPU: all trajectories have one step size.

mod attempt_io;
mod cells;
mod clock;
mod cpu;
mod members;
pub(crate) mod norm;

pub use cpu::EnsembleCpuArray;
pub use members::LockstepOptions;
pub(crate) use members::Members;
pub use norm::LockstepNorm;
