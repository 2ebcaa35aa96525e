//! The worker of a lockstep solve on a device.
//!
//! Each batch of trajectories is one cooperative launch, in which all threads wait for each other
//! after each step.
//!
//! The driver reports how many blocks of a compiled kernel run at a time. If these blocks do not
//! hold all members in registers, another kernel has the members in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig, PushKernelArg};
use ode_core::ensemble::task::Task;
use ode_core::ensemble::work_queue::{ChunkLimits, WorkerHandle};
use ode_core::ensemble::worker::{Chunk, Worker};
use ode_core::kernel::lockstep::{LockstepArguments, word_bytes};
use ode_core::kernel::{Functions, KernelConfig, LockstepConfig};
use ode_core::lane::Scalar;
use ode_core::problem::inputs::Inputs;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::ResultArray;
use ode_core::step::guard;
use ode_core::{SolveError, WorstMember};

use crate::argument::Argument;
use crate::batch::{Place, align, most_trajectories};
use crate::device::Device;
use crate::error::{DriverCall, GpuError};
use crate::kernel::Kernel;
use crate::launched::{Computing, Launched};
use crate::memory::Stream;
use crate::timing::Stopwatch;
use crate::worker::kernel_of;

/// Threads of a block if there are few members: they spread over more multiprocessors.
const FEW: u32 = 128;
/// The largest number of blocks of [`FEW`] threads.
///
/// Each block waits for all others after each step, so more members are in larger blocks.
const FEW_BLOCKS: usize = 128;
/// Threads of a block for more members, up to a block for each multiprocessor.
const MANY: u32 = 256;
/// Threads of the only block of a multiprocessor, in numbers of four bytes.
///
/// Each thread then has 80 registers, which suffice for [`MOST_STATES`] states by `Tsit5`.
const MOST: u32 = 768;
/// The largest number of states of members in blocks of [`MOST`] threads.
const MOST_STATES: usize = 4;

/// The fewest bytes of saved states to copy while the kernel runs: 0.6 ms of the bus.
const BESIDE: usize = 32 << 20;

/// The worker of a device for lockstep solves.
pub(crate) struct LockstepWorker<'a, T> {
    pub(crate) device: &'a Device,
    pub(crate) task: &'a dyn Task<T>,
    pub(crate) settings: &'a ResolvedOptions<T>,
    pub(crate) columns: &'a Inputs<T>,
    /// Whether the error of all members is the mean of their errors.
    pub(crate) mean: bool,
    pub(crate) functions: Functions,
    /// The compiler options.
    pub(crate) options: &'a [String],
    /// The time that the worker waited for its kernels.
    pub(crate) compile: Duration,
    /// The time that the device computed.
    pub(crate) computing: Computing,
    /// The worst member so far.
    pub(crate) worst: Option<WorstMember>,
}

/// A kernel for a number of members, and their distribution over blocks.
struct Plan {
    kernel: Arc<Kernel>,
    kernel_config: KernelConfig,
    kind: LockstepConfig,
    blocks: u32,
    /// Members of a block, in units of its threads.
    tiles: u32,
}

/// Returns the number of blocks, and the tiles of each, for `n` members.
///
/// The device holds `most` blocks of this configuration at a time. Returns `None` if it does not
/// hold all members.
fn cut(n: usize, most: u32, kind: LockstepConfig) -> Option<(u32, u32)> {
    let (needed, most) = (n.div_ceil(kind.threads as usize), most.max(1) as usize);
    let tiles = needed.div_ceil(most);
    if kind.resident && tiles > 1 {
        return None;
    }
    // The sum over a block's members is a subtree of the sum.
    let tiles = if kind.mean { tiles.next_power_of_two() } else { tiles };
    Some((u32::try_from(needed.div_ceil(tiles)).ok()?, u32::try_from(tiles).ok()?))
}

/// Returns the possible kernel configurations for `n` members, best first.
///
/// The first configuration that holds all members is used. Members are in registers if a device
/// with `threads` threads on each multiprocessor may have enough registers, and in memory
/// otherwise. Blocks have at most `most` threads.
fn kinds(
    n: usize,
    mean: bool,
    most: u32,
    multiprocessors: usize,
    threads: usize,
) -> Vec<LockstepConfig> {
    let kind = |threads, resident| LockstepConfig { mean, resident, threads };
    let size = if n.div_ceil(FEW as usize) <= FEW_BLOCKS {
        FEW
    } else if n.div_ceil(MANY as usize) <= multiprocessors {
        MANY
    } else {
        most
    };
    // A member in registers needs twice as many registers as a thread has at full occupancy.
    let registers = (n <= multiprocessors * threads / 2).then(|| kind(size, true));
    // A device may hold no block of more threads.
    let least = (most > MANY).then(|| kind(MANY, false));
    registers.into_iter().chain([kind(most, false)]).chain(least).collect()
}

