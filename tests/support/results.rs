//! Comparison of whole results, number by number.
//!
//! The arrays come from [`ResultArray::ALL`], so these functions also compare an array that is new.
#![allow(dead_code)]

use odes::backend::{RawResults, ResultArray};
use odes::lane::Scalar;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// Returns the number of an array's element, which is exact in `f64`.
fn number(array: ResultArray, bytes: &[u8]) -> f64 {
    match (array.device_type(), bytes) {
        ("R", &[a, b, c, d, e, f, g, h]) => f64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        ("R", &[a, b, c, d]) => f32::from_ne_bytes([a, b, c, d]).into(),
        ("u32", &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]).into(),
        ("unsigned char", &[byte]) => byte.into(),
        (other, _) => panic!("{array:?} has elements `{other}` of {} bytes", bytes.len()),
    }
}

/// Returns the bits of a number, which are equal for all NaNs.
fn to_bits(x: f64) -> u64 {
    // The sign and payload of a NaN are unspecified.
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

/// Returns the bits of an array for the trajectories `part` of `n`, row by row.
pub(crate) fn bits<T: Scalar>(
    results: &RawResults<T>,
    array: ResultArray,
    n: usize,
    part: Range<usize>,
) -> impl Iterator<Item = u64> {
    let (bytes, size) = (*array.of(&results.bytes()), array.size::<T>());
    let rows = bytes.chunks_exact(size * n.max(1));
    let part = size * part.start..size * part.end;
    let elements = rows.flat_map(move |row| row[part.clone()].chunks_exact(size));
    elements.map(move |element| to_bits(number(array, element)))
}

/// A number that differs between two results.
#[derive(Debug)]
pub(crate) struct Difference {
    array: ResultArray,
    row: usize,
    trajectory: usize,
    /// The expected number and the number that was found.
    numbers: [f64; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { array, row, trajectory, numbers: [expected, found] } = self;
        let name = array.name();
        write!(f, "trajectory {trajectory}: {name}[{row}] is {found:?} instead of {expected:?}")
    }
}

/// Returns the numbers of an array that differ, of results of `n` trajectories.
///
/// Panics if the lengths differ.
pub(crate) fn differences<T: Scalar>(
    array: ResultArray,
    n: usize,
    expected: &RawResults<T>,
    found: &RawResults<T>,
) -> Vec<Difference> {
    let lengths = [expected, found].map(|results| *array.of(&results.lengths()));
    assert_eq!(lengths[0], lengths[1], "the lengths of {array:?}");
    let [expected, found] = [expected, found].map(|results| *array.of(&results.bytes()));
    if expected == found {
        return Vec::new();
    }
    let elements = |bytes| <[u8]>::chunks_exact(bytes, array.size::<T>());
    let pairs = elements(expected).zip(elements(found)).map(|(a, b)| [a, b]);
    let numbers = pairs.map(|pair| pair.map(|element| number(array, element))).enumerate();
    let differing = numbers.filter(|(_, [a, b])| to_bits(*a) != to_bits(*b));
    let of = |(k, numbers)| Difference { array, row: k / n, trajectory: k % n, numbers };
    differing.map(of).collect()
}

/// Compares all results of `n` trajectories, bit for bit.
pub(crate) fn assert_same<T: Scalar>(n: usize, expected: &RawResults<T>, found: &RawResults<T>) {
    let (mut trajectories, mut shown) = (BTreeSet::new(), String::new());
    for array in ResultArray::ALL {
        let all = differences(array, n, expected, found);
        all.iter().take(3).for_each(|difference| shown += &format!("\n{difference}"));
        trajectories.extend(all.iter().map(|difference| difference.trajectory));
    }
    assert!(trajectories.is_empty(), "{} of {n} trajectories differ:{shown}", trajectories.len());
}
