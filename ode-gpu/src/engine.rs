//! A device that solves pieces of an ensemble, by itself or beside others.
//!
//! A few pieces are under way at a time, each on a stream of its own: while one computes, another
//! is uploaded or downloaded.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, PushKernelArg};
use ode_core::SolveError;
use ode_core::ensemble::dispenser::{Appetite, Desk, Divisible, Taken};
use ode_core::ensemble::engine::{Engine, Piece};
use ode_core::ensemble::task::Task;
use ode_core::kernel::pull::PullArguments;
use ode_core::kernel::{self, JobArguments, KERNEL_NAME, SHARED_BYTES, Variant};
use ode_core::lane::Scalar;
use ode_core::problem::columns::Columns;
use ode_core::problem::settings::Settings;

use crate::batch::{Batch, Place, bytes_of, footprint, most_trajectories};
use crate::cache::Cache;
use crate::device::Device;
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, Name, Program};
use crate::locked::is_locked;
use crate::memory::Stream;
use crate::pinned::Transfer;
use crate::timing::Stopwatch;

/// The number of pieces under way at a time: one that is downloaded, one that computes, and one
/// whose first trajectories fill the device where the last ones of that leave it.
const UNDER_WAY: usize = 3;

/// Pieces of a block that is long enough for so many: what cannot overlap, the first upload and the
/// last download, is of one piece.
const PIECES: usize = 16;

/// The least bytes of a piece, and the least number of trajectories for each thread of the device:
/// each piece has an end in which part of the device idles, and a shorter copy gains nothing.
const PIECE_BYTES: usize = 16 << 20;
const EACH_THREAD: usize = 4;

/// The fewest trajectories that a piece is cut into for want of memory: one block of threads.
const FEWEST: usize = kernel::BLOCK as usize;

/// A device, and what it solves.
pub(crate) struct DeviceEngine<'a, T> {
    pub(crate) device: &'a Device,
    pub(crate) task: &'a dyn Task<T>,
    pub(crate) settings: &'a Settings<T>,
    pub(crate) columns: &'a Columns<T>,
    /// The kernel that it needs.
    pub(crate) variant: Variant,
    /// The compiler's options.
    pub(crate) options: &'a [String],
    /// How many trajectories the user wants launched at a time.
    pub(crate) batch: Option<usize>,
    /// The time that it waited for its kernel.
    pub(crate) compile: Duration,
    /// The time that it computed.
    pub(crate) computing: Computing,
}

/// How many threads of 128 registers, which most kernels do not exceed, a device holds at a time.
pub(crate) fn at_once(device: &Device) -> usize {
    device.multiprocessors() as usize * device.threads_per_multiprocessor() as usize / 4
}

