//! The inputs of all trajectories as a structure of arrays, and ranges of them.
//!
//! Only this file distinguishes the kinds of inputs. Other files call methods of [`Input`]: for
//! the number of a trajectory, for the shared value, for the numbers to send to a device, and for
//! the rule of values that the device draws.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::memory::ResultBuffer;
use crate::problem::draw::values::{self, Values};
use crate::reserve::reserve;
use core::ops::Range;
use ode_macros::inlined;
use std::borrow::Cow;
use std::sync::OnceLock;

/// An input: one quantity of the problem over all trajectories.
///
/// The quantity is a component of the state, a parameter, or an end of the time span.
#[derive(Clone, Debug, PartialEq)]
pub struct Input<T>(Kind<T>);

#[derive(Clone, Debug, PartialEq)]
enum Kind<T> {
    /// One value for all trajectories.
    Shared(T),
    /// One value for each trajectory.
    Each(ChunkedValues<T>),
    /// One value for each trajectory, drawn wherever it is needed.
    Drawn(Box<Drawn>),
}

/// Values by a rule; `first` is the index of the first trajectory in the whole ensemble.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    values: Values,
    first: u64,
}

impl Drawn {
    fn value<T: Scalar>(&self, i: usize) -> T {
        T::narrow(values::value(&self.values, self.first + i as u64))
    }

    fn range<T: Scalar>(&self, range: Range<usize>) -> Vec<T> {
        let mut drawn = vec![0.0; range.len()];
        values::write(&self.values, self.first + range.start as u64, &mut drawn);
        drawn.into_iter().map(T::narrow).collect()
    }
}

/// The values of an input, in chunks whose length is a power of two.
///
/// While problems are evaluated, later chunks are empty. Reading a value blocks until its chunk is
/// filled.
#[derive(Clone, Debug, PartialEq)]
struct ChunkedValues<T> {
    /// The logarithm of a chunk's length, to base 2.
    bits: u32,
    /// The number of values, including values of empty chunks.
    len: usize,
    chunks: Vec<OnceLock<ResultBuffer<T>>>,
}

impl<T> ChunkedValues<T> {
    /// Stores all values in one chunk.
    fn one(values: ResultBuffer<T>) -> Self {
        let (bits, len) = (usize::BITS - 1, values.len());
        ChunkedValues { bits, len, chunks: vec![OnceLock::from(values)] }
    }

    /// Returns the chunk of value `i`, and the offset in the chunk.
    #[inlined]
    fn place(&self, i: usize) -> (usize, usize) {
        (i >> self.bits, i & ((1 << self.bits) - 1))
    }

    #[inlined]
    fn get(&self, i: usize) -> &T {
        let (chunk, within) = self.place(i);
        &self.chunks[chunk].wait()[within]
    }

    /// Returns the values of `range`, one slice for each chunk.
    fn slices(&self, range: Range<usize>) -> Vec<&[T]> {
        let mut slices = Vec::new();
        let mut from = range.start;
        while from < range.end {
            let (chunk, within) = self.place(from);
            let values = &self.chunks[chunk].wait()[within..];
            let values = &values[..values.len().min(range.end - from)];
            assert!(!values.is_empty(), "trajectories {range:?}");
            from += values.len();
            slices.push(values);
        }
        slices
    }
}

impl<T: Scalar> Input<T> {
    /// Creates an input with the same value for all trajectories.
    #[must_use]
    pub fn all(value: T) -> Self {
        Input(Kind::Shared(value))
    }

    /// Creates an input with a value for each trajectory.
    #[must_use]
    pub fn each(values: Vec<T>) -> Self {
        Input::stored(ResultBuffer::from(values))
    }

    /// Creates an input with a value for each trajectory, from a [`ResultBuffer`].
    #[must_use]
    pub fn stored(values: ResultBuffer<T>) -> Self {
        Input(Kind::Each(ChunkedValues::one(values)))
    }

    /// Creates an input whose values a rule draws, so that memory stores none.
    ///
    /// `first` is the index of the first trajectory in the whole ensemble.
    pub(crate) fn drawn(values: Values, first: u64) -> Self {
        Input(Kind::Drawn(Box::new(Drawn { values, first })))
    }

    /// Creates an input of `len` values; [`put`](Self::put) fills each chunk of `2^bits` later.
    pub(crate) fn later(bits: u32, len: usize) -> Self {
        let mut chunks = Vec::new();
        chunks.resize_with(len.div_ceil(1 << bits), OnceLock::new);
        Input(Kind::Each(ChunkedValues { bits, len, chunks }))
    }

