//! Files that outlive the process: they are whole or not there, and say what they are of.

mod identity;
mod replace;

pub use identity::{Difference, difference, entries, lines, sealed, unsealed};
pub use replace::replace;
