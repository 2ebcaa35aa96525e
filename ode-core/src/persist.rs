//! Persisted files: each is complete or absent, and identifies its content.

#[cfg(feature = "zarr")]
mod each;
mod identity;
mod replace;
#[cfg(feature = "save")]
mod streamed;

#[cfg(feature = "zarr")]
pub use each::each;
pub use identity::{Difference, difference, entries, lines, with_hash, without_hash};
pub use replace::{create, replace};
#[cfg(feature = "save")]
pub(crate) use streamed::Replacement;
