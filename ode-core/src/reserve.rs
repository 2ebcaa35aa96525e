//! Fallible allocation.

use crate::error::{Memory, SolveError};

/// Reserves memory for at least `least` further values, and at least doubles the memory.
///
/// # Errors
/// The bytes of the memory that cannot be allocated. There is no second attempt with less memory.
pub(crate) fn grow<T>(values: &mut Vec<T>, least: usize) -> Result<(), usize> {
    let more = least.max(values.capacity());
    let bytes = values.len().saturating_add(more).saturating_mul(size_of::<T>());
    values.try_reserve_exact(more).map_err(|_| bytes)
}

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
