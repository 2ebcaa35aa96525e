//! What the examples have in common: options, the choice of a place, random parameters, progress,
//! summary, pictures. None of it solves anything; an example reads as a use of the library.

// Each example is a program of its own and uses the part it needs; to the compiler, what is
// `pub` here is public in no crate.
#![allow(dead_code, unreachable_pub)]

pub mod canvas;
pub mod fit;
pub mod map;
pub mod picture;
pub mod place;
pub mod progress;
pub mod random;
pub mod summary;
