//! The worker of a device, which solves chunks of an ensemble alone or with other workers.
//!
//! A few chunks are in progress at a time, each on a stream of its own: while one computes, another
//! is uploaded or downloaded.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::{LaunchConfig, PushKernelArg};
use ode_core::SolveError;
use ode_core::ensemble::task::Task;
use ode_core::ensemble::work_queue::{ChunkLimits, WorkerHandle};
use ode_core::ensemble::worker::{Chunk, Worker};
use ode_core::kernel::lockstep::LOCKSTEP_NAME;
use ode_core::kernel::{self, KERNEL_NAME, KernelConfig};
use ode_core::lane::Scalar;
use ode_core::problem::inputs::Inputs;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::reduction::Reduction;

use crate::argument::Argument;
use crate::batch::{Footprint, most_trajectories};
use crate::cache::Cache;
use crate::device::Device;
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, KernelSource, Name};
use crate::launched::{Computing, Launched};
use crate::reduce::{self, Reducer};
use crate::timing::Stopwatch;

/// The number of chunks in progress at a time.
///
/// One is downloaded and one computes. The first trajectories of the third one fill the device
/// while the last ones of the second finish.
const UNDER_WAY: usize = 3;

/// The number of chunks of a batch beside slower workers, if it has enough trajectories.
const PIECES: usize = 16;

/// The smallest and the largest chunk of a device without slower workers, as parts of its share.
///
/// The first upload and the last download cannot overlap with computation, so the first and the
/// last chunks are short. Each further chunk costs time, since lanes idle at its end until their
/// neighbours finish. For Lorenz systems in random order that took a fortieth of the solve.
const FIRST: usize = 16;
const LARGEST: (usize, usize) = (3, 8);

/// The smallest size of a chunk in bytes, and the fewest trajectories for each thread of the
/// device.
///
/// At the end of each chunk part of the device idles, and a shorter copy gains nothing.
const PIECE_BYTES: usize = 16 << 20;
const EACH_THREAD: usize = 4;

/// The size of a batch's results in bytes, up to which each device takes a single chunk.
///
/// Such results cross the bus in a millisecond, which does not justify the idle ends of several
/// chunks. This was measured for Van der Pol oscillators with step counts that differ by a factor
/// of 20. The kernels of four chunks took 6.6 ms, and the kernel of one chunk takes 3.2 ms.
const WHOLE_BYTES: usize = 48 << 20;

/// The fewest trajectories of a chunk that is cut for want of memory: one block of threads.
const FEWEST: usize = kernel::BLOCK as usize;

/// The worker of a device.
pub(crate) struct DeviceWorker<'a, T> {
    pub(crate) device: &'a Device,
    pub(crate) task: &'a dyn Task<T>,
    pub(crate) settings: &'a ResolvedOptions<T>,
    pub(crate) columns: &'a Inputs<T>,
    /// The configuration of its kernel.
    pub(crate) kernel_config: KernelConfig,
    /// The number of devices that solve together; `None` if slower workers solve beside them, or
    /// if launches must be short.
    pub(crate) alike: Option<usize>,
    /// The compiler options.
    pub(crate) options: &'a [String],
    /// The largest number of trajectories of a launch, if the user sets one.
    pub(crate) batch: Option<usize>,
    /// The reduction that takes the place of results.
    pub(crate) reduction: Option<&'a dyn Reduction<T>>,
    /// The time that the worker waited for its kernel.
    pub(crate) compile: Duration,
    /// The time that the device computed.
    pub(crate) computing: Computing,
}

/// The quantities that determine how a batch is cut into chunks.
#[derive(Clone, Copy, Debug)]
struct Cut {
    trajectories: usize,
    /// The number of trajectories that the device holds at a time.
    all: usize,
    footprint: Footprint,
    /// As in [`DeviceWorker`].
    alike: Option<usize>,
}

