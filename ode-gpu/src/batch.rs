//! How a batch of trajectories lies in device memory, and where its results go on the host.
//!
//! One piece of memory holds everything, so that a batch costs one allocation:
//!
//! ```text
//! counter | places | shared numbers | shared times | columns … | own times | results …
//! └ header, made for the batch ───────────────────┘ └ the ensemble's own vectors: uploaded from there
//! ```
//!
//! Times are those to save at, and those to stop at; [`places`] has the order of the results. Each array begins at a multiple of 256 bytes, as a device allocation would.

use std::mem::MaybeUninit;
use std::ops::Range;

use ode_core::device::{ColumnPlace, JobArguments};
use ode_core::ensemble::room;
use ode_core::guard;
use ode_core::inputs::{Column, Inputs, SaveTimes};
use ode_core::lane::Scalar;
use ode_core::{Backend, RawResults, SolveError, Timings};

use crate::rows::{Source, Target, touch};

/// Where arrays may begin.
const ALIGN: usize = 256;

fn align(at: usize) -> usize {
    at.next_multiple_of(ALIGN)
}

/// The places of one batch.
#[derive(Debug)]
pub(crate) struct Batch<'i, T> {
    range: Range<usize>,
    /// Everything that the batch does not share with the ensemble's own vectors.
    header: Vec<u8>,
    /// The ensemble's vectors, or parts of them.
    columns: Vec<Source<'i>>,
    /// End of what is uploaded.
    inputs_end: usize,
    /// End of everything.
    total: usize,
    /// Offsets in place of addresses.
    job: JobArguments<T>,
}

impl<'i, T: Scalar> Batch<'i, T> {
    /// The trajectories `range` of `inputs`.
    pub(crate) fn new(inputs: &'i Inputs<T>, range: Range<usize>) -> Self {
        let n = range.len();
        let size = size_of::<T>();
        let places_at = 8;
        let numbers_at = align(places_at + 8 * inputs.columns().count());

        let mut shared = Vec::new();
        let mut own = Vec::new();
        for quantity in inputs.columns() {
            match quantity {
                Column::Shared(value) => shared.push(*value),
                Column::Each(values) => own.push(&values[range.clone()]),
            }
        }
        let times = [&inputs.save, &inputs.stops];
        let mut header_end = numbers_at + size * shared.len();
        let mut times_at = [0; 2];
        for (times, at) in times.iter().zip(&mut times_at) {
            if let SaveTimes::Shared(times) = times {
                *at = align(header_end);
                header_end = *at + size_of_val(&times[..]);
            }
        }

        let mut end = align(header_end);
        let mut columns = Vec::new();
        let mut offsets = Vec::new();
        for values in own {
            offsets.push((end - numbers_at) / size);
            columns.push((end, bytes_of(values)));
            end = align(end + size * n);
        }
        for (times, at) in times.iter().zip(&mut times_at) {
            if let SaveTimes::Each { times, slots } = times {
                *at = align(end);
                end = *at;
                for slot in 0..*slots {
                    let first = slot * inputs.trajectories + range.start;
                    columns.push((end, bytes_of(&times[first..first + n])));
                    end += size * n;
                }
            }
        }
        let inputs_end = end;

        let mut header = vec![0; header_end];
        let mut shared_before = 0..;
        let mut offsets = offsets.into_iter();
        let columns_at = inputs.columns().map(|quantity| {
            let first = match quantity {
                Column::Shared(_) => shared_before.next(),
                Column::Each(_) => offsets.next(),
            };
            // `most_trajectories` bounds the batch.
            ColumnPlace::new(first.unwrap_or(0) as u32, quantity)
        });
        for (bytes, place) in header[places_at..].chunks_exact_mut(8).zip(columns_at) {
            bytes[..4].copy_from_slice(&place.first.to_ne_bytes());
            bytes[4..].copy_from_slice(&place.mask.to_ne_bytes());
        }
        let shared_times = times.iter().zip(times_at).filter_map(|(times, at)| match times {
            SaveTimes::Shared(times) => Some((at, &times[..])),
            SaveTimes::Each { .. } => None,
        });
        for (at, numbers) in shared_times.chain([(numbers_at, &shared[..])]) {
            let bytes = bytes_of(numbers);
            header[at..at + bytes.len()].copy_from_slice(bytes);
        }
        // From slot to slot, and whether each trajectory has its own.
        let strides = times.map(|times| match times {
            SaveTimes::Shared(_) => (1, 0),
            SaveTimes::Each { .. } => (n as u32, 1),
        });
        let [(save_stride, save_each), (stop_stride, stop_each)] = strides;

        let places = places(Rows::new(inputs), size, n, align(inputs_end));
        let total = places.iter().map(|place| place.at + place.row * place.rows).max();
        let total = total.unwrap_or(inputs_end);
        let [finals, saved, ends, steps, rejected, kept, guarded, codes] =
            places.map(|p| p.at as u64);
        let job = JobArguments {
            inputs: numbers_at as u64,
            columns: places_at as u64,
            save_times: times_at[0] as u64,
            stop_times: times_at[1] as u64,
            finals,
            saved,
            ends,
            codes,
            steps,
            rejected,
            kept,
            guarded,
            counter: 0,
            abstol: inputs.abstol,
            reltol: inputs.reltol,
            dt: inputs.dt,
            dtmin: inputs.dtmin,
            dtmax: inputs.dtmax,
            law: inputs.law,
            stiff_law: inputs.stiff_law,
            n: n as u32,
            max_steps: inputs.max_steps,
            save_slots: inputs.slots() as u32,
            known_slots: inputs.save.slots() as u32,
            save_stride,
            save_each,
            stop_slots: inputs.stops.slots() as u32,
            stop_stride,
            stop_each,
        };
        Batch { range, header, columns, inputs_end, total, job }
    }

