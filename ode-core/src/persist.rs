//! Persisted files: each is complete or absent, and identifies its content.

mod identity;
mod replace;

pub use identity::{Difference, difference, entries, lines, with_hash, without_hash};
pub use replace::{create, replace};
