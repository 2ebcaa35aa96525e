//! The methods: one file each.

pub mod explicit;
pub mod tsit5;

pub use explicit::{Explicit, Step};
pub use tsit5::Tsit5;