    /// Stores the values of a chunk, which can be read from then on.
    pub(crate) fn put(&self, chunk: usize, values: ResultBuffer<T>) {
        if let Kind::Each(stored) = &self.0 {
            // A chunk that is already filled stays as it is.
            let _ = stored.chunks[chunk].set(values);
        }
    }

    /// Returns the value that all trajectories share, if they do.
    #[must_use]
    #[inlined]
    pub fn shared(&self) -> Option<T> {
        match &self.0 {
            Kind::Shared(value) => Some(*value),
            Kind::Each(_) | Kind::Drawn(_) => None,
        }
    }

    /// Returns the value of trajectory `i`, counted from the first trajectory of the inputs.
    ///
    /// # Panics
    /// If values are stored for each trajectory, and there is no such trajectory. Values that are
    /// shared or drawn exist for every index.
    #[must_use]
    #[inlined]
    pub fn get(&self, i: usize) -> T {
        match &self.0 {
            Kind::Shared(value) => *value,
            Kind::Each(chunks) => *chunks.get(i),
            Kind::Drawn(drawn) => drawn.value(i),
        }
    }

    /// Returns whether memory stores a number for each trajectory.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self.0, Kind::Each(_))
    }

    /// Returns the number of trajectories with values, if memory stores them.
    fn len(&self) -> Option<usize> {
        match &self.0 {
            Kind::Each(chunks) => Some(chunks.len),
            Kind::Shared(_) | Kind::Drawn(_) => None,
        }
    }

    /// Returns the numbers of trajectories `range` that are sent to a device.
    ///
    /// | the input is | numbers |
    /// |---|---|
    /// | [stored](Self::is_stored) | one for each trajectory, in one slice or several |
    /// | [shared](Self::shared) | one for all trajectories |
    /// | drawn by the device | none |
    ///
    /// # Panics
    /// If there are no such trajectories.
    #[must_use]
    pub fn numbers(&self, range: Range<usize>) -> Vec<&[T]> {
        match &self.0 {
            Kind::Shared(value) => vec![core::slice::from_ref(value)],
            Kind::Each(chunks) => chunks.slices(range),
            Kind::Drawn(_) => Vec::new(),
        }
    }

    /// Returns the rule of values that are drawn wherever they are needed.
    pub(crate) fn rule(&self) -> Option<&Values> {
        match &self.0 {
            Kind::Drawn(drawn) => Some(&drawn.values),
            Kind::Shared(_) | Kind::Each(_) => None,
        }
    }

    /// Copies the input for trajectories `range`.
    fn cut(&self, range: Range<usize>) -> Result<Self, SolveError> {
        Ok(Input(match &self.0 {
            Kind::Shared(value) => Kind::Shared(*value),
            Kind::Each(chunks) => {
                let mut values = ResultBuffer::of(range.len())?;
                let mut rest = &mut values[..];
                for slice in chunks.slices(range) {
                    let (here, behind) = rest.split_at_mut(slice.len());
                    here.copy_from_slice(slice);
                    rest = behind;
                }
                Kind::Each(ChunkedValues::one(values))
            }
            Kind::Drawn(drawn) => {
                let first = drawn.first + range.start as u64;
                Kind::Drawn(Box::new(Drawn { values: drawn.values.clone(), first }))
            }
        }))
    }

    /// Returns a view of trajectories `range`, counted from the first of them.
    pub(crate) fn view(&self, range: Range<usize>) -> View<'_, T> {
        match &self.0 {
            Kind::Shared(value) => View::Shared(*value),
            Kind::Each(chunks) => View::Each(match chunks.slices(range)[..] {
                [one] => Cow::Borrowed(one),
                ref several => Cow::Owned(several.concat()),
            }),
            Kind::Drawn(drawn) => View::Each(Cow::Owned(drawn.range(range))),
        }
    }
}

/// A view of an input for some trajectories, for frequent reads.
#[derive(Clone, Debug)]
pub(crate) enum View<'a, T: Clone> {
    /// One value for all trajectories.
    Shared(T),
    /// One value for each trajectory.
    Each(Cow<'a, [T]>),
}

impl<T: Copy> View<'_, T> {
    /// Returns the value of trajectory `i` of the view.
    #[inlined]
    pub(crate) fn get(&self, i: usize) -> T {
        match self {
            View::Shared(value) => *value,
            View::Each(values) => values[i],
        }
    }
}

