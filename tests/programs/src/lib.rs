//! Tools that judge random programs; `tests/programs.rs` has the programs and the tests.
//!
//! Every right-hand side that the compiler emits is straight-line code. It is therefore
//! [recorded](tape) once, as a list of operations, and evaluated from the list in any numbers that
//! a test needs. Instantiating thousands of functions for each kind of number would take an hour to
//! compile.
//!
//! The loop solves programs with events as [recorded](replayed) systems, and a [plain
//! program](definition) follows them. `tests/events.rs` compares both.

#![allow(missing_docs)]

#[macro_use]
#[path = "../../support/dual.rs"]
mod dual;

pub mod bounded;
pub mod definition;
pub mod derivatives;
pub mod own;
pub mod program;
pub mod pulled;
pub mod replayed;
pub mod shapes;
pub mod tape;
