//! The layout of a batch in device memory, and the destination of its results on the host.
//!
//! A batch is one range of memory, so it costs one allocation:
//!
//! ```text
//! counter | places | shared numbers | shared times | rules | columns … | own times | results …
//! └ header, made for the batch ───────────────────────────┘ └ the ensemble's own vectors: uploaded from there
//! ```
//!
//! Rules belong to quantities that the kernel draws. Times are the times to save at and the stop
//! times. Each array begins at a multiple of 256
//! bytes, like a device allocation.

use std::ops::Range;

use ode_core::Layout;
use ode_core::kernel::{self, InputOffset, KernelArguments};
use ode_core::lane::Scalar;
use ode_core::problem::inputs::{InputRange, Inputs};
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::ResultArray;

use crate::rows::Source;

/// The alignment of arrays in device memory, in bytes.
const ALIGN: usize = 256;

pub(crate) fn align(at: usize) -> usize {
    at.next_multiple_of(ALIGN)
}

/// The layout of one batch in device memory.
#[derive(Debug)]
pub(crate) struct Batch<'i, T> {
    range: InputRange<'i, T>,
    /// All bytes that are written for the batch, and not copied from the ensemble's own vectors.
    header: Vec<u8>,
    /// The ensemble's vectors, or slices of them.
    columns: Vec<Source<'i>>,
    /// The end of the uploaded range, in bytes.
    inputs_end: usize,
    /// The end of the whole batch, in bytes.
    total: usize,
    /// The offset of each input that is stored for each trajectory.
    columns_at: Vec<Option<usize>>,
    /// The slices of the results.
    places: [Place; ResultArray::COUNT],
    /// The kernel's arguments, with offsets in place of addresses.
    arguments: KernelArguments<T>,
}

impl<'i, T: Scalar> Batch<'i, T> {
    /// Lays out the trajectories `range`.
    pub(crate) fn new(settings: &ResolvedOptions<T>, range: InputRange<'i, T>) -> Self {
        let (inputs, n) = (range.inputs(), range.len());
        let size = size_of::<T>();
        let places_at = 8;
        let numbers_at = align(places_at + 8 * inputs.quantities().count());

        let mut shared = Vec::new();
        let mut stored = Vec::new();
        for quantity in inputs.quantities() {
            let numbers = quantity.numbers(range.indices());
            match quantity.is_stored() {
                true => stored.push(numbers),
                // Empty if the kernel draws the quantity.
                false => shared.extend(numbers.concat()),
            }
        }
        let times = [&inputs.save, &inputs.stops];
        let mut header_end = numbers_at + size * shared.len();
        let mut times_at = [0; 2];
        for (times, at) in times.iter().zip(&mut times_at) {
            if let Some(times) = times.shared() {
                *at = align(header_end);
                header_end = *at + size_of_val(times);
            }
        }

        let rules = kernel::rules(inputs);
        let rules_at = align(header_end);
        header_end = rules_at + size_of_val(&rules[..]);

        let mut end = align(header_end);
        let mut columns = Vec::new();
        let mut offsets = Vec::new();
        for parts in stored {
            offsets.push((end - numbers_at) / size);
            let mut at = end;
            for values in parts {
                columns.push((at, bytes_of(values)));
                at += size_of_val(values);
            }
            end = align(at);
        }
        for (times, at) in times.iter().zip(&mut times_at) {
            if times.shared().is_none() {
                *at = align(end);
                end = *at;
                for row in times.rows(range.indices()) {
                    columns.push((end, bytes_of(row)));
                    end += size * n;
                }
            }
        }
        let inputs_end = end;

        let mut header = vec![0; header_end];
        let mut shared_before = 0;
        let mut offsets = offsets.into_iter();
        let mut columns_at = Vec::new();
        let column_places = inputs.quantities().map(|quantity| {
            let stored = if quantity.is_stored() { offsets.next() } else { None };
            columns_at.push(stored.map(|first| numbers_at + first * size));
            let first = stored.unwrap_or(shared_before);
            shared_before += usize::from(quantity.shared().is_some());
            // `most_trajectories` bounds the batch.
            InputOffset::new(first as u32, quantity)
        });
        for (bytes, place) in header[places_at..].chunks_exact_mut(8).zip(column_places) {
            bytes[..4].copy_from_slice(&place.first.to_ne_bytes());
            bytes[4..].copy_from_slice(&place.mask.to_ne_bytes());
        }
        let shared_times = times.iter().zip(times_at);
        let shared_times = shared_times.filter_map(|(times, at)| Some((at, times.shared()?)));
        for (at, numbers) in shared_times.chain([(numbers_at, &shared[..])]) {
            let bytes = bytes_of(numbers);
            header[at..at + bytes.len()].copy_from_slice(bytes);
        }
        header[rules_at..].copy_from_slice(bytemuck::cast_slice(&rules));
        // The strides from slot to slot, and from trajectory to trajectory.
        let strides = times.map(|times| times.strides(n as u32));
        let [(save_stride, save_each), (stop_stride, stop_each)] = strides;

        let layout = Layout::new(settings, inputs);
        let places = places::<T>(&layout, n, align(inputs_end));
        let total = places.iter().map(|place| place.at + place.row * place.rows).max();
        let total = total.unwrap_or(inputs_end);
        let arguments = KernelArguments {
            inputs: numbers_at as u64,
            columns: places_at as u64,
            rules: rules_at as u64,
            save_times: times_at[0] as u64,
            stop_times: times_at[1] as u64,
            results: places.map(|place| place.at as u64),
            counter: 0,
            first: range.numbers().start,
            options: settings.lane,
            n: n as u32,
            save_slots: layout.slots as u32,
            known_slots: inputs.save.slots() as u32,
            save_stride,
            save_each,
            stop_slots: inputs.stops.slots() as u32,
            stop_stride,
            stop_each,
        };
        Batch { range, header, columns, inputs_end, total, columns_at, places, arguments }
    }