/// Whether two numbers have the same bits: NaN equals NaN, and zeros have signs.
pub(crate) fn same<T: Scalar>(a: T, b: T) -> bool {
    a.widen().to_bits() == b.widen().to_bits()
}

/// Times of all trajectories, to save at or to stop at.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveTimes<T>(Lists<T>);

#[derive(Clone, Debug, PartialEq)]
enum Lists<T> {
    /// The same times for all trajectories.
    Shared(Vec<T>),
    /// `slots` times for each of `n` trajectories, `[slot * n + trajectory]`.
    Each { slots: usize, n: usize, times: Vec<T> },
}

impl<T: Scalar> SaveTimes<T> {
    /// Creates the same times for all trajectories.
    #[must_use]
    pub fn all(times: Vec<T>) -> Self {
        SaveTimes(Lists::Shared(times))
    }

    /// Creates `slots` times for each of `n` trajectories, `[slot * n + trajectory]`.
    ///
    /// A trajectory with fewer times has infinities in the last slots.
    #[must_use]
    pub fn each(slots: usize, n: usize, times: Vec<T>) -> Self {
        SaveTimes(Lists::Each { slots, n, times })
    }

    /// Returns the times that all trajectories share, if they do.
    #[must_use]
    pub fn shared(&self) -> Option<&[T]> {
        match &self.0 {
            Lists::Shared(times) => Some(times),
            Lists::Each { .. } => None,
        }
    }

    /// Returns all times of all trajectories, in no order, each perhaps several times.
    pub(crate) fn of_all(&self) -> Vec<T> {
        match &self.0 {
            Lists::Shared(times) => times.clone(),
            Lists::Each { times, .. } => {
                times.iter().copied().filter(|time| time.widen().is_finite()).collect()
            }
        }
    }

    /// Returns time `slot` of trajectory `i`, counted from the first trajectory of the inputs.
    ///
    /// After the last time the result is infinite.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[inlined]
    pub fn get(&self, i: usize, slot: usize) -> T {
        match &self.0 {
            Lists::Shared(times) => times.get(slot).copied().unwrap_or(T::infinity()),
            Lists::Each { slots, .. } if slot >= *slots => T::infinity(),
            Lists::Each { n, times, .. } => times[slot * n + i],
        }
    }

    /// Returns the largest number of times of a trajectory.
    #[must_use]
    pub fn slots(&self) -> usize {
        match &self.0 {
            Lists::Shared(times) => times.len(),
            Lists::Each { slots, .. } => *slots,
        }
    }

    /// Returns the rows of times of trajectories `range` that are sent to a device.
    ///
    /// If the times are [shared](Self::shared), one row has all of them. Otherwise each slot has a
    /// row, with the time of each trajectory.
    ///
    /// # Panics
    /// If there are no such trajectories.
    pub fn rows(&self, range: Range<usize>) -> impl Iterator<Item = &[T]> {
        let (count, width, from, len) = match &self.0 {
            Lists::Shared(times) => (1, 0, 0, times.len()),
            Lists::Each { slots, n, .. } => (*slots, *n, range.start, range.len()),
        };
        let (Lists::Shared(times) | Lists::Each { times, .. }) = &self.0;
        (0..count).map(move |slot| &times[slot * width + from..][..len])
    }

    /// Copies the times of trajectories `range`.
    fn cut(&self, range: Range<usize>) -> Result<Self, SolveError> {
        if let Some(times) = self.shared() {
            return Ok(SaveTimes::all(times.to_vec()));
        }
        let (slots, n) = (self.slots(), range.len());
        let mut times = reserve(slots.saturating_mul(n))?;
        self.rows(range).for_each(|row| times.extend_from_slice(row));
        Ok(SaveTimes::each(slots, n, times))
    }

    /// Returns the strides by which a device finds times in the [`rows`](Self::rows).
    ///
    /// The strides are between slots and between trajectories, for rows of `n` trajectories.
    #[must_use]
    pub fn strides(&self, n: u32) -> (u32, u32) {
        if self.shared().is_some() { (1, 0) } else { (n, 1) }
    }
}