impl<T: Scalar> Engine<T> for DeviceEngine<'_, T> {
    fn name(&self) -> String {
        self.device.short()
    }

    fn appetite(&self, trajectories: usize) -> Appetite {
        let reachable = most_trajectories(self.columns).min(trajectories.max(1));
        if let Some(batch) = self.batch {
            let most = batch.min(reachable);
            return Appetite { least: most.min(at_once(self.device)), most };
        }
        let all = at_once(self.device);
        let (each, _) = footprint(self.settings, self.columns);
        let worth = (PIECE_BYTES / each.max(1)).max(EACH_THREAD * all);
        let most = (trajectories / PIECES).max(worth).min(self.fitting(reachable));
        Appetite { least: (2 * all).min(most), most }
    }

    fn run(&mut self, desk: &Desk<'_, Piece<'_, T>>) -> Result<(), SolveError> {
        // A device that comes too late compiles nothing.
        let mut next = desk.take();
        if next.is_none() {
            return Ok(());
        }
        let begin = Instant::now();
        let kernel = kernel_of(self.task, self.device, &self.variant, self.options)?;
        self.compile += begin.elapsed();
        let mut idle: Vec<Stream> = Vec::new();
        let mut launched: VecDeque<Launched<'_, '_, T>> = VecDeque::new();
        let mut depth = UNDER_WAY;
        loop {
            while launched.len() < depth {
                let taken = match next.take() {
                    Some(taken) => Some(taken),
                    None if launched.is_empty() => desk.take(),
                    None => desk.take_now(),
                };
                let Some(taken) = taken else { break };
                let stream = match idle.pop() {
                    Some(stream) => stream,
                    None => self.device.idle_stream()?,
                };
                let mut one = Launched::new(stream, taken);
                match self.queue(&kernel, &mut one) {
                    Ok(()) => launched.push_back(one),
                    // Those under way give memory back first.
                    Err(GpuError::OutOfMemory { .. }) if !launched.is_empty() => {
                        depth = launched.len();
                        next = one.given_up();
                    }
                    Err(GpuError::OutOfMemory { .. }) if one.count() > FEWEST => {
                        let half = (one.count() / 2).max(FEWEST);
                        next = one.given_up();
                        if let Some(taken) = &mut next {
                            taken.keep(half);
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            let Some(one) = launched.pop_front() else { break };
            idle.push(one.finish(&mut self.computing)?);
        }
        idle.into_iter().for_each(|stream| self.device.keep_stream(stream));
        Ok(())
    }
}

impl<T: Scalar> DeviceEngine<'_, T> {
    /// The largest number of trajectories that fit at a time, so that [`UNDER_WAY`] pieces fit.
    fn fitting(&self, reachable: usize) -> usize {
        let (each, beside) = footprint(self.settings, self.columns);
        let needed = reachable.saturating_mul(each).saturating_add(beside);
        let usable = |memory: u64| usize::try_from(memory).unwrap_or(usize::MAX);
        // Asking how much is free takes longer than a small solve; should that little be missing,
        // the allocation says so.
        if needed <= usable(self.device.total_memory() / 16) {
            return reachable;
        }
        // What fails here fails again where memory is allocated, and is told there.
        let free = self.device.memory_info().map_or(u64::MAX, |info| info.free);
        let one = usable(free / 10 * 8) / UNDER_WAY;
        (one.saturating_sub(beside) / each.max(1)).clamp(FEWEST.min(reachable), reachable)
    }

    /// Queues upload, kernel and, where the host's memory is page-locked, download of a piece.
    fn queue(&self, kernel: &Kernel, one: &mut Launched<'_, '_, T>) -> Result<(), GpuError> {
        let Some(taken) = &mut one.taken else { return Ok(()) };
        let Piece { columns, results } = taken.work();
        let stream = &one.stream;
        let batch = Batch::new(self.settings, *columns);
        // `most_trajectories` bounds the batch.
        let items = batch.len() as u32;
        let config = match self.variant.refill {
            true => kernel.launch_resident(items),
            false => kernel.launch_for(items),
        };
        let memory = one.memory.insert(stream.allocate::<u8>(batch.total())?);
        let (sources, end) = batch.sources();
        one.uploads = stream.upload_rows(&sources, end, memory)?;
        let base = memory.device_ptr(stream.raw()).0;
        let job = Argument(batch.job(base));
        let shared = Argument::shared(&self.variant.shared_numbers(self.columns));

        let watch = Stopwatch::start(stream)?;
        let mut launch = stream.raw().launch_builder(kernel.function());
        launch.arg(&job).arg(&shared);
        // SAFETY: the kernel takes a `Job` and the shared numbers; the addresses are those of
        // `batch` in memory of `batch.total()` bytes, which is freed on this stream, behind the
        // kernel. It stays within that memory, as `EnsembleGpuKernel::solve` has checked that
        // batches are laid out for the system of its text.
        unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        watch.stop(stream)?;
        one.watch = Some(watch);

        for (array, rows) in results.bytes().into_iter().enumerate() {
            let place = batch.places()[array];
            if rows.iter().all(|row| is_locked(row)) {
                // SAFETY: `one` owns the piece, which has these rows to itself, until the stream
                // has been waited for, and the device memory as long.
                unsafe { stream.start_rows(base + place.at as u64, place.row, rows)? };
            } else {
                one.staged.push((array, place));
            }
        }
        Ok(())
    }
}

/// A piece under way. However it ends, the stream is waited for before the piece leaves.
struct Launched<'d, 'p, T: Scalar> {
    stream: Stream,
    /// Freed by its stream, behind all that uses it.
    memory: Option<CudaSlice<u8>>,
    /// The arrays of results that go through page-locked memory when the kernel has ended: which of
    /// them, and where they lie.
    staged: Vec<(usize, Place)>,
    watch: Option<Stopwatch>,
    /// Owns the page-locked memory of the last uploads, which may be under way.
    uploads: Vec<Transfer<u8>>,
    /// `None` once the stream has been waited for.
    taken: Option<Taken<'d, Piece<'p, T>>>,
}

impl<'d, 'p, T: Scalar> Launched<'d, 'p, T> {
    fn new(stream: Stream, taken: Taken<'d, Piece<'p, T>>) -> Self {
        let taken = Some(taken);
        Launched {
            stream,
            memory: None,
            staged: Vec::new(),
            watch: None,
            uploads: Vec::new(),
            taken,
        }
    }

    /// The number of trajectories.
    fn count(&mut self) -> usize {
        self.taken.as_mut().map_or(0, |taken| taken.work().count())
    }

    /// The piece, of which not everything could be queued.
    fn given_up(mut self) -> Option<Taken<'d, Piece<'p, T>>> {
        self.wait();
        self.taken.take()
    }

    /// Waits for the results.
    fn finish(mut self, computing: &mut Computing) -> Result<Stream, GpuError> {
        if let (Some(memory), Some(taken)) = (&self.memory, &mut self.taken) {
            let places = self.staged.iter().map(|(_, place)| place);
            let begin = places.clone().map(|place| place.at).min();
            let end = places.map(|place| place.at + place.row * place.rows).max();
            if let (Some(begin), Some(end)) = (begin, end) {
                let mut targets = Vec::new();
                for (array, rows) in taken.work().results.bytes().into_iter().enumerate() {
                    if let Some((_, place)) = self.staged.iter().find(|(index, _)| *index == array)
                    {
                        let at = |r: usize| place.at - begin + r * place.row;
                        targets.extend(rows.into_iter().enumerate().map(|(r, row)| (at(r), row)));
                    }
                }
                self.stream.download_rows(&memory.slice(begin..end), targets)?;
            }
        }
        self.stream.synchronize()?;
        if let Some(watch) = self.watch.take() {
            computing.add(watch)?;
        }
        if let Some(taken) = self.taken.take() {
            taken.done();
        }
        Ok(self.stream.clone())
    }

    fn wait(&self) {
        // What fails here has failed before, or is told by the context's next call.
        let _ = self.stream.raw().synchronize();
    }
}

impl<T: Scalar> Drop for Launched<'_, '_, T> {
    fn drop(&mut self) {
        if self.taken.is_some() {
            self.wait();
        }
    }
}

/// The kernel of a task, from this process's memory, the disk, or the compiler.
pub(crate) fn kernel_of<T: Scalar>(
    task: &dyn Task<T>,
    device: &Device,
    variant: &Variant,
    options: &[String],
) -> Result<Arc<Kernel>, SolveError> {
    // Writing and hashing the text takes as long as a small solve: of a system without fields it is
    // not written where the kernel is loaded. One with fields writes its own part, of a few
    // kilobytes, in each solve, since that tells its values apart.
    check_options(options)?;
    let name = Name::Task(task.key(), variant.clone(), options.to_vec());
    device.kernel_named(name, Cache::from_env(), || {
        let source = task.kernel(variant)?;
        Ok(Program { name: KERNEL_NAME.to_owned(), source, options: options.to_vec() })
    })
}

/// The options of NVRTC that change the text of a kernel, on which `unsafe` code rests.
const OPTIONS_OF_TEXT: [&str; 7] = [
    "-D",
    "--define-macro",
    "-U",
    "--undefine-macro",
    "-include",
    "--pre-include",
    // A file of options.
    "@",
];

/// Refuses options that change the text of kernels.
pub(crate) fn check_options(options: &[String]) -> Result<(), GpuError> {
    match options.iter().find(|option| changes_text(option)) {
        Some(option) => Err(GpuError::OptionOfText { option: option.clone() }),
        None => Ok(()),
    }
}

fn changes_text(option: &str) -> bool {
    OPTIONS_OF_TEXT.iter().any(|of| option.trim_start().starts_with(of))
}

/// A wrapper of what is passed to a kernel as an argument by value.
#[repr(transparent)]
pub(crate) struct Argument<A>(pub(crate) A);

// SAFETY: the kernel takes a `Job` of the same layout by value: both consist of the same numbers
// in the same order, and the source asserts that the sizes agree.
unsafe impl<T: Scalar> DeviceRepr for Argument<JobArguments<T>> {}

// SAFETY: the kernel takes a `PullJob` of the same layout by value: six addresses or counts in the
// same order, and the source asserts that the sizes agree.
unsafe impl DeviceRepr for Argument<PullArguments> {}

/// The shared numbers as bytes, padded with zeros.
type SharedBytes = [u8; SHARED_BYTES];

// SAFETY: the kernel takes an array of numbers by value, which `Argument::shared` puts first, and
// which is not larger: `Variant` sees to that.
unsafe impl DeviceRepr for Argument<SharedBytes> {}

impl Argument<SharedBytes> {
    pub(crate) fn shared<T: Scalar>(numbers: &[T]) -> Self {
        let mut bytes = [0; SHARED_BYTES];
        let numbers = bytes_of(numbers);
        bytes[..numbers.len()].copy_from_slice(numbers);
        Argument(bytes)
    }
}

/// The time during which at least one kernel ran. Kernels of two streams overlap where one ends.
#[derive(Default)]
pub(crate) struct Computing {
    origin: Option<Stopwatch>,
    until: Duration,
    pub(crate) total: Duration,
}

impl Computing {
    /// Adds a kernel that has ended.
    fn add(&mut self, watch: Stopwatch) -> Result<(), GpuError> {
        match &self.origin {
            None => {
                self.total = watch.elapsed()?;
                self.until = self.total;
                self.origin = Some(watch);
            }
            Some(origin) => {
                let (start, stop) = watch.since(origin)?;
                self.total += stop.saturating_sub(start.max(self.until));
                self.until = self.until.max(stop);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_the_text_are_told_from_others() {
        for option in ["-DREAL=int", "-D", "--define-macro=A=1", "-URESTRICT", "-include=a.h"] {
            assert!(changes_text(option), "{option}");
        }
        for option in ["--use_fast_math", "--maxrregcount=64", "-lineinfo", "--fmad=true", "-G"] {
            assert!(!changes_text(option), "{option}");
        }
    }
}