    /// The number of trajectories of the batch.
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// The indices of the trajectories in the whole ensemble.
    pub(crate) fn numbers(&self) -> Range<u64> {
        self.range.numbers()
    }

    /// The size of the batch in device memory, in bytes.
    pub(crate) fn total(&self) -> usize {
        self.total
    }

    /// The arrays to upload, and the end of the uploaded range.
    pub(crate) fn sources(&self) -> (Vec<Source<'_>>, usize) {
        let header: Source<'_> = (0, &self.header);
        (std::iter::once(header).chain(self.columns.iter().copied()).collect(), self.inputs_end)
    }

    /// The offset in bytes of each input that is stored for each trajectory, in the order of
    /// [`Inputs::quantities`].
    pub(crate) fn columns_at(&self) -> &[Option<usize>] {
        &self.columns_at
    }

    /// The slices of the results.
    pub(crate) fn places(&self) -> &[Place; ResultArray::COUNT] {
        &self.places
    }

    /// The kernel's arguments, for memory at `base`.
    pub(crate) fn arguments(&self, base: u64) -> KernelArguments<T> {
        let arguments = self.arguments;
        KernelArguments {
            inputs: base + arguments.inputs,
            columns: base + arguments.columns,
            rules: base + arguments.rules,
            save_times: base + arguments.save_times,
            stop_times: base + arguments.stop_times,
            results: arguments.results.map(|at| base + at),
            counter: base + arguments.counter,
            ..arguments
        }
    }
}

/// The largest number of trajectories of a batch, limited by the range of [`InputOffset`].
pub(crate) fn most_trajectories<T: Scalar>(inputs: &Inputs<T>) -> usize {
    let stored = inputs.quantities().filter(|c| c.is_stored()).count();
    let shared: usize = inputs.quantities().filter(|c| !c.is_stored()).count();
    let [save, stops] =
        [&inputs.save, &inputs.stops].map(|times| times.shared().map_or(0, <[T]>::len));
    let times = save + stops;
    // Every input may begin up to `ALIGN` bytes later.
    let numbers = (u32::MAX as usize).saturating_sub(shared + times + ALIGN * (stored + 4));
    (numbers / stored.max(1)).clamp(1, 1 << 31)
}

/// The device memory of a batch, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Inputs and times of a trajectory.
    pub(crate) inputs: usize,
    /// Results of a trajectory.
    pub(crate) results: usize,
    /// Memory that does not depend on the number of trajectories.
    pub(crate) beside: usize,
}

impl Footprint {
    pub(crate) fn new<T: Scalar>(settings: &ResolvedOptions<T>, inputs: &Inputs<T>) -> Self {
        let size = size_of::<T>();
        let stored = inputs.quantities().filter(|c| c.is_stored()).count();
        let times = [&inputs.save, &inputs.stops].map(|times| match times.shared() {
            Some(times) => (0, times.len()),
            None => (times.slots(), 0),
        });
        let [(own_saves, shared_saves), (own_stops, shared_stops)] = times;
        let (own_times, shared_times) = (own_saves + own_stops, shared_saves + shared_stops);
        let layout = Layout::new(settings, inputs);
        Footprint {
            inputs: (stored + own_times).saturating_mul(size),
            results: ResultArray::bytes_of_trajectory::<T>(&layout),
            // A margin for alignment, and for memory that the driver takes.
            beside: shared_times * size
                + size_of_val(&kernel::rules(inputs)[..])
                + (inputs.quantities().count() + 16) * 2 * ALIGN
                + (2 << 20),
        }
    }

    /// The bytes of a trajectory, at least one.
    pub(crate) fn each(self) -> usize {
        self.inputs.saturating_add(self.results).max(1)
    }
}

/// An array of results in device memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: usize,
    /// Bytes of a row: one number of each trajectory.
    pub(crate) row: usize,
    pub(crate) rows: usize,
}

