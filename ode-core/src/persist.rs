//! Persisted files: each is complete or absent, and identifies its content.

#[cfg(feature = "save")]
mod each;
mod identity;
mod replace;

#[cfg(feature = "save")]
pub(crate) use each::each;
pub use identity::{Difference, difference, entries, lines, with_hash, without_hash};
pub use replace::{create, replace};
