//! Lockstep ensembles on the CPU: all trajectories have one step size.

mod cells;
mod clock;
mod cpu;
mod crowd;
pub(crate) mod norm;

pub use cpu::EnsembleCpuArray;
pub use crowd::ArrayPlan;
pub(crate) use crowd::Columns;
pub use norm::ArrayNorm;