impl Place {
    /// Returns the slice without its first rows.
    pub(crate) fn after(self, rows: usize) -> Place {
        Place { at: self.at + rows * self.row, row: self.row, rows: self.rows - rows }
    }
}

/// The slices of all results, from `begin` on.
fn places<T>(layout: &Layout, n: usize, begin: usize) -> [Place; ResultArray::COUNT] {
    let mut at = begin;
    ResultArray::ALL.map(|array| {
        let (rows, row) = (array.rows(layout), array.size::<T>() * n);
        let place = Place { at, row, rows };
        at = align(at + rows * row);
        place
    })
}

pub(crate) fn bytes_of<T: Scalar>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ode_core::problem::inputs::{Input, SaveTimes};
    use ode_core::problem::resolved_options::LaneOptions;
    use ode_core::step::guard;
    use ode_core::{LogRow, SavedRow};

    fn inputs(n: usize, own_times: bool) -> (ResolvedOptions<f32>, Inputs<f32>) {
        let each = |k: usize| Input::each((0..n).map(|i| (k * 1000 + i) as f32).collect());
        let save = if own_times {
            SaveTimes::each(2, n, (0..2 * n).map(|i| i as f32).collect())
        } else {
            SaveTimes::all(vec![0.5, 0.75])
        };
        let columns = Inputs {
            first: 0,
            trajectories: n,
            shape: vec![n],
            u0: vec![Input::all(1.0), each(2)],
            p: vec![each(3), Input::all(4.0), each(5)],
            t0: Input::all(6.0),
            t1: each(7),
            save,
            stops: SaveTimes::all(Vec::new()),
            abstols: Vec::new(),
        };
        let settings = ResolvedOptions {
            stopping: false,
            watch: ode_core::SolveWatch::NONE,
            events: 0,
            features: 0,
            modes: 0,
            log: LogRow::default(),
            step_slots: 0,
            saved: SavedRow { states: 2, observables: 1, times: 0 },
            components: None,
            lane: LaneOptions {
                abstol: 1e-6,
                reltol: 1e-3,
                dt: 0.0,
                dtmin: 0.0,
                dtmax: f32::INFINITY,
                law: [0.0; ode_core::step::control::LAW_NUMBERS],
                stiff_law: [0.0; ode_core::step::control::LAW_NUMBERS],
                max_steps: u32::MAX,
                log_slots: 0,
                noise: [0; 4],
            },
            adaptive: true,
            method: ode_core::methods::tsit5::PROPERTIES,
            law_kind: 0,
            guard: if own_times { guard::OFF } else { guard::REJECT },
        };
        (settings, columns)
    }

    /// The uploaded bytes as they are in device memory.
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
            let (settings, columns) = inputs(100, false);
            let numbers = range.start as u64..range.end as u64;
            let batch = Batch::new(&settings, columns.range(numbers));
            let (memory, arguments) = (memory(&batch), batch.arguments(0));
            assert_eq!(arguments.n, range.len() as u32);
            assert_eq!(memory[arguments.counter as usize..][..4], [0; 4]);
            for (c, quantity) in columns.quantities().enumerate() {
                let at = arguments.columns as usize + 8 * c;
                let half = |at: usize| u32::from_ne_bytes(memory[at..at + 4].try_into().unwrap());
                let (first, mask) = (half(at), half(at + 4));
                for i in 0..range.len() {
                    let own = first + (i as u32 & mask);
                    let at = arguments.inputs as usize + 4 * own as usize;
                    let begin = batch.columns_at()[c].map(|begin| begin + 4 * i);
                    assert_eq!(begin, quantity.is_stored().then_some(at));
                    assert_eq!(number(&memory, at), quantity.get(range.start + i));
                }
            }
            let times = [0, 1].map(|s| number(&memory, arguments.save_times as usize + 4 * s));
            assert_eq!((times, arguments.save_stride, arguments.save_each), ([0.5, 0.75], 1, 0));
        }
    }

    #[test]
    fn the_device_finds_every_trajectorys_save_times() {
        let (settings, columns) = inputs(100, true);
        let batch = Batch::new(&settings, columns.range(30..60));
        let (memory, arguments) = (memory(&batch), batch.arguments(0));
        for (slot, i) in [(0, 0), (1, 0), (0, 29), (1, 29)] {
            let index = slot * arguments.save_stride as usize + i * arguments.save_each as usize;
            let time = number(&memory, arguments.save_times as usize + 4 * index);
            assert_eq!(time, (slot * 100 + 30 + i) as f32);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes an interpreter long, and only counts")]
    fn the_footprint_is_enough() {
        for own_times in [false, true] {
            for n in [1, 100, 100_000] {
                let (settings, columns) = inputs(n, own_times);
                let footprint = Footprint::new(&settings, &columns);
                let (each, beside) = (footprint.each(), footprint.beside);
                let total = Batch::new(&settings, columns.all()).total();
                assert!(total <= each * n + beside && each * n <= total, "{total} {each} {beside}");
            }
        }
    }
}