    /// The number of its trajectories.
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Its trajectories.
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Bytes of device memory.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// What to upload, and where it ends.
    pub(crate) fn sources(&self) -> (Vec<Source<'_>>, usize) {
        let header: Source<'_> = (0, &self.header);
        (std::iter::once(header).chain(self.columns.iter().copied()).collect(), self.inputs_end)
    }

    /// Where the results lie in the device memory.
    pub(crate) fn results(&self) -> Range<usize> {
        self.job.finals as usize..self.total
    }

    /// The kernel's arguments, for memory at `base`.
    pub(crate) fn job(&self, base: u64) -> JobArguments<T> {
        let job = self.job;
        JobArguments {
            inputs: base + job.inputs,
            columns: base + job.columns,
            save_times: base + job.save_times,
            stop_times: base + job.stop_times,
            finals: base + job.finals,
            saved: base + job.saved,
            ends: base + job.ends,
            codes: base + job.codes,
            steps: base + job.steps,
            rejected: base + job.rejected,
            kept: base + job.kept,
            guarded: base + job.guarded,
            counter: base + job.counter,
            ..job
        }
    }
}

/// How many trajectories a batch may have, for [`ColumnPlace`] to reach all their numbers.
pub(crate) fn most_trajectories<T: Scalar>(inputs: &Inputs<T>) -> usize {
    let own = inputs.columns().filter(|c| matches!(c, Column::Each(_))).count();
    let shared = inputs.columns().count() - own;
    let [save, stops] = [&inputs.save, &inputs.stops].map(|times| match times {
        SaveTimes::Shared(times) => times.len(),
        SaveTimes::Each { .. } => 0,
    });
    let times = save + stops;
    // Every column may begin `ALIGN` bytes late.
    let numbers = (u32::MAX as usize).saturating_sub(shared + times + ALIGN * (own + 4));
    (numbers / own.max(1)).clamp(1, 1 << 31)
}

/// The device memory of a batch, in bytes: for each trajectory, and beside that.
pub(crate) fn footprint<T: Scalar>(inputs: &Inputs<T>) -> (usize, usize) {
    let size = size_of::<T>();
    let own = inputs.columns().filter(|c| matches!(c, Column::Each(_))).count();
    let times = [&inputs.save, &inputs.stops].map(|times| match times {
        SaveTimes::Shared(times) => (0, times.len()),
        SaveTimes::Each { slots, .. } => (*slots, 0),
    });
    let [(own_saves, shared_saves), (own_stops, shared_stops)] = times;
    let (own_times, shared_times) = (own_saves + own_stops, shared_saves + shared_stops);
    let rows = Rows::new(inputs);
    // Columns, times, final states and their times.
    let each = (own + own_times + rows.finals + 1).saturating_add(rows.saved);
    // What is lost to alignment and to the driver's own, with a margin.
    let beside = shared_times * size + (inputs.columns().count() + 16) * 2 * ALIGN + (2 << 20);
    (each.saturating_mul(size).saturating_add(9 + 4 * (rows.kept + rows.guarded)), beside)
}

