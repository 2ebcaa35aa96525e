//! The bytes of a chunk's results, in a file or a message.
//!
//! All numbers are little-endian. `docs/clusters.md` explains how to read a file in other programs.
//!
//! ```text
//! 8    "odeschk3"
//! 32   the hash of the plan
//! 32   a hash of the chunk's inputs
//! 8    the chunk
//! 8    the number of its first trajectory, in the whole ensemble
//! 8    the number of its trajectories, n
//! 80   the rows of finals, saved, ends, codes, steps, rejected, kept, guarded, events, log: 10 numbers
//!      the arrays in this order, n numbers in each row, each array filled up to 8 bytes
//! 32   the BLAKE3 hash of all before
//! ```

use core::ops::Range;

use blake3::{Hash, Hasher};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use ode_core::RawResults;
use ode_core::lane::Scalar;
use ode_core::problem::layout::Layout;

#[cfg(target_endian = "big")]
compile_error!(
    "chunk files are little-endian, and this machine is big-endian, which is not supported"
);

const MAGIC: &[u8; 8] = b"odeschk3";
const HEADER: usize = 8 + 2 * 32 + 3 * 8 + ARRAYS * 8;
const ARRAYS: usize = 10;
const HASH: usize = 32;

/// The identity of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// The hash of the manifest.
    pub(crate) plan: Hash,
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
pub(crate) enum Refused {
    /// The bytes have changed.
    Damaged(&'static str),
    /// The bytes belong to another solve.
    Foreign,
    /// The bytes were computed from other inputs.
    Inputs,
}

/// The arrays of results as bytes, each with the size of its elements.
fn arrays<T: Pod>(results: &RawResults<T>) -> [(&[u8], usize); ARRAYS] {
    let RawResults { finals, saved, ends, codes, steps, rejected, kept, guarded, events, log } =
        results;
    let (number, count) = (size_of::<T>(), size_of::<u32>());
    [
        (cast_slice(finals), number),
        (cast_slice(saved), number),
        (cast_slice(ends), number),
        (cast_slice(codes), 1),
        (cast_slice(steps), count),
        (cast_slice(rejected), count),
        (cast_slice(kept), count),
        (cast_slice(guarded), count),
        (cast_slice(events), count),
        (cast_slice(log), number),
    ]
}

fn arrays_mut<T: Pod>(results: &mut RawResults<T>) -> [(&mut [u8], usize); ARRAYS] {
    let RawResults { finals, saved, ends, codes, steps, rejected, kept, guarded, events, log } =
        results;
    let (number, count) = (size_of::<T>(), size_of::<u32>());
    [
        (cast_slice_mut(finals), number),
        (cast_slice_mut(saved), number),
        (cast_slice_mut(ends), number),
        (cast_slice_mut(codes), 1),
        (cast_slice_mut(steps), count),
        (cast_slice_mut(rejected), count),
        (cast_slice_mut(kept), count),
        (cast_slice_mut(guarded), count),
        (cast_slice_mut(events), count),
        (cast_slice_mut(log), number),
    ]
}

/// The number of rows of each array.
fn rows(layout: &Layout) -> [usize; ARRAYS] {
    let (kept, guarded, events) = (layout.kept(), layout.guarded(), layout.events);
    [layout.states, layout.saved(), 1, 1, 1, 1, kept, guarded, events, layout.logged()]
}

/// Encodes the trajectories `range` of `results`, which contain `n` trajectories.
pub(crate) fn encode<T: Scalar>(
    label: &Label,
    layout: &Layout,
    (results, n): (&RawResults<T>, usize),
    range: Range<usize>,
) -> Vec<u8> {
    let arrays = arrays(results);
    let size: usize =
        arrays.iter().map(|(bytes, _)| bytes.len() / n.max(1) * range.len() + 8).sum();
    let mut bytes = Vec::with_capacity(HEADER + size + HASH);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(label.plan.as_bytes());
    bytes.extend_from_slice(label.inputs.as_bytes());
    let rows = rows(layout).map(|rows| rows as u64);
    for number in [label.chunk, label.first, label.len as u64].into_iter().chain(rows) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for (array, size) in arrays {
        for row in array.chunks_exact((n * size).max(1)) {
            bytes.extend_from_slice(&row[range.start * size..range.end * size]);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let hash = hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// Checks that bytes belong to the chunk of this label.
pub(crate) fn check(bytes: &[u8], label: &Label, layout: &Layout) -> Result<(), Refused> {
    if bytes.len() < HEADER + HASH {
        return Err(Refused::Damaged("it is too short"));
    }
    if &bytes[..8] != MAGIC {
        return Err(Refused::Damaged("it does not begin like a chunk"));
    }
    let (body, found) = bytes.split_at(bytes.len() - HASH);
    if hash(body).as_bytes() != found {
        return Err(Refused::Damaged("its hash does not match its bytes"));
    }
    let mut numbers = body[72..HEADER].chunks_exact(8).map(|bytes| {
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        u64::from_le_bytes(number)
    });
    let rows = rows(layout).map(|rows| rows as u64);
    let due = [label.chunk, label.first, label.len as u64].into_iter().chain(rows);
    if &body[8..40] != label.plan.as_bytes() || !due.eq(&mut numbers) {
        return Err(Refused::Foreign);
    }
    if &body[40..72] != label.inputs.as_bytes() {
        return Err(Refused::Inputs);
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
    for (array, size) in arrays_mut(results) {
        let rows = array.len() / (n * size).max(1);
        let (mine, behind) = rest.split_at_checked((rows * len * size).next_multiple_of(8))?;
        rest = behind;
        let to = array.chunks_exact_mut((n * size).max(1));
        for (row, given) in to.zip(mine.chunks_exact((len * size).max(1))) {
            row[at * size..][..from.len() * size]
                .copy_from_slice(&given[from.start * size..from.end * size]);
        }
    }
    Some(())
}

fn hash(bytes: &[u8]) -> Hash {
    Hasher::new().update(bytes).finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

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
