//! Evaluation of problems into inputs.
//!
//! A few trajectories yield a guess: the inputs that differ. One parallel pass then writes these
//! inputs and compares all other inputs with the first trajectory. If another input differs, too,
//! a second pass writes that input. So an input that is equal for all trajectories costs no memory,
//! and an input that differs is written once, at its final location.
//!
//! A backend may solve the first trajectories while later ones are evaluated. The inputs are then
//! evaluated in chunks ([`Later`]). If the guess has missed an input, the evaluation reports this
//! at the end, and the whole solve is repeated.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::memory::ResultBuffer;
use crate::problem::inputs::{Input, same};

/// The number of trajectories that a thread evaluates at a time.
///
/// Fewer trajectories are not worth a thread.
pub(crate) const BLOCK: usize = 4096;

/// The number of values that one call of `Write` writes, rounded to whole rows.
///
/// The number is large enough to hide the cost of a call, and small enough for the cache.
pub(crate) const ROWS_NUMBERS: usize = 1024;

/// The number of trajectories that the guess compares with the first one.
const SAMPLES: usize = 8;

/// A function that writes the problems of a range of trajectories, row by row.
pub(crate) type Write<'a, T> = &'a (dyn Fn(Range<usize>, &mut [T]) + Sync);

/// The inputs that differ between a few of the `n` trajectories.
#[derive(Debug)]
pub(crate) struct Guess<T> {
    n: usize,
    first: Vec<T>,
    /// The inputs that differ.
    differ: Vec<usize>,
    /// The inputs that are equal in these few trajectories.
    alike: Vec<usize>,
}

impl<T: Scalar> Guess<T> {
    /// Evaluates a few trajectories.
    ///
    /// The problem of a trajectory is a row of `width` numbers.
    pub(crate) fn new(n: usize, width: usize, write: Write<'_, T>) -> Self {
        let mut first = vec![T::default(); width];
        write(0..1, &mut first);
        let mut differs = vec![false; width];
        let mut row = vec![T::default(); width];
        for k in 0..SAMPLES.min(n - 1) {
            // The second trajectory, the last one, and some in between.
            let i = 1 + k * (n - 2) / (SAMPLES - 1).min(n - 2).max(1);
            write(i..i + 1, &mut row);
            for (differs, (value, first)) in differs.iter_mut().zip(row.iter().zip(&first)) {
                *differs |= !same(*value, *first);
            }
        }
        let (differ, alike) = (0..width).partition(|&c| differs[c]);
        Guess { n, first, differ, alike }
    }

    /// Returns whether the trajectories of the guess differ in input `c`.
    pub(crate) fn differs(&self, c: usize) -> bool {
        self.differ.contains(&c)
    }

    /// Returns inputs that give all trajectories the values of the first one.
    fn shared(&self) -> Vec<Input<T>> {
        self.first.iter().map(|&value| Input::all(value)).collect()
    }

    /// Returns the inputs of all trajectories.
    pub(crate) fn columns(
        self,
        threads: EvaluationThreads,
        write: Write<'_, T>,
    ) -> Result<Vec<Input<T>>, SolveError> {
        let mut columns = self.shared();
        let Guess { n, first, differ, alike } = self;
        let mut pass = |wanted: &[usize], compared: &[usize]| {
            let made = wanted.iter().map(|_| ResultBuffer::of(n));
            let mut made: Vec<ResultBuffer<T>> = made.collect::<Result<_, _>>()?;
            let surprises = fill(threads, 0..n, &first, (wanted, &mut made), compared, write);
            for (&c, values) in wanted.iter().zip(made) {
                columns[c] = Input::stored(values);
            }
            Ok::<_, SolveError>(surprises)
        };
        let surprises = pass(&differ, &alike)?;
        if !surprises.is_empty() {
            pass(&surprises, &[])?;
        }
        Ok(columns)
    }

    /// Returns the inputs without values, and the evaluation that fills them.
    pub(crate) fn later(self) -> Result<(Vec<Input<T>>, Later<T>), SolveError> {
        let Guess { n, differ, .. } = &self;
        // At least a megabyte per input and chunk, and at most 65 chunks.
        let length = ((1 << 20) / size_of::<T>()).max((n / 64).next_power_of_two());
        let chunks = n.div_ceil(length);
        let mut memory = VecDeque::new();
        for chunk in 0..chunks {
            let len = length.min(n - chunk * length);
            let made = differ.iter().map(|_| ResultBuffer::of(len));
            memory.push_back(made.collect::<Result<_, _>>()?);
        }
        let bits = length.trailing_zeros();
        let mut columns = self.shared();
        for &c in differ {
            columns[c] = Input::later(bits, *n);
        }
        Ok((columns, Later { guess: self, bits, memory }))
    }
}