/// An array of results in device memory.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    /// Bytes of a row: one number of each trajectory.
    row: usize,
    rows: usize,
}

/// How many numbers of each trajectory there are, where that differs from solve to solve.
#[derive(Clone, Copy, Debug)]
struct Rows {
    finals: usize,
    saved: usize,
    /// One, or none where there are no times to save at.
    kept: usize,
    /// One, or none where nobody looks for growth.
    guarded: usize,
}

impl Rows {
    fn new<T: Scalar>(inputs: &Inputs<T>) -> Self {
        Rows {
            finals: inputs.u0.len(),
            saved: inputs.saved_numbers(),
            kept: usize::from(inputs.slots() > 0),
            guarded: usize::from(inputs.guard != guard::OFF),
        }
    }
}

/// Finals, saved, ends, steps, rejected, kept, guarded, codes.
fn places(rows: Rows, size: usize, n: usize, begin: usize) -> [Place; 8] {
    let Rows { finals, saved, kept, guarded } = rows;
    let mut at = begin;
    let arrays =
        [(finals, size), (saved, size), (1, size), (1, 4), (1, 4), (kept, 4), (guarded, 4), (1, 1)];
    arrays.map(|(rows, size)| {
        let place = Place { at, row: size * n, rows };
        at = align(at + rows * size * n);
        place
    })
}

/// The vectors that receive the results of all batches: reserved, and filled by copies alone.
#[derive(Debug)]
pub(crate) struct Outputs<T> {
    /// Each of one number for every trajectory.
    rows: Rows,
    n: usize,
    finals: Vec<T>,
    saved: Vec<T>,
    ends: Vec<T>,
    steps: Vec<u32>,
    rejected: Vec<u32>,
    kept: Vec<u32>,
    guarded: Vec<u32>,
    codes: Vec<u8>,
}

impl<T: Scalar> Outputs<T> {
    /// Reserves memory for all results of `inputs`.
    pub(crate) fn reserve(inputs: &Inputs<T>) -> Result<Self, SolveError> {
        let (rows, n) = (Rows::new(inputs), inputs.trajectories);
        Ok(Outputs {
            rows,
            n,
            finals: room(rows.finals.saturating_mul(n))?,
            saved: room(rows.saved.saturating_mul(n))?,
            ends: room(n)?,
            steps: room(n)?,
            rejected: room(n)?,
            kept: room(rows.kept * n)?,
            guarded: room(rows.guarded * n)?,
            codes: room(n)?,
        })
    }

    /// The whole memory of each array, in the order of [`places`].
    fn memory(&mut self) -> [&mut [MaybeUninit<u8>]; 8] {
        let (rows, n) = (self.rows, self.n);
        [
            spare_bytes(&mut self.finals, rows.finals * n),
            spare_bytes(&mut self.saved, rows.saved * n),
            spare_bytes(&mut self.ends, n),
            spare_bytes(&mut self.steps, n),
            spare_bytes(&mut self.rejected, n),
            spare_bytes(&mut self.kept, rows.kept * n),
            spare_bytes(&mut self.guarded, rows.guarded * n),
            spare_bytes(&mut self.codes, n),
        ]
    }

    /// Takes the page faults of the memory.
    pub(crate) fn touch(&mut self) {
        self.memory().into_iter().for_each(touch);
    }

