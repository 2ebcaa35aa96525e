//! Where trajectories run: ensemble algorithms, and those of the CPU.

mod algorithm;
pub(crate) mod choice;
mod cpu;
pub mod dispenser;
pub mod engine;
mod feed;
mod outlined;
pub(crate) mod pieces;
mod schedule;
mod solve;
#[doc(hidden)]
pub mod solver;
mod stack;
pub mod task;

pub use algorithm::EnsembleAlgorithm;
pub use cpu::{EnsembleSerial, EnsembleThreads};
pub use schedule::Schedule;
