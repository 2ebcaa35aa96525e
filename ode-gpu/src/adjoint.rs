//! Gradients on a device: one kernel solves and records steps, another runs the adjoint.
//!
//! The number of rows in the step records of a thread is not known in advance. The memory has as
//! many rows as the last gradients of the same system and method needed. If these rows do not
//! suffice, the batch is solved again with the required number. The same holds for recorded actions,
//! which all threads together store in one array. Batches are limited so that the records fit into
//! memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, PushKernelArg};
use ode_core::ensemble::adjoint::{AdjointKernel, AdjointTask};
use ode_core::ensemble::raw_gradients::{GradientArray, GradientSlices, RawCotangents};
use ode_core::ensemble::task::TaskKey;
use ode_core::ensemble::work_queue::{ChunkLimits, Divisible, WorkerHandle};
use ode_core::ensemble::worker::{Chunk, Worker};
use ode_core::kernel::adjoint::{
    self, ADJOINT_NAME, AdjointArguments, MARKS, RECORD_NAME, row_bytes,
};
use ode_core::kernel::{self, KernelConfig};
use ode_core::lane::Scalar;
use ode_core::problem::inputs::InputRange;
use ode_core::problem::layout::SystemShape;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::ResultArray;
use ode_core::{SavedRow, SolveError};

use crate::argument::Argument;
use crate::batch::{Batch, Footprint, Place, align, bytes_of, most_trajectories};
use crate::cache::Cache;
use crate::device::{Device, lock};
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, KernelSource, Name};
use crate::memory::Stream;
use crate::recent::Recent;
use crate::rows::{Source, Target};
use crate::timing::Stopwatch;
use crate::worker::{at_once, check_options, launch_config};

/// Rows for each trajectory of a thread, if no gradients of this system and method were computed
/// yet.
const STEPS: usize = 64;

/// Recorded actions for each trajectory, if no gradients of this system and method were computed
/// yet.
const ACTIONS: usize = 4;

/// The fewest trajectories of a batch that is cut for want of memory: one block of threads.
const FEWEST: usize = kernel::BLOCK as usize;

/// The sizes of step records, for each trajectory of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Needs {
    /// The number of rows.
    steps: usize,
    /// The number of recorded actions.
    actions: usize,
}

/// The sizes of the step records that the last gradients of a system and a method needed.
#[derive(Debug, Default)]
struct Known {
    steps: AtomicUsize,
    actions: AtomicUsize,
}

impl Known {
    /// Returns the known sizes of a system and a method.
    fn of(key: TaskKey) -> Arc<Known> {
        static KNOWN: LazyLock<Mutex<Recent<TaskKey, Arc<Known>>>> =
            LazyLock::new(|| Mutex::new(Recent::new(64)));
        lock(&KNOWN).get(key)
    }

    fn needs(&self) -> Needs {
        let steps = self.steps.load(Ordering::Relaxed).max(STEPS);
        Needs { steps, actions: self.actions.load(Ordering::Relaxed).max(ACTIONS) }
    }

    fn raise(&self, needed: Needs) {
        self.steps.fetch_max(needed.steps, Ordering::Relaxed);
        self.actions.fetch_max(needed.actions, Ordering::Relaxed);
    }
}

/// The worker of a device for gradients.
pub(crate) struct AdjointWorker<'a, T> {
    pub(crate) device: &'a Device,
    pub(crate) task: &'a dyn AdjointTask<T>,
    pub(crate) settings: &'a ResolvedOptions<T>,
    pub(crate) cotangents: &'a RawCotangents<'a, T>,
    /// The configuration of both kernels.
    pub(crate) kernel_config: KernelConfig,
    pub(crate) options: &'a [String],
    /// The number of devices that compute together; `None` if slower workers compute beside them, or
    /// the solve is watched.
    pub(crate) alike: Option<usize>,
    /// The largest number of trajectories of a launch, if the user sets one.
    pub(crate) batch: Option<usize>,
    pub(crate) compile: Duration,
    pub(crate) computing: Duration,
}

/// The kernels of a gradient.
struct Kernels {
    record: Arc<Kernel>,
    adjoint: Arc<Kernel>,
}

impl<T: Scalar> Worker<T> for AdjointWorker<'_, T> {
    fn name(&self) -> String {
        self.device.short()
    }

    /// Devices of one kind take equal chunks, since launches of a few trajectories do not fill a
    /// device. Beside CPU threads chunks are as small as in a solve.
    fn chunk_limits(&self, trajectories: usize) -> ChunkLimits {
        let all = at_once(self.device);
        match (self.batch, self.alike) {
            (Some(batch), _) => ChunkLimits { least: batch.min(all), most: batch },
            (None, Some(devices)) => {
                let share = trajectories.div_ceil(devices.max(1)).max(1);
                ChunkLimits { least: share, most: share }
            }
            (None, None) => ChunkLimits { least: all, most: (trajectories / 4).max(2 * all) },
        }
    }

    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError> {
        let mut next = handle.take();
        if next.is_none() {
            return Ok(());
        }
        let begin = Instant::now();
        let kernels = self.kernels()?;
        self.compile += begin.elapsed();
        let slot = self.device.idle_slot()?;
        while let Some(mut lease) = next {
            self.compute(&slot.stream, &kernels, lease.work())?;
            lease.done();
            next = handle.take();
        }
        self.device.keep_slot(slot);
        Ok(())
    }
}