    /// Where the results of the trajectories `range` go. Places in device memory count from the
    /// batch's [`Batch::results`].
    pub(crate) fn targets(&mut self, range: Range<usize>) -> Vec<Target<'_>> {
        let n = self.n;
        let places = places(self.rows, size_of::<T>(), range.len(), 0);
        let mut targets = Vec::new();
        for (place, memory) in places.into_iter().zip(self.memory()) {
            if range.len() == n {
                targets.push((place.at, memory));
                continue;
            }
            let bytes = place.row / range.len().max(1);
            let rows = memory.chunks_exact_mut(bytes * n).enumerate();
            targets.extend(rows.map(|(r, row)| {
                (place.at + r * place.row, &mut row[bytes * range.start..bytes * range.end])
            }));
        }
        targets
    }

    /// The results, on `backend`, in `timings`.
    ///
    /// # Safety
    /// The [`targets`](Self::targets) of ranges that together are all trajectories were written.
    pub(crate) unsafe fn finish(mut self, backend: Backend, timings: Timings) -> RawResults<T> {
        let (rows, n) = (self.rows, self.n);
        // SAFETY: so many numbers were reserved, every byte of them was written (the caller's
        // promise), and every pattern of bits is a valid `T` (an `f32` or an `f64`), `u32`, `u8`.
        unsafe {
            self.finals.set_len(rows.finals * n);
            self.saved.set_len(rows.saved * n);
            self.ends.set_len(n);
            self.steps.set_len(n);
            self.rejected.set_len(n);
            self.kept.set_len(rows.kept * n);
            self.guarded.set_len(rows.guarded * n);
            self.codes.set_len(n);
        }
        let Outputs { finals, saved, ends, steps, rejected, kept, guarded, codes, .. } = self;
        RawResults { finals, saved, ends, codes, steps, rejected, kept, guarded, backend, timings }
    }
}

/// The reserved memory of the first `len` numbers beyond the vector's length.
fn spare_bytes<T>(values: &mut Vec<T>, len: usize) -> &mut [MaybeUninit<u8>] {
    let spare = &mut values.spare_capacity_mut()[..len];
    // SAFETY: the same memory, borrowed as exclusively; any bytes, even none, are valid
    // `MaybeUninit<T>` and `MaybeUninit<u8>`.
    unsafe { std::slice::from_raw_parts_mut(spare.as_mut_ptr().cast(), size_of_val(spare)) }
}

