//! Gradients on a device: a launch that solves and records the ends of steps, and one that goes
//! backwards through them.
//!
//! How many steps trajectories take is not known before. There is room for as many as the last
//! gradients of the same system and method needed; where that does not suffice a batch is solved
//! again, with room for as many as it took. Batches are as long as records fit into memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, PushKernelArg};
use ode_core::SolveError;
use ode_core::ensemble::engine::Results;
use ode_core::ensemble::pull::PullTask;
use ode_core::ensemble::pulled::{Given, RawCotangents};
use ode_core::ensemble::task::TaskKey;
use ode_core::kernel::pull::{PULL_NAME, PullArguments, recorded};
use ode_core::kernel::{self, JobArguments, Variant};
use ode_core::lane::Scalar;
use ode_core::problem::columns::ColumnRange;
use ode_core::problem::settings::Settings;
use ode_core::step::code;

use crate::batch::{Batch, Footprint, Place, align, bytes_of};
use crate::cache::Cache;
use crate::device::{Device, lock};
use crate::engine::{Argument, check_options, kernel_of, launch_config};
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, Name, Program};
use crate::memory::Stream;
use crate::recent::Recent;
use crate::rows::{Source, Target};
use crate::timing::Stopwatch;

/// The room for steps of a system and a method of which no gradients were computed yet.
const STEPS: usize = 64;

/// The fewest trajectories that a batch is cut into for want of memory: one block of threads.
const FEWEST: usize = kernel::BLOCK as usize;

/// For how many steps the last gradients of a system and a method had room.
fn steps_of(key: TaskKey) -> Arc<AtomicUsize> {
    static KNOWN: LazyLock<Mutex<Recent<TaskKey, Arc<AtomicUsize>>>> =
        LazyLock::new(|| Mutex::new(Recent::new(64)));
    lock(&KNOWN).get(key)
}

/// Trajectories, and the places of their results and gradients.
pub(crate) struct Part<'p, T> {
    pub(crate) columns: ColumnRange<'p, T>,
    pub(crate) results: Results<'p, T>,
    pub(crate) given: Given<'p, T>,
}

impl<T: Scalar> Part<'_, T> {
    /// The first `count` trajectories, and those behind, if there are any.
    pub(crate) fn first(self, count: usize) -> (Self, Option<Self>) {
        let Part { columns, results, given } = self;
        if count >= columns.len() {
            return (Part { columns, results, given }, None);
        }
        let (now, later) = columns.split(count);
        let (results, results_behind) = results.split(count);
        let (given, given_behind) = given.split(count);
        let behind = Part { columns: later, results: results_behind, given: given_behind };
        (Part { columns: now, results, given }, Some(behind))
    }
}

/// A device, and what it computes gradients of.
pub(crate) struct PullEngine<'a, T> {
    pub(crate) device: &'a Device,
    pub(crate) task: &'a dyn PullTask<T>,
    /// Those of the solve, which records the ends of steps.
    pub(crate) settings: Settings<T>,
    pub(crate) cotangents: &'a RawCotangents<'a, T>,
    /// The variant of both kernels.
    pub(crate) variant: Variant,
    pub(crate) options: &'a [String],
    /// How many trajectories the user wants launched at a time.
    pub(crate) batch: Option<usize>,
    pub(crate) compile: Duration,
    pub(crate) computing: Duration,
}

/// The kernels of a gradient.
struct Kernels {
    record: Arc<Kernel>,
    pull: Arc<Kernel>,
}

