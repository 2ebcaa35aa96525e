//! The compiler behind `odes`.
//!
//! Two ways lead through it, both ordinary functions from tokens to tokens:
//!
//! * [`device`] prints lane programs (the solvers, written once in Rust) as CUDA C++;
//! * [`system`] compiles a plain right-hand side into a lane program with exact derivatives.

mod ast;
mod breaks;
mod check;
mod compose;
mod ctxt;
mod depth;
mod derive;
pub mod device;
mod elaborate;
mod emit;
mod factor;
mod fuse;
mod graph;
mod hygiene;
pub mod outside;
mod parse;
mod simplify;
pub mod system;
mod text;
