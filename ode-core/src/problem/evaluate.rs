//! Problems evaluated into columns.
//!
//! Which quantities differ is guessed from a few trajectories. Then one pass writes the columns of
//! those, in parallel, and compares all others with the first trajectory; if one of these differs,
//! too, a second pass writes its column. So what is equal for all costs no memory, and what differs
//! is written once, where it stays.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::memory::Buffer;
use crate::problem::columns::{Column, same};
use crate::workers::Workers;

/// Trajectories are built in parallel, so many at a time; fewer are not worth a thread.
pub(crate) const BLOCK: usize = 4096;

/// The number of numbers of the problems that are written at a time: so many that a call for them
/// does not count, and that they stay in the cache.
pub(crate) const ROWS_NUMBERS: usize = 1024;

/// How many trajectories the guess is from.
const SAMPLES: usize = 8;

/// Writes the problems of trajectories `range`, one row after the other.
pub(crate) type Write<'a, T> = &'a (dyn Fn(Range<usize>, &mut [T]) + Sync);

/// The columns of `n` trajectories, whose problems are rows of `width` numbers.
pub(crate) fn columns<T: Scalar>(
    workers: Workers,
    n: usize,
    width: usize,
    write: Write<'_, T>,
) -> Result<Vec<Column<T>>, SolveError> {
    let mut first = vec![T::default(); width];
    write(0..1, &mut first);
    let mut columns: Vec<Column<T>> = first.iter().map(|&value| Column::all(value)).collect();
    if n == 1 {
        return Ok(columns);
    }
    let mut differs = vec![false; width];
    let mut row = vec![T::default(); width];
    for k in 0..SAMPLES.min(n - 1) {
        // The second one, the last one, and some in between.
        let i = 1 + k * (n - 2) / (SAMPLES - 1).min(n - 2).max(1);
        write(i..i + 1, &mut row);
        for (differs, (value, first)) in differs.iter_mut().zip(row.iter().zip(&first)) {
            *differs |= !same(*value, *first);
        }
    }
    let guessed = chosen(&differs);
    let others = chosen(&differs.iter().map(|differs| !differs).collect::<Vec<_>>());
    let (written, surprises) = pass(workers, n, &first, &guessed, &others, write)?;
    for (c, values) in guessed.into_iter().zip(written) {
        columns[c] = Column::stored(values);
    }
    if !surprises.is_empty() {
        let (written, _) = pass(workers, n, &first, &surprises, &[], write)?;
        for (c, values) in surprises.into_iter().zip(written) {
            columns[c] = Column::stored(values);
        }
    }
    Ok(columns)
}

/// The indices of what is true.
fn chosen(which: &[bool]) -> Vec<usize> {
    which.iter().enumerate().filter(|(_, which)| **which).map(|(i, _)| i).collect()
}

/// Some columns, and which of the `compared` ones differ from the `first` trajectory anywhere.
type Passed<T> = (Vec<Buffer<T>>, Vec<usize>);

/// Evaluates all problems and writes the columns `wanted`.
fn pass<T: Scalar>(
    workers: Workers,
    n: usize,
    first: &[T],
    wanted: &[usize],
    compared: &[usize],
    write: Write<'_, T>,
) -> Result<Passed<T>, SolveError> {
    let width = first.len();
    let made = wanted.iter().map(|_| Buffer::of(n));
    let mut columns: Vec<Buffer<T>> = made.collect::<Result<_, _>>()?;
    let mut blocks: Vec<(Range<usize>, Vec<&mut [T]>)> = Vec::new();
    blocks.extend((0..n).step_by(BLOCK).map(|from| {
        let range = from..n.min(from + BLOCK);
        (range, Vec::with_capacity(wanted.len()))
    }));
    for column in &mut columns {
        for ((_, parts), part) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            parts.push(part);
        }
    }
    let differs: Vec<AtomicBool> = compared.iter().map(|_| AtomicBool::new(false)).collect();
    let some = (ROWS_NUMBERS / width).max(1);
    workers.each_of(blocks, |(range, mut parts)| {
        let mut rows = vec![T::default(); some.min(range.len()) * width];
        let mut found = vec![false; compared.len()];
        for from in range.clone().step_by(some) {
            let to = range.end.min(from + some);
            let rows = &mut rows[..(to - from) * width];
            write(from..to, rows);
            for (part, &c) in parts.iter_mut().zip(wanted) {
                let places = &mut part[from - range.start..to - range.start];
                for (place, row) in places.iter_mut().zip(rows.chunks_exact(width)) {
                    *place = row[c];
                }
            }
            for (found, &c) in found.iter_mut().zip(compared) {
                let value = first[c];
                *found |= rows.chunks_exact(width).any(|row| !same(row[c], value));
            }
        }
        for (found, differs) in found.iter().zip(&differs) {
            if *found {
                differs.store(true, Ordering::Relaxed);
            }
        }
    });
    let surprises = compared.iter().zip(differs);
    let surprises = surprises.filter(|(_, differs)| differs.load(Ordering::Relaxed));
    let surprises = surprises.map(|(&c, _)| c).collect();
    Ok((columns, surprises))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What differs somewhere is a column of all its values, wherever that is; what is equal for all
    /// is one number, and zeros have signs.
    #[test]
    fn columns_have_the_numbers_of_the_rows() {
        let value = |c: usize, i: usize, n: usize| match c {
            0 => 1.5,
            1 => i as f64,
            // Differs where no sample is.
            2 => f64::from(u8::from(i == 2 * n / 3 + 1)),
            3 => f64::NAN,
            4 => -0.0 * f64::from(u8::from(i + 1 == n)),
            _ => f64::from(u8::from(i == 0)),
        };
        for workers in [Workers::Caller, Workers::Pool] {
            for n in [1, 2, 3, 9, 10, 100, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
                let write = |range: Range<usize>, rows: &mut [f64]| {
                    for (i, row) in range.zip(rows.chunks_exact_mut(6)) {
                        (0..6).for_each(|c| row[c] = value(c, i, n));
                    }
                };
                let found = columns(workers, n, 6, &write).unwrap();
                for (c, column) in found.iter().enumerate() {
                    let all: Vec<u64> = (0..n).map(|i| value(c, i, n).to_bits()).collect();
                    assert!((0..n).all(|i| column.get(i).to_bits() == all[i]), "{c} of {n}");
                    let alike = all.iter().all(|bits| *bits == all[0]);
                    assert_eq!(column.is_stored(), !alike, "{c} of {n}");
                }
            }
        }
    }
}