impl Cut {
    /// Returns the chunk limits if `fitting` trajectories fit into the device's memory at a time.
    fn chunks(self, fitting: usize) -> ChunkLimits {
        let Cut { trajectories, all, footprint, alike } = self;
        // Fewer trajectories do not justify another device.
        let least = 2 * all;
        if let Some(devices) = alike {
            let share = trajectories.div_ceil(devices.max(1)).max(least.min(trajectories));
            if trajectories.saturating_mul(footprint.results) <= WHOLE_BYTES {
                let most = share.min(fitting);
                return ChunkLimits { least: most, most };
            }
            let most = (share / LARGEST.1 * LARGEST.0).max(least).min(fitting);
            return ChunkLimits { least: (share / FIRST).max(least).min(most), most };
        }
        let worth = (PIECE_BYTES / footprint.each()).max(EACH_THREAD * all);
        let most = (trajectories / PIECES).max(worth).min(fitting);
        ChunkLimits { least: least.min(most), most }
    }

    /// Returns the chunk limits if the user limits a launch to `most` trajectories.
    fn batches(self, most: usize) -> ChunkLimits {
        ChunkLimits { least: most.min(self.all), most }
    }
}

/// The number of threads with 128 registers, which few kernels exceed, that a device holds at a
/// time.
pub(crate) fn at_once(device: &Device) -> usize {
    device.multiprocessors() as usize * device.threads_per_multiprocessor() as usize / 4
}