pub(crate) fn bytes_of<T: Scalar>(values: &[T]) -> &[u8] {
    // SAFETY: the same memory; a `Scalar` is an `f32` or an `f64`, which have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ode_core::inputs::SavedRow;

    fn inputs(n: usize, own_times: bool) -> Inputs<f32> {
        let each = |k: usize| Column::Each((0..n).map(|i| (k * 1000 + i) as f32).collect());
        let save = if own_times {
            SaveTimes::Each { slots: 2, times: (0..2 * n).map(|i| i as f32).collect() }
        } else {
            SaveTimes::Shared(vec![0.5, 0.75])
        };
        Inputs {
            trajectories: n,
            shape: vec![n],
            u0: vec![Column::Shared(1.0), each(2)],
            p: vec![each(3), Column::Shared(4.0), each(5)],
            t0: Column::Shared(6.0),
            t1: each(7),
            save,
            stops: SaveTimes::Shared(Vec::new()),
            stopping: false,
            step_slots: 0,
            saved: SavedRow { states: 2, observables: 1, times: 0 },
            abstols: Vec::new(),
            abstol: 1e-6,
            reltol: 1e-3,
            dt: 0.0,
            adaptive: true,
            dtmin: 0.0,
            dtmax: f32::INFINITY,
            law: [0.0; ode_core::controller::LAW_NUMBERS],
            stiff_law: [0.0; ode_core::controller::LAW_NUMBERS],
            method: ode_core::methods::tsit5::PROPERTIES,
            law_kind: 0,
            guard: if own_times { guard::OFF } else { guard::REJECT },
            max_steps: u32::MAX,
        }
    }

    /// The uploaded bytes as the device has them.
    fn memory(batch: &Batch<'_, f32>) -> Vec<u8> {
        let mut memory = vec![0xee; batch.total()];
        let (sources, end) = batch.sources();
        assert!(sources.windows(2).all(|s| s[0].0 + s[0].1.len() <= s[1].0));
        for (at, bytes) in sources {
            assert!(at + bytes.len() <= end);
            memory[at..at + bytes.len()].copy_from_slice(bytes);
        }
        memory
    }

    fn number(memory: &[u8], at: usize) -> f32 {
        f32::from_ne_bytes(memory[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn the_device_finds_every_column() {
        for range in [0..100, 20..100, 99..100] {
            let inputs = inputs(100, false);
            let batch = Batch::new(&inputs, range.clone());
            let (memory, job) = (memory(&batch), batch.job(0));
            assert_eq!(job.n, range.len() as u32);
            assert_eq!(memory[job.counter as usize..][..4], [0; 4]);
            for (c, quantity) in inputs.columns().enumerate() {
                let at = job.columns as usize + 8 * c;
                let half = |at: usize| u32::from_ne_bytes(memory[at..at + 4].try_into().unwrap());
                let (first, mask) = (half(at), half(at + 4));
                for i in 0..range.len() {
                    let own = first + (i as u32 & mask);
                    let at = job.inputs as usize + 4 * own as usize;
                    assert_eq!(number(&memory, at), quantity.get(range.start + i));
                }
            }
            let times = [0, 1].map(|s| number(&memory, job.save_times as usize + 4 * s));
            assert_eq!((times, job.save_stride, job.save_each), ([0.5, 0.75], 1, 0));
        }
    }

    #[test]
    fn the_device_finds_every_trajectorys_save_times() {
        let inputs = inputs(100, true);
        let batch = Batch::new(&inputs, 30..60);
        let (memory, job) = (memory(&batch), batch.job(0));
        for (slot, i) in [(0, 0), (1, 0), (0, 29), (1, 29)] {
            let index = slot * job.save_stride as usize + i * job.save_each as usize;
            let time = number(&memory, job.save_times as usize + 4 * index);
            assert_eq!(time, (slot * 100 + 30 + i) as f32);
        }
    }

    #[test]
    fn results_of_batches_land_in_their_trajectories() {
        let inputs = inputs(100, false);
        let mut outputs = Outputs::reserve(&inputs).unwrap();
        outputs.touch();
        for range in [0..33, 33..66, 66..100] {
            // What a kernel would write, as the device would hold it.
            let batch = Batch::new(&inputs, range.clone());
            let (n, results) = (range.len(), batch.results());
            let mut memory = vec![0u8; results.len()];
            let job = batch.job(0);
            let mut write = |at: u64, index: usize, bytes: &[u8]| {
                let at = at as usize - results.start + index * bytes.len();
                memory[at..at + bytes.len()].copy_from_slice(bytes);
            };
            for i in 0..n {
                let global = (range.start + i) as f32;
                for d in 0..2 {
                    write(job.finals, d * n + i, &(global + 1000.0 * d as f32).to_ne_bytes());
                }
                for r in 0..6 {
                    write(job.saved, r * n + i, &(global - 500.0 * r as f32).to_ne_bytes());
                }
                write(job.steps, i, &(global as u32).to_ne_bytes());
                write(job.rejected, i, &(global as u32 + 7).to_ne_bytes());
                write(job.guarded, i, &(global as u32 + 9).to_ne_bytes());
                write(job.codes, i, &[global as u8]);
            }
            for (at, target) in outputs.targets(range) {
                target.write_copy_of_slice(&memory[at..at + target.len()]);
            }
        }
        // SAFETY: the three ranges are all trajectories.
        let results =
            unsafe { outputs.finish(Backend::Gpu { devices: Vec::new() }, Timings::default()) };
        let RawResults { finals, saved, steps, rejected, guarded, codes, .. } = results;
        for i in 0..100 {
            assert_eq!([finals[i], finals[100 + i]], [i as f32, i as f32 + 1000.0]);
            assert!((0..6).all(|r| saved[100 * r + i] == i as f32 - 500.0 * r as f32));
            assert_eq!((steps[i], rejected[i], codes[i]), (i as u32, i as u32 + 7, i as u8));
            assert_eq!(guarded[i], i as u32 + 9);
        }
    }

    #[test]
    fn the_footprint_is_enough() {
        for own_times in [false, true] {
            for n in [1, 100, 100_000] {
                let inputs = inputs(n, own_times);
                let (each, beside) = footprint(&inputs);
                let total = Batch::new(&inputs, 0..n).total();
                assert!(total <= each * n + beside && each * n <= total, "{total} {each} {beside}");
            }
        }
    }
}
