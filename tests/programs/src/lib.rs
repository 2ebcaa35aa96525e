//! What random programs are judged with; `tests/programs.rs` has the programs and the judgements.
//!
//! Every right-hand side that the compiler emits is straight-line code, so it is [recorded](tape)
//! once, as a list of operations, and evaluated from that in whatever numbers a test needs. To
//! instantiate thousands of functions for each kind of number would take an hour to compile.

#![allow(missing_docs)]

#[macro_use]
#[path = "../../support/dual.rs"]
mod dual;

pub mod bounded;
pub mod own;
pub mod program;
pub mod tape;
