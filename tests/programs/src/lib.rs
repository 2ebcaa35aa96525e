//! What random programs are judged with; `tests/programs.rs` has the programs and the judgements.
//!
//! Every right-hand side that the compiler emits is straight-line code, so it is [recorded](tape)
//! once, as a list of operations, and evaluated from that in whatever numbers a test needs. To
//! instantiate thousands of functions for each kind of number would take an hour to compile.
//!
//! Those with events are solved by the loop, as [recorded](replayed) systems, and followed by a [plain
//! program](definition). `tests/events.rs` compares them.

#![allow(missing_docs)]

#[macro_use]
#[path = "../../support/dual.rs"]
mod dual;

pub mod bounded;
pub mod definition;
pub mod own;
pub mod program;
pub mod replayed;
pub mod shapes;
pub mod tape;