impl<T: Scalar> PullEngine<'_, T> {
    /// The settings of a solve that records.
    pub(crate) fn recording(settings: &Settings<T>, states: usize) -> Settings<T> {
        // The exact room is decided for each batch.
        Settings { saved: recorded(states), step_slots: 1, ..settings.clone() }
    }

    /// Computes the gradients of the parts that `next` hands out, until there are no more.
    pub(crate) fn run<'p>(
        &mut self,
        next: &dyn Fn() -> Option<Part<'p, T>>,
    ) -> Result<(), SolveError>
    where
        T: 'p,
    {
        let mut left: Vec<Part<'p, T>> = next().into_iter().collect();
        if left.is_empty() {
            return Ok(());
        }
        let begin = Instant::now();
        let kernels = self.kernels()?;
        self.compile += begin.elapsed();
        let stream = self.device.idle_stream()?;
        let known = steps_of(self.task.key());
        let mut most = self.batch.unwrap_or(usize::MAX);
        while let Some(part) = left.pop().or_else(next) {
            let steps = known.load(Ordering::Relaxed).max(STEPS);
            let fits = self.fitting(steps, &part).min(most).max(1);
            let (mut now, behind) = part.first(fits);
            left.extend(behind);
            match self.pull(&stream, &kernels, &mut now, steps) {
                Ok(needed) if needed <= steps => {}
                Ok(needed) => {
                    known.fetch_max(needed, Ordering::Relaxed);
                    left.push(now);
                }
                Err(GpuError::OutOfMemory { .. }) if now.columns.len() > FEWEST => {
                    most = (now.columns.len() / 2).max(FEWEST);
                    left.push(now);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.device.keep_stream(stream);
        Ok(())
    }

    fn kernels(&self) -> Result<Kernels, SolveError> {
        check_options(self.options)?;
        let record = kernel_of(self.task.recorded(), self.device, &self.variant, self.options)?;
        let (task, options) = (self.task, self.options.to_vec());
        let name = Name::Task(task.key(), self.variant.clone(), options.clone());
        let pull = self.device.kernel_named(name, Cache::from_env(), || {
            let source = task.kernel(&self.variant)?;
            Ok::<_, SolveError>(Program { name: PULL_NAME.to_owned(), source, options })
        })?;
        Ok(Kernels { record, pull })
    }

    /// The settings with room for so many steps.
    fn with_room(&self, steps: usize, columns: ColumnRange<'_, T>) -> Settings<T> {
        let known = columns.columns().save.slots();
        Settings { step_slots: steps.saturating_sub(known).max(1), ..self.settings.clone() }
    }

    /// The largest number of trajectories of a part whose records fit into memory.
    fn fitting(&self, steps: usize, part: &Part<'_, T>) -> usize {
        let settings = self.with_room(steps, part.columns);
        let shape = self.task.shape();
        let footprint = Footprint::new(&settings, part.columns.columns());
        let own = 1 + shape.states + shape.parameters;
        let given = self.cotangents.saved.len() + self.cotangents.last.len();
        let given = given / self.cotangents.trajectories.max(1);
        let each = footprint.each() + (own + given) * size_of::<T>();
        let free = self.device.memory_info().map_or(u64::MAX, |info| info.free);
        let usable = usize::try_from(free / 10 * 8).unwrap_or(usize::MAX);
        let fits = usable.saturating_sub(footprint.beside) / each;
        fits.clamp(FEWEST, crate::batch::most_trajectories(part.columns.columns()))
    }

    /// Computes the gradients of a part where there is room for so many steps. Returns how many
    /// there were: if these are more, the gradients are not computed.
    fn pull(
        &mut self,
        stream: &Stream,
        kernels: &Kernels,
        part: &mut Part<'_, T>,
        steps: usize,
    ) -> Result<usize, GpuError> {
        let settings = self.with_room(steps, part.columns);
        let batch = Batch::new(&settings, part.columns);
        // `most_trajectories` bounds the batch.
        let items = batch.len() as u32;
        let config = |kernel: &Kernel| launch_config(kernel, &self.variant, items);
        let mut memory = stream.allocate::<u8>(batch.total())?;
        let (sources, end) = batch.sources();
        let uploads = stream.upload_rows(&sources, end, &mut memory)?;
        let base = memory.device_ptr(stream.raw()).0;
        let job = batch.job(base);
        // All that is saved are ends of steps.
        let record = Argument(JobArguments { known_slots: 0, ..job });
        let shared = Argument::shared(&self.variant.shared_numbers(part.columns.columns()));
        let watch = Stopwatch::start(stream)?;
        let mut launch = stream.raw().launch_builder(kernels.record.function());
        launch.arg(&record).arg(&shared);
        // SAFETY: the kernel takes a `Job` and the shared numbers; the addresses are those of
        // `batch` in memory of `batch.total()` bytes, and it stays within that memory, since the
        // batch is laid out for the system of its text.
        unsafe { launch.launch(config(&kernels.record)) }.call("cuLaunchKernel")?;
        watch.stop(stream)?;
        download(stream, &memory, batch.places(), part)?;
        self.computing += watch.elapsed()?;
        drop(uploads);
        let needed = most_steps(part);
        if needed > steps {
            return Ok(needed);
        }

        let back = Back::new(self.cotangents, part.columns, self.task.shape());
        let mut beside = stream.allocate::<u8>(back.total)?;
        let uploads = stream.upload_rows(&back.sources(), back.end, &mut beside)?;
        let other = beside.device_ptr(stream.raw()).0;
        let known = part.columns.columns().save.slots() as u32;
        let job = JobArguments { save_slots: known, known_slots: known, counter: other, ..job };
        let (job, pull) = (Argument(job), Argument(back.arguments(other)));
        let watch = Stopwatch::start(stream)?;
        let mut launch = stream.raw().launch_builder(kernels.pull.function());
        launch.arg(&job).arg(&shared).arg(&pull);
        // SAFETY: the kernel takes a `Job`, the shared numbers and a `PullJob`. It reads the records
        // of the trajectories that succeeded, which are complete, since there was room for all of
        // their steps; what it writes lies in `beside`, as `Back` has it.
        unsafe { launch.launch(config(&kernels.pull)) }.call("cuLaunchKernel")?;
        watch.stop(stream)?;
        let mut targets: Vec<Target<'_>> = Vec::new();
        let first = back.places[0].at;
        for (place, rows) in back.places.iter().zip(part.given.bytes()) {
            let at = |r: usize| place.at - first + r * place.row;
            targets.extend(rows.into_iter().enumerate().map(|(r, row)| (at(r), row)));
        }
        stream.download_rows(&beside.slice(first..back.total), targets)?;
        stream.synchronize()?;
        self.computing += watch.elapsed()?;
        drop(uploads);
        Ok(needed)
    }
}

/// Downloads what a solve tells of its trajectories: neither states nor records.
fn download<T: Scalar>(
    stream: &Stream,
    memory: &CudaSlice<u8>,
    places: &[Place; 8],
    part: &mut Part<'_, T>,
) -> Result<(), GpuError> {
    let [_, _, ends, steps, rejected, _, guarded, codes] = places;
    let first = ends.at;
    let mut targets: Vec<Target<'_>> = Vec::new();
    let [_, _, of_ends, of_steps, of_rejected, _, of_guarded, of_codes] = part.results.bytes();
    for (place, rows) in [
        (ends, of_ends),
        (steps, of_steps),
        (rejected, of_rejected),
        (guarded, of_guarded),
        (codes, of_codes),
    ] {
        let at = |r: usize| place.at - first + r * place.row;
        targets.extend(rows.into_iter().enumerate().map(|(r, row)| (at(r), row)));
    }
    let end = codes.at + codes.row * codes.rows;
    stream.download_rows(&memory.slice(first..end), targets)?;
    stream.synchronize()
}

/// The most accepted steps of a trajectory that succeeded.
fn most_steps<T: Scalar>(part: &mut Part<'_, T>) -> usize {
    let [_, _, _, steps, rejected, _, _, codes] = part.results.bytes();
    let counts = |rows: Vec<&mut [u8]>| -> Vec<u32> {
        rows.into_iter().flat_map(|row| bytemuck::cast_slice::<u8, u32>(row).to_vec()).collect()
    };
    let (steps, rejected) = (counts(steps), counts(rejected));
    let codes = codes.into_iter().flat_map(|row| row.iter());
    let succeeded = codes.zip(steps.iter().zip(rejected));
    let succeeded = succeeded.filter(|(code, _)| u64::from(**code) == code::SUCCESS);
    succeeded.map(|(_, (steps, rejected))| (steps - rejected) as usize).max().unwrap_or(0)
}

/// How the way back lies in device memory: its counter, the derivatives that are given, and the
/// gradients.
struct Back<'c> {
    /// What is uploaded, and where that ends.
    rows: Vec<Source<'c>>,
    end: usize,
    /// Where given derivatives by saved and by final states lie, if there are such.
    given: [Option<usize>; 2],
    /// Losses, derivatives by initial states and by parameters.
    places: [Place; 3],
    total: usize,
}

/// What threads count by at the beginning.
const COUNTER: [u8; 8] = [0; 8];

impl<'c> Back<'c> {
    fn new<T: Scalar>(
        cotangents: &RawCotangents<'c, T>,
        range: ColumnRange<'_, T>,
        shape: ode_core::problem::layout::Shape,
    ) -> Self {
        let (n, size) = (range.len(), size_of::<T>());
        let mut rows: Vec<Source<'c>> = vec![(0, &COUNTER)];
        let mut at = align(COUNTER.len());
        let given = [cotangents.saved, cotangents.last].map(|numbers| {
            if numbers.is_empty() {
                return None;
            }
            let begin = at;
            for row in numbers.chunks(cotangents.trajectories) {
                rows.push((at, bytes_of(&row[range.indices()])));
                at += n * size;
            }
            at = align(at);
            Some(begin)
        });
        let end = at;
        let places = [1, shape.states, shape.parameters].map(|rows| {
            let place = Place { at, row: size * n, rows };
            at = align(at + rows * size * n);
            place
        });
        Back { rows, end, given, places, total: at }
    }

    fn sources(&self) -> Vec<Source<'c>> {
        self.rows.clone()
    }

    /// The kernel's argument, for memory at `base`.
    fn arguments(&self, base: u64) -> PullArguments {
        let [saved, last] = self.given;
        let [loss, u0, p] = self.places.map(|place| base + place.at as u64);
        let address = |at: Option<usize>| base + at.unwrap_or(0) as u64;
        PullArguments {
            by_saved: address(saved),
            by_last: address(last),
            loss,
            u0,
            p,
            has_saved: u32::from(saved.is_some()),
            has_last: u32::from(last.is_some()),
        }
    }
}
