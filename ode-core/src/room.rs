//! Memory that may not be there.

use crate::error::{Memory, SolveError};

/// An empty vector with room for `len` values, or an error where there is no memory for them.
///
/// # Errors
/// [`SolveError::OutOfMemory`].
pub fn room<T>(len: usize) -> Result<Vec<T>, SolveError> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(SolveError::OutOfMemory {
            bytes: len.saturating_mul(size_of::<T>()),
            memory: Memory::Host,
        }),
    }
}
