//! The common code of the examples: options, backends, random parameters, progress, summary,
//! pictures.
//!
//! It contains no solver code, so each example shows a complete use of the library.

// Each example is a program of its own and uses only some modules; for the compiler, `pub` items
// here are public in no crate.
#![allow(dead_code, unreachable_pub)]

pub mod canvas;
pub mod fit;
pub mod map;
pub mod picture;
#[cfg(test)]
pub mod pixels;
pub mod place;
pub mod progress;
pub mod random;
pub mod summary;