/// The inputs of all trajectories of a solve, or of some of them.
#[derive(Clone, Debug)]
pub struct Inputs<T> {
    /// The number of trajectories.
    pub trajectories: usize,
    /// The index of the first trajectory in the whole ensemble.
    ///
    /// If these are not all trajectories, the index may be above 0. All indices are below
    /// `2^64 - 1`.
    pub first: u64,
    /// The number of trajectories along each axis of a grid.
    pub shape: Vec<usize>,
    /// The initial states, an input for each component.
    pub u0: Vec<Input<T>>,
    /// The parameters, an input for each.
    pub p: Vec<Input<T>>,
    /// The beginnings of the time spans.
    pub t0: Input<T>,
    /// The ends of the time spans.
    pub t1: Input<T>,
    /// The times to save that are known before the solve.
    pub save: SaveTimes<T>,
    /// The times within the spans to stop at.
    pub stops: SaveTimes<T>,
    /// The absolute tolerances, if each component has its own.
    ///
    /// All trajectories share them.
    pub abstols: Vec<Input<T>>,
}

impl<T: Scalar> Inputs<T> {
    /// Returns all inputs.
    ///
    /// The order is: initial states, parameters, beginnings and ends of the time spans, and the
    /// absolute tolerances if each component has its own.
    pub fn quantities(&self) -> impl Iterator<Item = &Input<T>> {
        self.u0.iter().chain(&self.p).chain([&self.t0, &self.t1]).chain(&self.abstols)
    }

    /// Returns whether components have absolute tolerances of their own.
    #[must_use]
    pub fn has_own_tolerances(&self) -> bool {
        !self.abstols.is_empty()
    }

    /// Returns the absolute tolerance of component `d`.
    ///
    /// The result is `common` if components have no tolerances of their own.
    #[must_use]
    #[inlined]
    pub fn abstol(&self, d: usize, common: T) -> T {
        self.abstols.get(d).map_or(common, |column| column.get(0))
    }

    /// Returns whether a value or a time is stored for each trajectory.
    pub(crate) fn are_stored(&self) -> bool {
        let times = self.save.shared().is_none() || self.stops.shared().is_none();
        times || self.quantities().any(Input::is_stored)
    }

    /// Returns the range of all trajectories.
    #[must_use]
    pub fn all(&self) -> InputRange<'_, T> {
        InputRange { columns: self, from: 0, to: self.trajectories }
    }

    /// Returns the range of trajectories with these indices in the whole ensemble.
    ///
    /// # Panics
    /// If there are no such trajectories.
    #[must_use]
    pub fn range(&self, numbers: Range<u64>) -> InputRange<'_, T> {
        self.all().range(numbers)
    }

    /// Checks that each input and each list of times has values for all trajectories.
    ///
    /// The function does not wait for values that are still being evaluated.
    ///
    /// # Errors
    /// [`SolveError::JobSize`].
    pub(crate) fn check_lengths(&self) -> Result<(), SolveError> {
        let n = self.trajectories;
        let columns = [
            ("u0", &self.u0[..]),
            ("p", &self.p[..]),
            ("t0", core::slice::from_ref(&self.t0)),
            ("t1", core::slice::from_ref(&self.t1)),
            ("abstols", &self.abstols[..]),
        ];
        for (what, columns) in columns {
            for given in columns.iter().filter_map(Input::len) {
                SolveError::check_size("inputs", what, given, n)?;
            }
        }
        for (what, times) in [("save", &self.save), ("stops", &self.stops)] {
            if let Lists::Each { slots, n: given, times } = &times.0 {
                SolveError::check_size("inputs", what, *given, n)?;
                SolveError::check_size("inputs", what, times.len(), slots.saturating_mul(n))?;
            }
        }
        Ok(())
    }

    /// Checks that all trajectories have the same times.
    ///
    /// Members of one [lockstep solve](struct@crate::EnsembleCpuArray) must share them.
    ///
    /// # Errors
    /// [`SolveError::ColumnsDiffer`].
    pub fn check_one_time(&self) -> Result<(), SolveError> {
        let one = |what, is: bool| is.then_some(()).ok_or(SolveError::ColumnsDiffer { what });
        let spans = self.t0.shared().is_some() && self.t1.shared().is_some();
        one("their time spans", spans)?;
        one("their times to save", self.save.shared().is_some())?;
        one("their times to stop at", self.stops.shared().is_some())
    }

    /// Returns the trajectories in order, `most` at a time.
    ///
    /// These are the batches of a [`ResultSink`](crate::solution::ResultSink).
    pub fn batches(&self, most: u64) -> impl Iterator<Item = InputRange<'_, T>> {
        self.all().chunks(usize::try_from(most).unwrap_or(usize::MAX))
    }
}

