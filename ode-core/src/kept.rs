//! Persisted files: each is complete or absent, and identifies its content.

mod identity;
mod replace;

pub use identity::{Difference, difference, entries, lines, sealed, unsealed};
pub use replace::replace;