impl<T: Scalar> AdjointWorker<'_, T> {
    /// Computes the gradients of a chunk, in as many launches as its step records need memory.
    fn compute(
        &mut self,
        stream: &Stream,
        kernels: &Kernels,
        chunk: &mut Chunk<'_, T>,
    ) -> Result<(), SolveError> {
        let known = Known::of(self.task.key(AdjointKernel::Backward));
        let mut most = usize::MAX;
        let (inputs, results) = (chunk.inputs, chunk.results.reborrow());
        let gradients = chunk.gradients.as_mut().map(GradientSlices::reborrow);
        let mut left = vec![Chunk { inputs, results, gradients }];
        while let Some(chunk) = left.pop() {
            let room = known.needs();
            let fits = self.fitting(room, chunk.inputs).min(most).max(1);
            let mut now = chunk;
            if fits < now.count() {
                let (first, behind) = now.split(fits);
                left.push(behind);
                now = first;
            }
            match self.launch(stream, kernels, &mut now, room) {
                Ok(needed) if needed.steps <= room.steps && needed.actions <= room.actions => {}
                Ok(needed) => {
                    known.raise(needed);
                    left.push(now);
                }
                Err(GpuError::OutOfMemory { .. }) if now.count() > FEWEST => {
                    most = (now.count() / 2).max(FEWEST);
                    left.push(now);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn kernels(&self) -> Result<Kernels, SolveError> {
        check_options(self.options)?;
        let kernel = |adjoint, name: &str| {
            let (task, options) = (self.task, self.options.to_vec());
            let key = Name::Task(task.key(adjoint), self.kernel_config.clone(), options.clone());
            self.device.kernel_named(key, Cache::from_env(), || {
                let source = task.kernel(adjoint, &self.kernel_config)?;
                Ok::<_, SolveError>(KernelSource { name: name.to_owned(), source, options })
            })
        };
        Ok(Kernels {
            record: kernel(AdjointKernel::Forward, RECORD_NAME)?,
            adjoint: kernel(AdjointKernel::Backward, ADJOINT_NAME)?,
        })
    }

    /// The bytes of a row of a thread.
    fn row_bytes(&self) -> usize {
        row_bytes::<T>(self.task.shape().states, self.has_times())
    }

    /// Whether rows contain times and sizes of steps.
    fn has_times(&self) -> bool {
        self.settings.adaptive || self.task.action_width() > 0
    }

    /// The bytes of a recorded action; zero for a system without actions.
    fn action_bytes(&self) -> usize {
        match self.task.action_width() {
            0 => 0,
            width => width * size_of::<T>() + MARKS * size_of::<u32>(),
        }
    }

    /// Returns how many trajectories of a chunk fit into memory with their records.
    fn fitting(&self, room: Needs, range: InputRange<'_, T>) -> usize {
        let shape = self.task.shape();
        let footprint = Footprint::new(&self.without_saves(), range.inputs());
        let own = 1 + shape.states + shape.parameters;
        let given = self.cotangents.saved.len() + self.cotangents.last.len();
        let given = given / self.cotangents.trajectories.max(1);
        let numbers = (own + given) * size_of::<T>();
        let records = room.steps.saturating_mul(self.row_bytes()) + 6 * size_of::<u32>();
        let records = records.saturating_add(room.actions.saturating_mul(self.action_bytes()));
        let each = footprint.each().saturating_add(numbers).saturating_add(records);
        let most = most_trajectories(range.inputs()).min(range.len());
        let needed = most.saturating_mul(each).saturating_add(footprint.beside);
        // A query of the free memory takes longer than a small gradient.
        if needed <= usize::try_from(self.device.total_memory() / 16).unwrap_or(usize::MAX) {
            return most;
        }
        let free = self.device.memory_info().map_or(u64::MAX, |info| info.free);
        let usable = usize::try_from(free / 10 * 8).unwrap_or(usize::MAX);
        (usable.saturating_sub(footprint.beside) / each).clamp(FEWEST.min(most), most)
    }

    /// The resolved options of a solve that downloads only return codes, end times and counts.
    fn without_saves(&self) -> ResolvedOptions<T> {
        ResolvedOptions { saved: SavedRow::default(), step_slots: 0, ..self.settings.clone() }
    }

    /// Computes the gradients of a batch with step records of the sizes `given`.
    ///
    /// Returns the sizes that were needed. If one exceeds the given one, some gradients are missing.
    fn launch(
        &mut self,
        stream: &Stream,
        kernels: &Kernels,
        chunk: &mut Chunk<'_, T>,
        room_of: Needs,
    ) -> Result<Needs, GpuError> {
        let settings = self.without_saves();
        let batch = Batch::new(&settings, chunk.inputs);
        // `most_trajectories` bounds the batch.
        let config = launch_config(&kernels.record, &self.kernel_config, batch.len() as u32);
        let threads = config.grid_dim.0 as usize * config.block_dim.0 as usize;
        let each = batch.len().div_ceil(threads);
        let room = u32::try_from(room_of.steps.saturating_mul(each)).unwrap_or(u32::MAX);
        let action_bytes = self.action_bytes();
        let acts = if action_bytes > 0 { room_of.actions.saturating_mul(batch.len()) } else { 0 };
        let action_room = u32::try_from(acts).unwrap_or(u32::MAX);
        let shape = self.task.shape();
        let back = Back::new(self.cotangents, chunk.inputs, shape, align(batch.total()));
        let row = adjoint::width::<T>(shape.states, self.has_times()) * size_of::<T>();
        let numbers = self.task.action_width() * size_of::<T>();
        let records = Records::new(threads, batch.len(), [room, action_room], [row, numbers]);
        let mut memory = stream.allocate::<u8>(back.total)?;
        let rows = stream.allocate::<u8>(records.total)?;
        let mut given = stream.allocate::<u8>(back.given_total)?;
        let (sources, end) = batch.sources();
        let uploads = stream.upload_rows(&sources, end, &mut memory)?;
        let more = stream.upload_rows(&back.rows, back.given_total, &mut given)?;
        let mut most = memory.slice_mut(back.most..back.total);
        stream.raw().memset_zeros(&mut most).call("cuMemsetD8Async")?;
        let address = |memory: &CudaSlice<u8>| memory.device_ptr(stream.raw()).0;
        let arguments = Argument(batch.arguments(address(&memory)));
        let adjoint = AdjointArguments {
            threads: threads as u32,
            room,
            action_room,
            ..records.arguments(address(&rows))
        };
        let adjoint = Argument(back.arguments(address(&memory), address(&given), adjoint));
        let shared = Argument::shared(&self.kernel_config.shared_numbers(chunk.inputs.inputs()));
        let watch = Stopwatch::start(stream)?;
        for kernel in [&kernels.record, &kernels.adjoint] {
            let mut launch = stream.raw().launch_builder(kernel.function());
            launch.arg(&arguments).arg(&shared).arg(&adjoint);
            // SAFETY: both kernels take a `KernelArguments`, the shared numbers and an
            // `AdjointArguments`. The addresses are those of `batch` and `back` in `memory`, of the
            // cotangents, and of the records.
            // `memory` is laid out for the system of their text. The records are those of as many
            // threads as the grid has, with `room` rows each. The second kernel reads the records
            // that the first one has written.
            unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        }
        watch.stop(stream)?;
        // How trajectories ended, followed by the gradients.
        let places = batch.places();
        let downloaded = |array: &ResultArray| !STAYS.contains(array);
        let first =
            ResultArray::ALL.iter().filter(|a| downloaded(a)).map(|a| a.of(places).at).min();
        let first = first.unwrap_or(0);
        let [mut most, mut actions] = [[0; size_of::<u32>()]; 2];
        let mut targets: Vec<Target<'_>> = Vec::new();
        let results = ResultArray::ALL.iter().zip(chunk.results.bytes());
        let results = results.filter(|(array, _)| downloaded(array));
        let results = results.map(|(array, rows)| (array.of(places), rows));
        let gradients = chunk.gradients.iter_mut().flat_map(GradientSlices::bytes);
        for (place, rows) in results.chain(back.places.iter().zip(gradients)) {
            let at = |r: usize| place.at - first + r * place.row;
            targets.extend(rows.into_iter().enumerate().map(|(r, row)| (at(r), row)));
        }
        targets.push((back.most - first, &mut most));
        targets.push((back.most - first + size_of::<u32>(), &mut actions));
        stream.download_rows(&memory.slice(first..back.total), targets)?;
        stream.synchronize()?;
        self.computing += watch.elapsed()?;
        drop((uploads, more));
        // The assignment of trajectories to threads can differ next time.
        let most = u32::from_ne_bytes(most) as usize;
        let steps = if each > 1 { (most + most / 16).div_ceil(each) } else { most };
        let actions = u32::from_ne_bytes(actions) as usize;
        Ok(Needs { steps, actions: actions.div_ceil(batch.len().max(1)) })
    }
}

/// The layout of step records in device memory of their own.
struct Records {
    /// The offsets of: numbers, flags of steps, starts of trajectories and the rows before them,
    /// and for each thread its last trajectory and its rows. Then those of actions: their numbers
    /// and marks, the actions at starts of trajectories, and the last actions of threads.
    at: [usize; 10],
    total: usize,
}

impl Records {
    /// `room` and `sizes`: the numbers of rows of a thread and of actions of all threads, and the
    /// bytes of the elements of each.
    fn new(threads: usize, trajectories: usize, room: [u32; 2], sizes: [usize; 2]) -> Records {
        let [rows, actions] = room.map(|room| room as usize);
        let rows = threads.saturating_mul(rows);
        let word = size_of::<u32>();
        let [starts, last] = [trajectories, threads].map(|count| count * word);
        let [numbers, action_numbers] =
            [(rows, sizes[0]), (actions, sizes[1])].map(|(count, size)| count.saturating_mul(size));
        let marks = actions.saturating_mul(MARKS * word);
        let [action_starts, action_last] = [starts, last].map(|n| if actions > 0 { n } else { 0 });
        let of_steps = [numbers, rows, starts, starts, last, last];
        let of_actions = [action_numbers, marks, action_starts, action_last];
        let mut bytes = of_steps.into_iter().chain(of_actions);
        let mut total = 0_usize;
        let at = [(); 10].map(|()| {
            let bytes = bytes.next().unwrap_or_default();
            let at = total;
            total = align(total.saturating_add(bytes).min(usize::MAX / 2));
            at
        });
        Records { at, total }
    }

    /// Returns the addresses for the kernels' argument, for memory at `base`.
    fn arguments(&self, base: u64) -> AdjointArguments {
        let addresses = self.at.map(|at| base + at as u64);
        let [
            numbers,
            steps,
            starts,
            before,
            last,
            rows,
            actions,
            marks,
            action_starts,
            action_last,
        ] = addresses;
        AdjointArguments {
            numbers,
            steps,
            starts,
            before,
            last,
            rows,
            actions,
            marks,
            action_starts,
            action_last,
            ..AdjointArguments::default()
        }
    }
}

/// The results that stay on the device.
const STAYS: [ResultArray; 2] = [ResultArray::Finals, ResultArray::Saved];

/// The layout of the adjoint in device memory.
///
/// The cotangents have memory of their own. The gradients are behind a batch.
struct Back<'c> {
    /// The cotangents, and their size in bytes.
    rows: Vec<Source<'c>>,
    given_total: usize,
    /// The offsets of the cotangents of saved and of final states, if there are any.
    given: [Option<usize>; 2],
    /// Losses, gradients by initial states and by parameters, behind the batch; then the numbers of
    /// rows and actions that were needed, and the end of the memory.
    places: [Place; GradientArray::COUNT],
    most: usize,
    total: usize,
}

impl<'c> Back<'c> {
    /// Lays out memory behind a batch that ends at `begin`.
    fn new<T: Scalar>(
        cotangents: &RawCotangents<'c, T>,
        range: InputRange<'_, T>,
        shape: SystemShape,
        begin: usize,
    ) -> Self {
        let (n, size) = (range.len(), size_of::<T>());
        let mut rows: Vec<Source<'c>> = Vec::new();
        let mut given_total = 0;
        let given = [cotangents.saved, cotangents.last].map(|numbers| {
            if numbers.is_empty() {
                return None;
            }
            let begin = given_total;
            for row in numbers.chunks(cotangents.trajectories) {
                rows.push((given_total, bytes_of(&row[range.indices()])));
                given_total += n * size;
            }
            given_total = align(given_total);
            Some(begin)
        });
        let mut total = begin;
        let places = GradientArray::ALL.map(|array| {
            let (rows, row) = (array.rows(&shape), array.size::<T>() * n);
            let place = Place { at: total, row, rows };
            total = align(total + rows * row);
            place
        });
        let most = total;
        Back { rows, given_total, given, places, most, total: most + 2 * size_of::<u32>() }
    }

    /// Returns the kernels' argument, for a batch at `base` and cotangents at `given`.
    fn arguments(&self, base: u64, given: u64, adjoint: AdjointArguments) -> AdjointArguments {
        let [saved, last] = self.given;
        let [loss, u0, p] = self.places.map(|place| base + place.at as u64);
        let address = |at: Option<usize>| given + at.unwrap_or(0) as u64;
        AdjointArguments {
            most: base + self.most as u64,
            action_count: base + (self.most + size_of::<u32>()) as u64,
            by_saved: address(saved),
            by_last: address(last),
            loss,
            u0,
            p,
            has_saved: u32::from(saved.is_some()),
            has_last: u32::from(last.is_some()),
            ..adjoint
        }
    }
}