impl<T: Scalar> Worker<T> for DeviceWorker<'_, T> {
    fn name(&self) -> String {
        self.device.short()
    }

    fn chunk_limits(&self, trajectories: usize) -> ChunkLimits {
        let reachable = most_trajectories(self.columns).min(trajectories.max(1));
        let cut = Cut {
            trajectories,
            all: at_once(self.device),
            footprint: self.footprint(),
            alike: self.alike,
        };
        match self.batch {
            Some(batch) => cut.batches(batch.min(reachable)),
            None => cut.chunks(self.fitting(reachable)),
        }
    }

    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError> {
        if self.device.limits_kernels() {
            handle.keep_leases_short();
        }
        // A device that comes too late compiles nothing.
        let mut next = handle.take();
        if next.is_none() {
            return Ok(());
        }
        let begin = Instant::now();
        let kernel = kernel_of(self.task, self.device, &self.kernel_config, self.options)?;
        let reducer = self.reduction.map(|reduction| Reducer::new(reduction, self.device));
        let reducer = reducer.transpose()?;
        self.compile += begin.elapsed();
        let mut idle = Vec::new();
        let mut launched: VecDeque<Launched<'_, '_, T>> = VecDeque::new();
        let mut depth = UNDER_WAY;
        loop {
            while launched.len() < depth {
                let lease = match next.take() {
                    Some(lease) => Some(lease),
                    None if launched.is_empty() => handle.take(),
                    None => handle.take_now(),
                };
                let Some(lease) = lease else { break };
                let slot = match idle.pop() {
                    Some(slot) => slot,
                    None => self.device.idle_slot()?,
                };
                let mut one = Launched::new(slot, lease);
                match self.queue(&kernel, reducer.as_ref(), &mut one, handle.chunk_limits().most) {
                    Ok(()) => launched.push_back(one),
                    // Memory of idle slots may suffice.
                    Err(GpuError::OutOfMemory { .. })
                        if idle.iter().any(|slot| slot.memory.is_some()) =>
                    {
                        idle.iter_mut().for_each(|slot| slot.memory = None);
                        next = one.given_up();
                    }
                    // Wait for the launches in progress first: they free memory.
                    Err(GpuError::OutOfMemory { .. }) if !launched.is_empty() => {
                        depth = launched.len();
                        next = one.given_up();
                    }
                    Err(GpuError::OutOfMemory { .. }) if one.count() > FEWEST => {
                        let half = (one.count() / 2).max(FEWEST);
                        next = one.given_up();
                        if let Some(lease) = &mut next {
                            lease.keep(half);
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            let Some(one) = launched.pop_front() else { break };
            idle.push(one.finish(&mut self.computing, self.reduction)?);
        }
        idle.into_iter().for_each(|slot| self.device.keep_slot(slot));
        Ok(())
    }
}

impl<T: Scalar> DeviceWorker<'_, T> {
    /// The device memory of a chunk.
    fn footprint(&self) -> Footprint {
        let mut footprint = Footprint::new(self.settings, self.columns);
        if let Some(reduction) = self.reduction {
            footprint.beside += reduce::beside::<T>(reduction.request());
        }
        footprint
    }

    /// Returns how many trajectories a chunk may have, so that [`UNDER_WAY`] chunks fit into
    /// memory.
    fn fitting(&self, reachable: usize) -> usize {
        let footprint = self.footprint();
        let (each, beside) = (footprint.each(), footprint.beside);
        let needed = reachable.saturating_mul(each).saturating_add(beside);
        let usable = |memory: u64| usize::try_from(memory).unwrap_or(usize::MAX);
        // A query of the free memory takes longer than a small solve. If even so little memory is
        // missing, the allocation fails.
        if needed <= usable(self.device.total_memory() / 16) {
            return reachable;
        }
        // An error here occurs again in the allocation, which returns it.
        let free = self.device.memory_info().map_or(u64::MAX, |info| info.free);
        let one = usable(free / 10 * 8) / UNDER_WAY;
        (one.saturating_sub(beside) / each).clamp(FEWEST.min(reachable), reachable)
    }

    /// Queues upload, kernel and, if the host's memory is page-locked, download of a chunk.
    ///
    /// `most` is the number of trajectories of the largest chunk.
    fn queue(
        &self,
        kernel: &Kernel,
        reducer: Option<&Reducer<'_, T>>,
        one: &mut Launched<'_, '_, T>,
        most: usize,
    ) -> Result<(), GpuError> {
        // Chunks differ in size. Since their memory has one size, the pool of the driver can give
        // the same memory to the next solve, and maps no more.
        let footprint = self.footprint();
        let room = most.saturating_mul(footprint.each()).saturating_add(footprint.beside);
        let Some(batch) = one.upload(self.settings, room)? else { return Ok(()) };
        // `most_trajectories` bounds the batch.
        let config = launch_config(kernel, &self.kernel_config, batch.len() as u32);
        let arguments = Argument(batch.arguments(one.base()));
        let shared = Argument::shared(&self.kernel_config.shared_numbers(self.columns));
        let watch = Stopwatch::start(&one.stream)?;
        let mut launch = one.stream.raw().launch_builder(kernel.function());
        launch.arg(&arguments).arg(&shared);
        // SAFETY: the kernel takes a `KernelArguments` and the shared numbers. The addresses are
        // those of
        // `batch` in memory of `batch.total()` bytes, which is freed on this stream, behind the
        // kernel. The kernel stays within that memory, since `EnsembleGpuKernel::solve` has checked
        // that batches are laid out for the system of its text.
        unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        if let Some(reducer) = reducer {
            one.reduces(reducer.queue(&one.stream, &batch, one.base())?);
        }
        watch.stop(&one.stream)?;
        one.computes(watch);
        one.download(batch.places())
    }
}

/// Returns the launch configuration of a kernel for so many trajectories.
pub(crate) fn launch_config(
    kernel: &Kernel,
    kernel_config: &KernelConfig,
    trajectories: u32,
) -> LaunchConfig {
    match kernel_config.refill {
        true => kernel.launch_resident(trajectories),
        false => kernel.launch_for(trajectories),
    }
}

/// Returns the kernel of a task, from this process's memory, the disk, or the compiler.
pub(crate) fn kernel_of<T: Scalar>(
    task: &dyn Task<T>,
    device: &Device,
    kernel_config: &KernelConfig,
    options: &[String],
) -> Result<Arc<Kernel>, SolveError> {
    // Writing and hashing the text takes as long as a small solve. If a system has no fields and
    // its kernel is loaded, the text is not written. A system with fields writes its own section of
    // a few kilobytes in each solve, because the key depends on the values of the fields.
    check_options(options)?;
    let name = Name::Task(task.key(), kernel_config.clone(), options.to_vec());
    device.kernel_named(name, Cache::from_env(), || {
        let source = task.kernel(kernel_config)?;
        let name = if kernel_config.lockstep.is_some() { LOCKSTEP_NAME } else { KERNEL_NAME };
        Ok(KernelSource { name: name.to_owned(), source, options: options.to_vec() })
    })
}

/// The NVRTC options that change the text of a kernel, on which `unsafe` code relies.
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

/// Returns an error if an option changes the text of kernels.
pub(crate) fn check_options(options: &[String]) -> Result<(), GpuError> {
    match options.iter().find(|option| changes_text(option)) {
        Some(option) => Err(GpuError::OptionOfText { option: option.clone() }),
        None => Ok(()),
    }
}

fn changes_text(option: &str) -> bool {
    OPTIONS_OF_TEXT.iter().any(|of| option.trim_start().starts_with(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device takes small results as one chunk, and larger results as several.
    #[test]
    fn small_results_are_not_cut() {
        // 132 multiprocessors of 512 threads.
        let all = 132 * 512;
        // Final states of two numbers in `f32`, and one input.
        let footprint = Footprint { inputs: 4, results: 21, beside: 0 };
        let cut = |trajectories, alike| Cut { trajectories, all, footprint, alike };
        let plenty = usize::MAX;
        let one = ChunkLimits { least: 1 << 20, most: 1 << 20 };
        assert_eq!(cut(1 << 20, Some(1)).chunks(plenty), one);
        let half = ChunkLimits { least: 1 << 19, most: 1 << 19 };
        assert_eq!(cut(1 << 20, Some(2)).chunks(plenty), half);
        // Few trajectories use one device, even of several.
        assert_eq!(cut(1000, Some(3)).chunks(plenty), ChunkLimits { least: 1000, most: 1000 });
        let two = ChunkLimits { least: 2 * all, most: 2 * all };
        assert_eq!(cut(3 * all, Some(3)).chunks(plenty), two);
        assert_eq!(cut(1 << 20, Some(1)).chunks(5000), ChunkLimits { least: 5000, most: 5000 });
        // With a single chunk, CPU threads beside the device would have no work.
        let beside = cut(1 << 20, None).chunks(plenty);
        assert_eq!(beside, ChunkLimits { least: 2 * all, most: (16 << 20) / 25 });
        // The largest number of trajectories that is one chunk, and the next number.
        let last = (48 << 20) / 21;
        assert_eq!(cut(last, Some(1)).chunks(plenty).least, last);
        let more = cut(last + 1, Some(1)).chunks(plenty);
        assert_eq!(more, ChunkLimits { least: (last + 1) / 16, most: (last + 1) / 8 * 3 });
        let many = cut(1 << 30, Some(2)).chunks(plenty);
        assert_eq!(many, ChunkLimits { least: 1 << 25, most: 3 << 26 });
        // Slower workers beside a device take part in balancing.
        let many = cut(1 << 30, None).chunks(plenty);
        assert_eq!(many, ChunkLimits { least: 2 * all, most: 1 << 26 });
        // Little memory.
        let few = cut(1 << 30, Some(1)).chunks(5000);
        assert_eq!(few, ChunkLimits { least: 5000, most: 5000 });
    }

    /// The user's limit has priority.
    #[test]
    fn batches_are_as_large_as_the_user_says() {
        let footprint = Footprint { inputs: 4, results: 21, beside: 0 };
        let cut = Cut { trajectories: 1 << 20, all: 1000, footprint, alike: Some(1) };
        assert_eq!(cut.batches(500), ChunkLimits { least: 500, most: 500 });
        assert_eq!(cut.batches(5000), ChunkLimits { least: 1000, most: 5000 });
    }

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