/// The layout of device memory besides the batch, in bytes.
struct Extra {
    words: usize,
    errors_at: usize,
    memory_at: usize,
    total: usize,
}

impl Extra {
    fn new<T: Scalar>(task: &dyn Task<T>, n: usize, plan: &Plan) -> Self {
        let words = word_bytes(plan.blocks as usize);
        let errors_at = align(words);
        let memory_at = align(errors_at + n * size_of::<T>());
        let rows = if plan.kind.resident { 0 } else { task.lockstep_rows() };
        let bytes = n.saturating_mul(rows).saturating_mul(size_of::<T>());
        Extra { words, errors_at, memory_at, total: memory_at.saturating_add(bytes) }
    }
}

impl<T: Scalar> Worker<T> for LockstepWorker<'_, T> {
    fn name(&self) -> String {
        self.device.short()
    }

    /// A lockstep solve is not cut into chunks.
    fn chunk_limits(&self, trajectories: usize) -> ChunkLimits {
        ChunkLimits { least: trajectories, most: trajectories }
    }

    fn run(&mut self, handle: &WorkerHandle<'_, Chunk<'_, T>>) -> Result<(), SolveError> {
        while let Some(mut lease) = handle.take() {
            let chunk = lease.work();
            let (trajectories, first) = (chunk.inputs.len(), chunk.inputs.numbers().start);
            let most = most_trajectories(self.columns);
            if trajectories > most {
                return Err(SolveError::TooManyTrajectories { trajectories, most });
            }
            let begin = Instant::now();
            let plan = self.plan(trajectories)?;
            self.compile += begin.elapsed();
            let mut one = Launched::new(self.device.idle_slot()?, lease);
            let squares = self.launch(&plan, &mut one, trajectories)?;
            let squares = (first..).zip(squares.into_iter().map(|square: T| square.widen()));
            let found = WorstMember::of(self.columns.u0.len(), squares);
            self.worst = WorstMember::worse(self.worst, found);
            self.device.keep_slot(one.finish(&mut self.computing, None)?);
        }
        Ok(())
    }
}

