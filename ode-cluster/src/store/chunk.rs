//! The bytes of a chunk's results, in a file or a message.
//!
//! All numbers are little-endian. `docs/clusters.md` explains how to read a file in other programs.
//!
//! ```text
//! 8    "odeschk4"
//! 32   the hash of the manifest
//! 32   a hash of the chunk's inputs
//! 8    the chunk
//! 8    the number of its first trajectory, in the whole ensemble
//! 8    the number of its trajectories, n
//! 88   the rows of each array of `ResultArray`: 11 numbers
//!      the arrays in this order, n numbers in each row, each array filled up to 8 bytes
//! 32   the BLAKE3 hash of all before
//! ```

use core::ops::Range;

use blake3::{Hash, Hasher};
use ode_core::RawResults;
use ode_core::lane::Scalar;
use ode_core::problem::layout::Layout;
use ode_core::solution::ResultArray;

#[cfg(target_endian = "big")]
compile_error!(
    "chunk files are little-endian, and this machine is big-endian, which is not supported"
);

const MAGIC: &[u8; 8] = b"odeschk4";
const HEADER: usize = 8 + 2 * 32 + 3 * 8 + ResultArray::COUNT * 8;
const HASH: usize = 32;

/// The identity of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkId {
    /// The hash of the manifest.
    pub(crate) manifest: Hash,
    /// The hash of the inputs.
    pub(crate) inputs: Hash,
    /// The index of the chunk.
    pub(crate) chunk: u64,
    /// The index of its first trajectory.
    pub(crate) first: u64,
    /// The number of its trajectories.
    pub(crate) len: usize,
}

/// The reason why bytes do not match a chunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// The bytes have changed.
    Damaged(&'static str),
    /// The bytes belong to another solve.
    Foreign,
    /// The bytes were computed from other inputs.
    Inputs,
}

/// The number of rows of each array.
fn rows(layout: &Layout) -> [u64; ResultArray::COUNT] {
    ResultArray::ALL.map(|array| array.rows(layout) as u64)
}

/// The size of an element of each array.
fn sizes<T>() -> [usize; ResultArray::COUNT] {
    ResultArray::ALL.map(ResultArray::size::<T>)
}

/// Encodes the trajectories `range` of `results`, which contain `n` trajectories.
pub(crate) fn encode<T: Scalar>(
    id: &ChunkId,
    layout: &Layout,
    (results, n): (&RawResults<T>, usize),
    range: Range<usize>,
) -> Vec<u8> {
    let arrays = results.bytes();
    let size: usize = arrays.iter().map(|bytes| bytes.len() / n.max(1) * range.len() + 8).sum();
    let mut bytes = Vec::with_capacity(HEADER + size + HASH);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(id.manifest.as_bytes());
    bytes.extend_from_slice(id.inputs.as_bytes());
    let rows = rows(layout);
    for number in [id.chunk, id.first, id.len as u64].into_iter().chain(rows) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for ((array, rows), size) in arrays.into_iter().zip(rows).zip(sizes::<T>()) {
        // An array that the sink does not want may have any length.
        for row in array.chunks_exact((n * size).max(1)).take(rows as usize) {
            bytes.extend_from_slice(&row[range.start * size..range.end * size]);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let hash = hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// Checks that bytes belong to the chunk of this id.
pub(crate) fn check(bytes: &[u8], id: &ChunkId, layout: &Layout) -> Result<(), Mismatch> {
    if bytes.len() < HEADER + HASH {
        return Err(Mismatch::Damaged("it is too short"));
    }
    if &bytes[..8] != MAGIC {
        return Err(Mismatch::Damaged("it does not begin like a chunk"));
    }
    let (body, found) = bytes.split_at(bytes.len() - HASH);
    if hash(body).as_bytes() != found {
        return Err(Mismatch::Damaged("its hash does not match its bytes"));
    }
    let mut numbers = body[72..HEADER].chunks_exact(8).map(|bytes| {
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        u64::from_le_bytes(number)
    });
    let due = [id.chunk, id.first, id.len as u64].into_iter().chain(rows(layout));
    if &body[8..40] != id.manifest.as_bytes() || !due.eq(&mut numbers) {
        return Err(Mismatch::Foreign);
    }
    if &body[40..72] != id.inputs.as_bytes() {
        return Err(Mismatch::Inputs);
    }
    Ok(())
}

/// Copies trajectories `from` of a chunk of `len` to `results`, from trajectory `at` on.
///
/// The bytes were [checked](check), and `results` contain `n` trajectories. Returns `None` if there
/// are too few bytes.
pub(crate) fn decode<T: Scalar>(
    bytes: &[u8],
    len: usize,
    from: Range<usize>,
    (results, n): (&mut RawResults<T>, usize),
    at: usize,
) -> Option<()> {
    let mut rest = bytes.get(HEADER..)?;
    for (array, size) in results.bytes_mut().into_iter().zip(sizes::<T>()) {
        let rows = array.len() / (n * size).max(1);
        let (mine, behind) = rest.split_at_checked((rows * len * size).next_multiple_of(8))?;
        rest = behind;
        copy_rows((mine, len), from.clone(), (array, n), at, size);
    }
    Some(())
}

/// Copies elements `from` of each row of an array to the row of another, from element `at` on.
///
/// The rows of the arrays have `len` and `n` elements of `size` bytes.
pub(crate) fn copy_rows(
    (given, len): (&[u8], usize),
    from: Range<usize>,
    (array, n): (&mut [u8], usize),
    at: usize,
    size: usize,
) {
    let rows = array.chunks_exact_mut((n * size).max(1));
    for (row, given) in rows.zip(given.chunks_exact((len * size).max(1))) {
        row[at * size..][..from.len() * size]
            .copy_from_slice(&given[from.start * size..from.end * size]);
    }
}

fn hash(bytes: &[u8]) -> Hash {
    Hasher::new().update(bytes).finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::cast_slice;

    #[test]
    fn too_few_bytes_are_noticed() {
        // Two state components and a return code for each of three trajectories.
        let finals = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0];
        let codes = [1u8, 2, 3, 0, 0, 0, 0, 0];
        let bytes = [&[0; HEADER][..], cast_slice(&finals), &codes].concat();
        let mut found = RawResults::<f64>::default();
        (found.finals, found.codes) = (vec![0.0; 6].into(), vec![0; 3].into());
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length], 3, 0..3, (&mut found, 3), 0), None, "{length}");
        }
        assert_eq!(decode(&bytes, 3, 0..3, (&mut found, 3), 0), Some(()));
        assert_eq!((&found.finals[..], &found.codes[..]), (&finals[..], &codes[..3]));
    }
}