/// Consecutive trajectories of [`Inputs`], the work of a thread or a device at a time.
#[derive(Clone, Copy, Debug)]
pub struct InputRange<'a, T> {
    columns: &'a Inputs<T>,
    from: usize,
    to: usize,
}

impl<'a, T: Scalar> InputRange<'a, T> {
    /// Returns the inputs that this is a range of.
    #[must_use]
    #[inlined]
    pub fn inputs(self) -> &'a Inputs<T> {
        self.columns
    }

    /// Returns the indices of the trajectories in the inputs, as [`Input::get`] counts them.
    #[must_use]
    #[inlined]
    pub fn indices(self) -> Range<usize> {
        self.from..self.to
    }

    /// Returns the indices of the trajectories in the whole ensemble.
    #[must_use]
    #[inlined]
    pub fn numbers(self) -> Range<u64> {
        let first = self.columns.first;
        first.wrapping_add(self.from as u64)..first.wrapping_add(self.to as u64)
    }

    /// Returns the number of trajectories.
    #[must_use]
    #[inlined]
    pub fn len(self) -> usize {
        self.to - self.from
    }

    /// Returns whether the range is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    /// Returns the trajectories with these indices in the whole ensemble.
    ///
    /// # Panics
    /// If the range does not contain these trajectories.
    #[must_use]
    pub fn range(self, numbers: Range<u64>) -> Self {
        let all = self.numbers();
        assert!(
            all.start <= numbers.start && numbers.start <= numbers.end && numbers.end <= all.end,
            "trajectories {numbers:?} are not within {all:?}"
        );
        // At most `len`, which is a `usize`.
        let index = |number: u64| self.from + (number - all.start) as usize;
        InputRange { from: index(numbers.start), to: index(numbers.end), ..self }
    }

    /// Splits the range after `len` trajectories, or at its end if it has fewer.
    #[must_use]
    pub fn split(self, len: usize) -> (Self, Self) {
        let middle = self.to.min(self.from.saturating_add(len));
        (InputRange { to: middle, ..self }, InputRange { from: middle, ..self })
    }

    /// Copies the inputs of these trajectories, for another backend.
    ///
    /// Trajectories keep their indices in the whole ensemble.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`] if memory for the stored numbers cannot be reserved.
    pub fn to_inputs(self) -> Result<Inputs<T>, SolveError> {
        let all = self.columns;
        let cut = |columns: &[Input<T>]| -> Result<Vec<Input<T>>, SolveError> {
            columns.iter().map(|column| column.cut(self.indices())).collect()
        };
        Ok(Inputs {
            trajectories: self.len(),
            first: self.numbers().start,
            shape: vec![self.len()],
            u0: cut(&all.u0)?,
            p: cut(&all.p)?,
            t0: all.t0.cut(self.indices())?,
            t1: all.t1.cut(self.indices())?,
            save: all.save.cut(self.indices())?,
            stops: all.stops.cut(self.indices())?,
            abstols: cut(&all.abstols)?,
        })
    }

    /// Returns the trajectories in order, `most` at a time, but at least one.
    pub fn chunks(self, most: usize) -> impl Iterator<Item = Self> + use<'a, T> {
        let InputRange { columns, from, to } = self;
        (from..to).step_by(most.max(1)).map(move |from| InputRange {
            columns,
            from,
            to: to.min(from.saturating_add(most.max(1))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(n: usize, first: u64) -> Inputs<f64> {
        Inputs {
            trajectories: n,
            first,
            shape: vec![n],
            u0: vec![Input::all(1.0)],
            p: vec![Input::each((0..n).map(|i| i as f64).collect())],
            t0: Input::all(0.0),
            t1: Input::all(1.0),
            save: SaveTimes::all(vec![0.25, 0.5]),
            stops: SaveTimes::each(2, n, (0..2 * n).map(|i| i as f64).collect()),
            abstols: Vec::new(),
        }
    }

    #[test]
    fn chunks_are_all_trajectories_in_order() {
        const FIRST: u64 = (1 << 40) + 7;
        let columns = columns(10, FIRST);
        for most in [1, 3, 5, 9, 10, 11, u64::MAX] {
            let (mut next, mut sizes) = (0, Vec::new());
            for batch in columns.batches(most) {
                assert_eq!(batch.indices().start, next);
                assert_eq!(batch.numbers().start, FIRST + next as u64);
                assert_eq!(batch.numbers().end - batch.numbers().start, batch.len() as u64);
                let again = columns.range(batch.numbers());
                assert_eq!(again.indices(), batch.indices());
                next = batch.indices().end;
                sizes.push(batch.len() as u64);
            }
            assert_eq!(next, 10);
            let (last, others) = sizes.split_last().unwrap();
            assert!(others.iter().all(|&size| size == most) && *last <= most, "{most}");
        }
        let part = columns.range(FIRST + 4..FIRST + 9);
        let chunks: Vec<_> = part.chunks(2).map(InputRange::indices).collect();
        assert_eq!(chunks, [4..6, 6..8, 8..9]);
        for len in [0, 1, 4, 5, 6, usize::MAX] {
            let (head, tail) = part.split(len);
            assert_eq!((head.len(), tail.len()), (len.min(5), 5 - len.min(5)));
            assert_eq!(head.indices().end, tail.indices().start);
        }
    }

    /// Copies of a range have its numbers, for each kind of input.
    #[test]
    fn columns_of_a_range_are_those_of_its_trajectories() {
        let all = columns(10, 5);
        let cut = all.range(8..13).to_inputs().unwrap();
        assert_eq!((cut.trajectories, cut.first, cut.shape), (5, 8, vec![5]));
        for (whole, part) in all.quantities().zip(cut.u0.iter().chain(&cut.p)) {
            assert_eq!(whole.is_stored(), part.is_stored());
            assert!((0..5).all(|i| part.get(i) == whole.get(i + 3)));
        }
        assert_eq!(cut.save, all.save);
        for slot in 0..3 {
            assert!((0..5).all(|i| cut.stops.get(i, slot) == all.stops.get(i + 3, slot)));
        }
        let later = Input::later(3, 32);
        (0..4).for_each(|k| later.put(k, ResultBuffer::from(vec![k as f64; 8])));
        let cut = later.cut(6..18).unwrap();
        assert!((0..12).all(|i| cut.get(i) == later.get(i + 6)));
    }

    #[test]
    #[should_panic = "trajectories 1..12 are not within 2..12"]
    fn ranges_are_of_trajectories_that_there_are() {
        let columns = columns(12, 0);
        let inner = columns.range(2..12);
        let _ = inner.range(1..12);
    }

    /// Chunks that are filled one after the other make the same input, and early reads block.
    #[test]
    fn values_that_come_later_are_waited_for() {
        let value = |i: usize| i as f64 * 0.5;
        let column = Input::later(3, 29);
        std::thread::scope(|scope| {
            let looks = [0..1, 0..29, 7..9, 8..16, 20..28].map(|range| {
                let column = &column;
                scope.spawn(move || {
                    let view = column.view(range.clone());
                    let numbers = column.numbers(range.clone()).concat();
                    for (k, i) in range.enumerate() {
                        assert_eq!([numbers[k], view.get(k), column.get(i)], [value(i); 3]);
                    }
                })
            });
            for chunk in [1, 0, 3, 2] {
                let all = chunk * 8..29.min(chunk * 8 + 8);
                column.put(chunk, ResultBuffer::from(all.map(value).collect::<Vec<_>>()));
            }
            looks.into_iter().for_each(|look| look.join().unwrap());
        });
        assert!(column.is_stored());
    }

    /// The numbers that a device receives determine the numbers that the host has.
    #[test]
    fn devices_find_the_numbers_of_the_host() {
        let columns = columns(10, 0);
        for range in [0..10, 3..7, 9..10] {
            for column in columns.quantities() {
                let numbers = column.numbers(range.clone()).concat();
                for (k, i) in range.clone().enumerate() {
                    let found = numbers[if column.is_stored() { k } else { 0 }];
                    assert_eq!(found, column.get(i));
                    assert_eq!(column.shared().is_none(), column.is_stored());
                }
            }
            for times in [&columns.save, &columns.stops] {
                let numbers: Vec<f64> = times.rows(range.clone()).flatten().copied().collect();
                let (slot_stride, stride) = times.strides(range.len() as u32);
                for (k, i) in range.clone().enumerate() {
                    for slot in 0..times.slots() {
                        let at = slot * slot_stride as usize + k * stride as usize;
                        assert_eq!(numbers[at], times.get(i, slot));
                    }
                    assert_eq!(times.get(i, times.slots()), f64::INFINITY);
                }
            }
        }
    }
}