/// Inputs that are not evaluated yet, except for the trajectories of the guess.
#[derive(Debug)]
pub(crate) struct Later<T> {
    guess: Guess<T>,
    /// The logarithm of a chunk's length, to base 2.
    bits: u32,
    /// Memory for the inputs that differ, chunk by chunk, reserved before it is needed.
    memory: VecDeque<Vec<ResultBuffer<T>>>,
}

impl<T: Scalar> Later<T> {
    /// Evaluates all problems into `columns`, the first ones first.
    ///
    /// Returns whether the guess has missed an input. If so, `columns` are wrong.
    ///
    /// All chunks are filled, even after a panic, so that no reader blocks forever.
    pub(crate) fn evaluate(
        self,
        threads: EvaluationThreads,
        columns: &[&Input<T>],
        write: Write<'_, T>,
    ) -> bool {
        let Later { guess: Guess { n, first, differ, alike }, bits, memory } = self;
        let chunks = memory.into_iter().enumerate();
        let chunks =
            chunks.map(|(index, memory)| PendingChunk { index, memory, differ: &differ, columns });
        let chunks = Mutex::new(chunks.collect());
        let surprised = AtomicBool::new(false);
        // While the last trajectories of a chunk are evaluated, idle threads begin the next chunk.
        std::thread::scope(|scope| {
            let threads: [_; AT_A_TIME] = core::array::from_fn(|_| {
                scope.spawn(|| {
                    let rest = Rest(&chunks);
                    while let Some(mut chunk) = rest.next() {
                        let from = chunk.index << bits;
                        let range = from..n.min(from + (1 << bits));
                        let columns = (&differ[..], &mut chunk.memory[..]);
                        if !fill(threads, range, &first, columns, &alike, write).is_empty() {
                            surprised.store(true, Ordering::Relaxed);
                        }
                    }
                })
            });
            for thread in threads {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
        });
        surprised.into_inner()
    }
}

/// The number of chunks that are evaluated at a time.
const AT_A_TIME: usize = 2;

/// A chunk of the inputs that differ.
///
/// Dropping the chunk makes its values readable, even after a panic.
struct PendingChunk<'a, T: Scalar> {
    index: usize,
    memory: Vec<ResultBuffer<T>>,
    differ: &'a [usize],
    columns: &'a [&'a Input<T>],
}

impl<T: Scalar> Drop for PendingChunk<'_, T> {
    fn drop(&mut self) {
        for (&c, values) in self.differ.iter().zip(self.memory.drain(..)) {
            self.columns[c].put(self.index, values);
        }
    }
}

/// The remaining chunks.
///
/// A thread that panics drops them, so that no reader blocks forever.
struct Rest<'a, 'c, T: Scalar>(&'a Mutex<VecDeque<PendingChunk<'c, T>>>);

impl<'c, T: Scalar> Rest<'_, 'c, T> {
    fn next(&self) -> Option<PendingChunk<'c, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl<T: Scalar> Drop for Rest<'_, '_, T> {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