impl<T: Scalar> LockstepWorker<'_, T> {
    /// The threads of a block if there are very many members.
    fn largest_block(&self) -> u32 {
        // The leaves of a sum's tree are a power of two.
        if self.mean || self.columns.u0.len() > MOST_STATES {
            MANY
        } else {
            MOST / (size_of::<T>() / size_of::<f32>()) as u32
        }
    }

    /// Returns the kernel for `n` members.
    fn plan(&self, n: usize) -> Result<Plan, SolveError> {
        let device = self.device;
        let threads = device.threads_per_multiprocessor() as usize;
        let most = self.largest_block();
        let kinds = kinds(n, self.mean, most, device.multiprocessors() as usize, threads);
        for kind in kinds {
            let kernel_config = KernelConfig::new(self.settings, self.columns, false);
            let kernel_config =
                KernelConfig { functions: self.functions, lockstep: Some(kind), ..kernel_config };
            let kernel = kernel_of(self.task, device, &kernel_config, self.options)?;
            let most = kernel.blocks_at_once(device, kind.threads)?;
            if most == 0 && kind.threads > MANY {
                continue;
            }
            if let Some((blocks, tiles)) = cut(n, most, kind) {
                return Ok(Plan { kernel, kernel_config, kind, blocks, tiles });
            }
        }
        let most = most_trajectories(self.columns);
        Err(SolveError::TooManyTrajectories { trajectories: n, most })
    }

    /// Solves a batch of `n` trajectories, waits, and returns the squares of their greatest errors.
    ///
    /// Queues the download of results.
    fn launch(
        &self,
        plan: &Plan,
        one: &mut Launched<'_, '_, T>,
        n: usize,
    ) -> Result<Vec<T>, GpuError> {
        let Some(batch) = one.upload(self.settings, 0)? else { return Ok(Vec::new()) };
        let extra = Extra::new(self.task, n, plan);
        let memory = zeroed(&one.stream, &extra)?;
        let base = memory.device_ptr(one.stream.raw()).0;
        let arguments = Argument(batch.arguments(one.base()));
        let shared = Argument::shared(&plan.kernel_config.shared_numbers(self.columns));
        let saved = *ResultArray::Saved.of(batch.places());
        let progress = if self.copies_beside(saved) { one.progress()? } else { None };
        let lockstep = Argument(LockstepArguments {
            words: base,
            progress: progress.unwrap_or(0),
            memory: base + extra.memory_at as u64,
            errors: base + extra.errors_at as u64,
            blocks: plan.blocks,
            tiles: plan.tiles,
        });
        let config = LaunchConfig {
            grid_dim: (plan.blocks, 1, 1),
            block_dim: (plan.kind.threads, 1, 1),
            shared_mem_bytes: 0,
        };
        let watch = Stopwatch::start(&one.stream)?;
        let mut launch = one.stream.raw().launch_builder(plan.kernel.function());
        launch.arg(&arguments).arg(&shared).arg(&lockstep);
        // SAFETY: the kernel takes a `KernelArguments`, the shared numbers and a
        // `LockstepArguments`. The addresses are those of `batch` and `extra` in memory of their
        // sizes, which is freed on this stream, behind the kernel. The kernel stays within that
        // memory, since `EnsembleGpuArray::solve` has checked that batches are laid out for the
        // system of its text. All blocks run at once, since the device holds that many, and the
        // driver rejects a cooperative launch of more.
        unsafe { launch.launch_cooperative(config) }.call("cuLaunchCooperativeKernel")?;
        watch.stop(&one.stream)?;
        one.computes(watch);
        // Each saved time has a slot of as many rows.
        let slots = batch.arguments(0).save_slots.max(1) as usize;
        one.download_beside(saved, saved.rows / slots)?;
        one.download(batch.places())?;
        let mut squares = vec![T::default(); n];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut squares);
        let errors = memory.slice(extra.errors_at..extra.errors_at + bytes.len());
        one.stream.download_rows(&errors, vec![(0, bytes)])?;
        Ok(squares)
    }

    /// Whether saved states are copied while the kernel runs.
    ///
    /// They are not if there are few of them, or if the kernel may save a state again. With fixed
    /// steps, blocks do not wait for each other, so none has the progress of all.
    fn copies_beside(&self, saved: Place) -> bool {
        let options = self.settings;
        let again = options.guard != guard::OFF || options.stopping || options.saved.times > 0;
        options.adaptive && !again && saved.rows * saved.row >= BESIDE
    }
}

/// Allocates the memory of `extra`, and sets its words to zero.
fn zeroed(stream: &Stream, extra: &Extra) -> Result<CudaSlice<u8>, GpuError> {
    let mut memory = stream.allocate::<u8>(extra.total)?;
    stream.raw().memset_zeros(&mut memory.slice_mut(..extra.words)).call("cuMemsetD8Async")?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member is in a block, and no block is empty.
    #[test]
    fn blocks_have_all_columns() {
        for (mean, most) in [(false, MOST), (false, MANY), (true, MANY)] {
            for n in [1, 2, 31, 64, 65, 1000, 16_896, 16_897, 100_000, 1_000_003, 1 << 31] {
                let mut found = false;
                for kind in kinds(n, mean, most, 132, 2048) {
                    let most = 132 * 512 / kind.threads;
                    let Some((blocks, tiles)) = cut(n, most, kind) else {
                        assert!(kind.resident);
                        continue;
                    };
                    found = true;
                    assert!(blocks <= most && (tiles == 1 || !kind.resident), "{n} {kind:?}");
                    assert!(!mean || tiles.is_power_of_two());
                    let of_block = tiles as usize * kind.threads as usize;
                    assert_eq!(n.div_ceil(of_block), blocks as usize, "{n} {kind:?}");
                    break;
                }
                assert!(found, "{n}");
            }
        }
    }

    /// Few members are in registers, spread over the device.
    #[test]
    fn few_columns_are_in_registers() {
        let first = |n| kinds(n, false, MOST, 132, 2048)[0];
        assert_eq!((first(1).threads, first(1).resident), (FEW, true));
        assert_eq!((first(16_384).threads, first(16_384).resident), (FEW, true));
        assert_eq!((first(16_385).threads, first(16_385).resident), (MANY, true));
        assert_eq!((first(33_792).threads, first(33_792).resident), (MANY, true));
        assert_eq!((first(33_793).threads, first(33_793).resident), (MOST, true));
        assert_eq!((first(1 << 20).threads, first(1 << 20).resident), (MOST, false));
    }
}
