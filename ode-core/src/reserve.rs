//! Fallible allocation.

use crate::error::{Memory, SolveError};

/// Reserves memory for `len` values in an empty vector.
///
/// # Errors
/// [`SolveError::OutOfMemory`] if memory is exhausted.
pub fn reserve<T>(len: usize) -> Result<Vec<T>, SolveError> {
    let mut values = Vec::new();
    match values.try_reserve_exact(len) {
        Ok(()) => Ok(values),
        Err(_) => Err(SolveError::OutOfMemory {
            bytes: len.saturating_mul(size_of::<T>()),
            memory: Memory::Host,
        }),
    }
}