/// Evaluates the problems of trajectories `range`, and writes the inputs `wanted`.
///
/// Returns those inputs among `compared` that differ from the `first` trajectory in this range.
fn fill<T: Scalar>(
    threads: EvaluationThreads,
    range: Range<usize>,
    first: &[T],
    (wanted, columns): (&[usize], &mut [ResultBuffer<T>]),
    compared: &[usize],
    write: Write<'_, T>,
) -> Vec<usize> {
    let width = first.len();
    let mut blocks: Vec<(Range<usize>, Vec<&mut [T]>)> = Vec::new();
    blocks.extend(range.clone().step_by(BLOCK).map(|from| {
        let block = from..range.end.min(from + BLOCK);
        (block, Vec::with_capacity(wanted.len()))
    }));
    for column in columns {
        for ((_, parts), part) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            parts.push(part);
        }
    }
    let some = (ROWS_NUMBERS / width).max(1);
    // The first row is repeated, so that one loop compares all rows of a call.
    let rows_first = first;
    let mut compares = vec![0u32; width];
    compared.iter().for_each(|&c| compares[c] = u32::MAX);
    let words = size_of::<T>() / size_of::<u32>();
    let mask: Vec<u32> = compares.iter().flat_map(|&mask| vec![mask; words]).collect();
    let (first, mask) = (bytemuck::cast_slice::<T, u32>(first).repeat(some), mask.repeat(some));
    let differs: Vec<AtomicBool> = compared.iter().map(|_| AtomicBool::new(false)).collect();
    threads.each_of(blocks, &|(range, mut parts)| {
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
            // The fold collects all bits of compared inputs that differ from the first row.
            let words: &[u32] = bytemuck::cast_slice(rows);
            let expected = words.iter().zip(first.iter().zip(&mask));
            if expected.fold(0, |bits, (word, (first, mask))| bits | (word ^ first) & mask) != 0 {
                for (found, &c) in found.iter_mut().zip(compared) {
                    let value = rows_first[c];
                    *found |= rows.chunks_exact(width).any(|row| !same(row[c], value));
                }
            }
        }
        for (found, differs) in found.into_iter().zip(&differs) {
            if found {
                differs.store(true, Ordering::Relaxed);
            }
        }
    });
    let surprises = compared.iter().zip(differs);
    let surprises = surprises.filter(|(_, differs)| differs.load(Ordering::Relaxed));
    surprises.map(|(&c, _)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that differs between trajectories stores all its values.
    ///
    /// Any other input stores one number. Zeros of different signs differ.
    #[test]
    fn columns_have_the_numbers_of_the_rows() {
        let value = |c: usize, i: usize, n: usize| match c {
            0 => 1.5,
            1 => i as f64,
            // One trajectory differs, which the guess misses if `n` is large.
            2 => f64::from(u8::from(i == 2 * n / 3 + 1)),
            3 => f64::NAN,
            4 => -0.0 * f64::from(u8::from(i + 1 == n)),
            _ => f64::from(u8::from(i == 0)),
        };
        for threads in [EvaluationThreads::Caller, EvaluationThreads::Pool] {
            for n in [1, 2, 3, 9, 10, 100, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
                let write = |range: Range<usize>, rows: &mut [f64]| {
                    for (i, row) in range.zip(rows.chunks_exact_mut(6)) {
                        (0..6).for_each(|c| row[c] = value(c, i, n));
                    }
                };
                let found = Guess::new(n, 6, &write).columns(threads, &write).unwrap();
                for (c, column) in found.iter().enumerate() {
                    let all: Vec<u64> = (0..n).map(|i| value(c, i, n).to_bits()).collect();
                    assert!((0..n).all(|i| column.get(i).to_bits() == all[i]), "{c} of {n}");
                    let alike = all.iter().all(|bits| *bits == all[0]);
                    assert_eq!(column.is_stored(), !alike, "{c} of {n}");
                }
            }
        }
    }

    /// Evaluation in chunks gives the same inputs, and reports a wrong guess.
    #[test]
    fn later_columns_are_the_same() {
        for (n, odd, surprising) in [(1 << 20, usize::MAX, false), ((1 << 20) + 77, 700_000, true)]
        {
            let write = |range: Range<usize>, rows: &mut [f64]| {
                for (i, row) in range.zip(rows.chunks_exact_mut(3)) {
                    row.copy_from_slice(&[2.5, i as f64, f64::from(u8::from(i == odd))]);
                }
            };
            let (columns, later) = Guess::new(n, 3, &write).later().unwrap();
            let all: Vec<&Input<f64>> = columns.iter().collect();
            let surprised = std::thread::scope(|scope| {
                let evaluated =
                    scope.spawn(|| later.evaluate(EvaluationThreads::Pool, &all, &write));
                assert!((0..n).step_by(999).all(|i| columns[1].get(i) == i as f64));
                evaluated.join().unwrap()
            });
            assert_eq!(surprised, surprising);
            assert!([0, 2].iter().all(|&c| columns[c].shared().is_some()));
        }
    }

    /// A problem that panics leaves no reader blocked.
    #[test]
    fn a_panic_ends_the_waiting() {
        let n = 1 << 20;
        let write = |range: Range<usize>, rows: &mut [f64]| {
            for (i, row) in range.zip(rows.chunks_exact_mut(1)) {
                assert_ne!(i, 600_001, "a mistake in a closure");
                row[0] = i as f64;
            }
        };
        let (columns, later) = Guess::new(n, 1, &write).later().unwrap();
        let all: Vec<&Input<f64>> = columns.iter().collect();
        std::thread::scope(|scope| {
            let evaluated = scope.spawn(|| later.evaluate(EvaluationThreads::Pool, &all, &write));
            let _ = columns[0].get(n - 1);
            assert!(evaluated.join().is_err());
        });
    }
}
