//! The bytes of a chunk's results, in a message.
//!
//! The arrays of [`ResultArray`] follow each other in their order, each filled up to 8 bytes.

use core::ops::Range;

use ode_core::RawResults;
use ode_core::lane::Scalar;
use ode_core::solution::{ResultArray, ResultSet};

/// The size of an element of each array.
fn sizes<T>() -> [usize; ResultArray::COUNT] {
    ResultArray::ALL.map(ResultArray::size::<T>)
}

/// Encodes the trajectories `range` of `results`, which contain `n` trajectories.
///
/// Only arrays in `wanted` are encoded; others may have any length in `results`.
pub(crate) fn encode<T: Scalar>(
    wanted: ResultSet,
    (results, n): (&RawResults<T>, usize),
    range: Range<usize>,
) -> Vec<u8> {
    let arrays = ResultArray::ALL.into_iter().zip(results.bytes());
    let arrays = arrays.filter(|(array, _)| wanted.contains(*array));
    let size = arrays.clone().map(|(_, given)| given.len() / n.max(1) * range.len() + 8).sum();
    let mut bytes = Vec::with_capacity(size);
    for (array, given) in arrays {
        let size = array.size::<T>();
        for row in given.chunks_exact((n * size).max(1)) {
            bytes.extend_from_slice(&row[range.start * size..range.end * size]);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    bytes
}

/// Sets the numbers of `results`, which have the lengths of the encoded ones.
///
/// Returns `None` if there are too few bytes.
pub(crate) fn decode<T: Scalar>(mut bytes: &[u8], results: &mut RawResults<T>) -> Option<()> {
    for array in results.bytes_mut() {
        let (mine, rest) = bytes.split_at_checked(array.len().next_multiple_of(8))?;
        array.copy_from_slice(&mine[..array.len()]);
        bytes = rest;
    }
    Some(())
}

/// Copies trajectories `from` of `given` to `results`, from trajectory `at` on.
///
/// The results contain `len` and `n` trajectories. `results` may have fewer arrays.
pub(crate) fn copy<T: Scalar>(
    (given, len): (&RawResults<T>, usize),
    from: Range<usize>,
    (results, n): (&mut RawResults<T>, usize),
    at: usize,
) {
    let arrays = given.bytes().into_iter().zip(results.bytes_mut());
    for ((given, array), size) in arrays.zip(sizes::<T>()) {
        copy_rows((given, len), from.clone(), (array, n), at, size);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_the_results_of_a_chunk() {
        // Two state components and a return code for each of five trajectories.
        let finals: Vec<f64> = (0..10).map(f64::from).collect();
        let of = |finals: Vec<f64>, codes: Vec<u8>| RawResults {
            finals: finals.into(),
            codes: codes.into(),
            ..RawResults::default()
        };
        let given = of(finals, vec![9, 1, 2, 3, 9]);
        let wanted = ResultSet::from([ResultArray::Finals, ResultArray::Codes]);
        let bytes = encode(wanted, (&given, 5), 1..4);
        // Arrays that are not wanted may have any length.
        let other = RawResults { ends: vec![0.0; 7].into(), ..given };
        assert_eq!(encode(wanted, (&other, 5), 1..4), bytes);
        let mut found = of(vec![0.0; 6], vec![0; 3]);
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length], &mut found), None, "{length}");
        }
        assert_eq!(decode(&bytes, &mut found), Some(()));
        assert_eq!(found.finals[..], [1.0, 2.0, 3.0, 6.0, 7.0, 8.0]);
        assert_eq!(found.codes[..], [1, 2, 3]);
        // A sink without return codes.
        let mut target = of(vec![-1.0; 8], Vec::new());
        copy((&found, 3), 1..3, (&mut target, 4), 2);
        assert_eq!(target.finals[..], [-1.0, -1.0, 2.0, 3.0, -1.0, -1.0, 7.0, 8.0]);
    }
}
