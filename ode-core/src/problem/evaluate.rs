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
use crate::memory::{PageLock, ResultBuffer};
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
            let mut blocks: Vec<(Range<usize>, Vec<&mut [T]>)> = Vec::new();
            blocks.extend(
                (0..n)
                    .step_by(BLOCK)
                    .map(|from| (from..n.min(from + BLOCK), Vec::with_capacity(wanted.len()))),
            );
            for column in &mut made {
                for ((_, parts), part) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
                    parts.push(part);
                }
            }
            let pass = Pass::new(write, &first, wanted, compared);
            threads.each_of(blocks, &|(range, parts)| pass.evaluate(range, parts));
            let surprises = pass.surprises();
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
    ///
    /// Their memory is page-locked for `lock`, if there is such a device.
    pub(crate) fn later(
        self,
        lock: Option<&dyn PageLock>,
    ) -> Result<(Vec<Input<T>>, Later<T>), SolveError> {
        let Guess { n, differ, .. } = &self;
        let mut memory = VecDeque::new();
        memory.resize_with(n.div_ceil(1 << CHUNK_BITS), || Vec::with_capacity(differ.len()));
        for _ in differ {
            let whole = match lock {
                Some(lock) => ResultBuffer::of_device(*n, lock)?,
                None => ResultBuffer::of(*n)?,
            };
            let parts = whole.into_parts(1 << CHUNK_BITS);
            memory.iter_mut().zip(parts).for_each(|(chunk, part)| chunk.push(part));
        }
        let mut columns = self.shared();
        for &c in differ {
            columns[c] = Input::later(CHUNK_BITS, *n);
        }
        Ok((columns, Later { guess: self, memory }))
    }
}

/// Inputs that are not evaluated yet, except for the trajectories of the guess.
#[derive(Debug)]
pub(crate) struct Later<T> {
    guess: Guess<T>,
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
        let Later { guess: Guess { n, first, differ, alike }, memory } = self;
        let chunks = memory.into_iter().enumerate();
        let chunks =
            chunks.map(|(index, memory)| PendingChunk { index, memory, differ: &differ, columns });
        let chunks = Mutex::new(chunks.collect());
        let pass = Pass::new(write, &first, &differ, &alike);
        // Each thread takes the next chunk, so that the first chunks are finished first. The thread
        // that waits for the values needs a core, too.
        let busy = threads.count().saturating_sub(1).max(1);
        threads.each_with_caller(busy, &|_| {
            let rest = Rest(&chunks);
            while let Some(mut chunk) = rest.next() {
                let from = chunk.index << CHUNK_BITS;
                let parts = chunk.memory.iter_mut().map(|part| &mut part[..]);
                pass.evaluate(from..n.min(from + (1 << CHUNK_BITS)), parts.collect());
                drop(chunk);
                // A thread that waited for these values may have to run on this core.
                std::thread::yield_now();
            }
        });
        !pass.surprises().is_empty()
    }
}

/// The logarithm, to base 2, of the number of trajectories of a chunk of later inputs.
///
/// One thread evaluates a chunk in about 0.1 ms, so the first chunks are ready soon.
const CHUNK_BITS: u32 = 14;

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

/// One pass over the problems: it writes some inputs, and compares others with the first trajectory.
struct Pass<'a, T> {
    write: Write<'a, T>,
    /// The problem of the first trajectory.
    first: &'a [T],
    /// The inputs to write.
    wanted: &'a [usize],
    /// The inputs to compare.
    compared: &'a [usize],
    /// The number of problems of one call of `write`.
    rows: usize,
    /// The words of so many first rows, so that one loop compares all rows of a call.
    expected: Vec<u32>,
    /// The bits of these words that are compared.
    mask: Vec<u32>,
    /// Whether each of the compared inputs differs.
    differs: Vec<AtomicBool>,
}

impl<'a, T: Scalar> Pass<'a, T> {
    fn new(
        write: Write<'a, T>,
        first: &'a [T],
        wanted: &'a [usize],
        compared: &'a [usize],
    ) -> Self {
        let width = first.len();
        let rows = (ROWS_NUMBERS / width).max(1);
        let mut compares = vec![0u32; width];
        compared.iter().for_each(|&c| compares[c] = u32::MAX);
        let words = size_of::<T>() / size_of::<u32>();
        let mask: Vec<u32> = compares.iter().flat_map(|&mask| vec![mask; words]).collect();
        let expected = bytemuck::cast_slice::<T, u32>(first).repeat(rows);
        let differs = compared.iter().map(|_| AtomicBool::new(false)).collect();
        Pass { write, first, wanted, compared, rows, expected, mask: mask.repeat(rows), differs }
    }

    /// Evaluates the problems of `range`; each of `parts` receives the values of an input.
    fn evaluate(&self, range: Range<usize>, mut parts: Vec<&mut [T]>) {
        let width = self.first.len();
        let mut rows = vec![T::default(); self.rows.min(range.len()) * width];
        let mut found = vec![false; self.compared.len()];
        for from in range.clone().step_by(self.rows) {
            let to = range.end.min(from + self.rows);
            let rows = &mut rows[..(to - from) * width];
            (self.write)(from..to, rows);
            for (part, &c) in parts.iter_mut().zip(self.wanted) {
                let places = &mut part[from - range.start..to - range.start];
                for (place, row) in places.iter_mut().zip(rows.chunks_exact(width)) {
                    *place = row[c];
                }
            }
            // The fold collects all bits of compared inputs that differ from the first row.
            let words: &[u32] = bytemuck::cast_slice(rows);
            let expected = words.iter().zip(self.expected.iter().zip(&self.mask));
            if expected.fold(0, |bits, (word, (first, mask))| bits | (word ^ first) & mask) != 0 {
                for (found, &c) in found.iter_mut().zip(self.compared) {
                    let value = self.first[c];
                    *found |= rows.chunks_exact(width).any(|row| !same(row[c], value));
                }
            }
        }
        for (found, differs) in found.into_iter().zip(&self.differs) {
            if found {
                differs.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the compared inputs that differ from the first trajectory in a range.
    fn surprises(self) -> Vec<usize> {
        let surprises = self.compared.iter().zip(self.differs);
        surprises.filter_map(|(&c, differs)| differs.into_inner().then_some(c)).collect()
    }
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
            let (columns, later) = Guess::new(n, 3, &write).later(None).unwrap();
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
        let (columns, later) = Guess::new(n, 1, &write).later(None).unwrap();
        let all: Vec<&Input<f64>> = columns.iter().collect();
        std::thread::scope(|scope| {
            let evaluated = scope.spawn(|| later.evaluate(EvaluationThreads::Pool, &all, &write));
            let _ = columns[0].get(n - 1);
            assert!(evaluated.join().is_err());
        });
    }
}
