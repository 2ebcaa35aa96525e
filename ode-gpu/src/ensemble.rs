//! Ensembles on a GPU.
//!
//! A solve is one launch where everything fits into the device's memory. Otherwise the ensemble
//! is cut into batches, two of which are under way at a time, each on a stream of its own: while
//! one computes, the other is uploaded or downloaded.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, PushKernelArg};
use ode_core::Layout;
use ode_core::Method;
use ode_core::ensemble::task::{self, Solve, Task};
use ode_core::kernel::{self, Functions, JobArguments, KERNEL_NAME, SHARED_BYTES, Variant};
use ode_core::lane::Scalar;
use ode_core::problem::columns::{ColumnRange, Columns};
use ode_core::problem::inputs::Inputs;
use ode_core::problem::settings::Settings;
use ode_core::system::System;
use ode_core::{
    Backend, EnsembleAlgorithm, Memory, RawResults, ResultSink, RunReport, Schedule, SolveError,
    Timings,
};

use crate::batch::{Batch, Outputs, bytes_of, footprint, most_trajectories};
use crate::cache::Cache;
use crate::device::{Device, WarmUp, devices};
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, KernelReport, Name, Program};
use crate::memory::Stream;
use crate::pinned::Transfer;
use crate::timing::Stopwatch;

/// The number of batches that are launched at a time.
const UNDER_WAY: usize = 2;

/// The smallest batch that an ensemble is cut into for want of memory: one block.
const FEWEST: usize = kernel::BLOCK as usize;

/// Solves on an NVIDIA GPU, one trajectory per thread, each with its own step size.
///
/// A kernel is compiled by NVRTC for each system, method and kind of options at its first solve,
/// and is kept in memory and on disk (`ODES_CACHE_DIR`). An ensemble that does not fit into the
/// device's memory is solved in batches.
///
/// ```
/// use ode_gpu::EnsembleGpuKernel;
///
/// match EnsembleGpuKernel::all() {
///     Ok(gpu) => println!("solving on {}", gpu.devices()[0]),
///     Err(error) => println!("solving on the CPU: {error}"),
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct EnsembleGpuKernel {
    devices: Vec<Device>,
    schedule: Schedule,
    batch: Option<usize>,
    compiler_options: Vec<String>,
    functions: Functions,
    /// The first device's context, created while the caller prepares the ensemble.
    _warm_up: Arc<WarmUp>,
}

impl EnsembleGpuKernel {
    /// All GPUs of the machine, in the driver's order. Only the first of them solves: several GPUs
    /// at once are not supported yet.
    ///
    /// The call starts to create the device's context, on a thread of its own, so that problems can
    /// be prepared meanwhile.
    ///
    /// # Errors
    /// [`GpuError`] if there is no driver, no device, or no compiler for the device; the error says
    /// which, and where was searched.
    pub fn all() -> Result<Self, GpuError> {
        Self::on(devices()?)
    }

    /// The GPU of number `ordinal`, from 0, as the driver counts: in the order of `nvidia-smi` with
    /// `CUDA_DEVICE_ORDER=PCI_BUS_ID`, and among the devices that `CUDA_VISIBLE_DEVICES` leaves.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let second = EnsembleGpuKernel::device(1)?;
    /// println!("solving on {}", second.devices()[0].name());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`all`](Self::all), and [`GpuError`] if there is no such device.
    pub fn device(ordinal: usize) -> Result<Self, GpuError> {
        Self::on(vec![crate::device::device(ordinal)?])
    }

    fn on(devices: Vec<Device>) -> Result<Self, GpuError> {
        let first = first(&devices)?;
        let warm_up = Arc::new(first.warm_up());
        // A missing compiler is an error here and not in the middle of a solve.
        first.arch()?;
        Ok(EnsembleGpuKernel {
            devices,
            schedule: Schedule::Auto,
            batch: None,
            compiler_options: Vec::new(),
            functions: Functions::default(),
            _warm_up: warm_up,
        })
    }

    /// Sets when a thread takes its next trajectory; the results are the same bits. By default,
    /// [`Schedule::Auto`], threads take them from a queue ([`Refill`](Schedule::Refill)) where
    /// steps are adaptive and there are more trajectories than the device holds at a time, and
    /// solve one each ([`Static`](Schedule::Static)) otherwise.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_core::Schedule;
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let gpu = EnsembleGpuKernel::all()?.schedule(Schedule::Static);
    /// # Ok(())
    /// # }
    /// ```
    pub fn schedule(self, schedule: Schedule) -> Self {
        EnsembleGpuKernel { schedule, ..self }
    }

    /// Sets how many trajectories are launched at a time, at least 1; the results are the same
    /// bits. By default these are all that fit into the device's memory.
    ///
    /// Two batches are under way at a time, so the device holds twice as many trajectories. Batches
    /// that do not fit are halved, down to one block of threads; only where that does not fit the
    /// solve is [`SolveError::OutOfMemory`](ode_core::SolveError::OutOfMemory).
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// // Leaves memory to another process on the same device.
    /// let gpu = EnsembleGpuKernel::all()?.batch(100_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn batch(self, trajectories: usize) -> Self {
        EnsembleGpuKernel { batch: Some(trajectories.max(1)), ..self }
    }

    /// Sets which elementary functions (`exp`, `sin`, …) kernels call: by default
    /// [`Functions::Portable`], the library's own, which give the same bits in every place. Those
    /// of CUDA, [`Functions::Library`], are faster in `f32` and give other bits.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_core::kernel::Functions;
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let fast = EnsembleGpuKernel::all()?.functions(Functions::Library);
    /// # Ok(())
    /// # }
    /// ```
    pub fn functions(self, functions: Functions) -> Self {
        EnsembleGpuKernel { functions, ..self }
    }

    /// Sets options of NVRTC with which kernels are compiled, besides the library's own. Some of
    /// them, such as `--use_fast_math`, give up the bits that all places agree on. A solve with an
    /// option that NVRTC does not know is an error with the compiler's log, and one with an option
    /// that changes the kernel's text (`-D`, `-U`, `-include`) is
    /// [`GpuError::OptionOfText`].
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let gpu = EnsembleGpuKernel::all()?.compiler_options(["--maxrregcount=64"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compiler_options(self, options: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let compiler_options = options.into_iter().map(Into::into).collect();
        EnsembleGpuKernel { compiler_options, ..self }
    }

    /// The devices, at least one, of which the first solves.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
}

/// How many threads of 128 registers, which most kernels do not exceed, a device holds at a time.
fn at_once(device: &Device) -> usize {
    device.multiprocessors() as usize * device.threads_per_multiprocessor() as usize / 4
}

fn first(devices: &[Device]) -> Result<&Device, GpuError> {
    devices.first().ok_or_else(|| GpuError::NoDevice {
        driver: crate::driver::cuda_version().unwrap_or((0, 0)),
    })
}

/// Too little memory is the same error in all places, so that callers can solve fewer trajectories
/// at a time without knowing the place.
impl From<GpuError> for SolveError {
    fn from(error: GpuError) -> Self {
        let bytes = |needed: u64| usize::try_from(needed).unwrap_or(usize::MAX);
        match error {
            GpuError::OutOfMemory { device: ordinal, needed, free } => SolveError::OutOfMemory {
                bytes: bytes(needed),
                memory: Memory::Device { ordinal, free },
            },
            GpuError::OutOfPinnedMemory { needed, .. } => {
                SolveError::OutOfMemory { bytes: bytes(needed), memory: Memory::PageLocked }
            }
            error => SolveError::Backend(Arc::new(error)),
        }
    }
}

impl EnsembleAlgorithm for EnsembleGpuKernel {
    type Compiled = task::Text;

    ode_core::both_precisions!(solve);
}

impl EnsembleGpuKernel {
    fn solve<T: Scalar>(
        &self,
        task: &dyn Task<T>,
        settings: &Settings<T>,
        columns: &Columns<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> {
        let begin = Instant::now();
        // The kernel writes as many numbers as its system has.
        task.shape().check(settings, columns)?;
        let device = first(&self.devices)?;
        let variant = self.variant(device, settings, columns);
        let refill = variant.refill;
        let shared = Argument::shared(&variant.shared_numbers(columns));
        let kernel = kernel_of(task, device, variant, self.compiler_options.clone())?;
        let compile = begin.elapsed();

        let block = usize::try_from(sink.block()).unwrap_or(usize::MAX);
        let block = block.clamp(1, columns.trajectories.max(1));
        let batch = self.batch_size(device, settings, columns, block)?;
        let solve = Run { settings, columns, device, kernel: &kernel, refill, shared };
        let computing = solve.run(block, batch, sink)?;
        let transfer = begin.elapsed().saturating_sub(compile).saturating_sub(computing);
        let backend = Backend::Gpu { devices: vec![device.name().to_owned()] };
        let mut timings = Timings::default();
        timings.compile = compile.as_secs_f64();
        timings.solve = computing.as_secs_f64();
        timings.transfer = transfer.as_secs_f64();
        Ok(RunReport::new(backend, timings))
    }

    /// What is known about the kernel that solves `inputs` of this system, which is compiled if it
    /// is not yet.
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`]; and a [`GpuError`] as [`SolveError::Backend`] if it cannot
    /// be compiled or loaded.
    pub fn report<T, S, M, const N: usize, const P: usize>(
        &self,
        system: S,
        inputs: &Inputs<T>,
    ) -> Result<KernelReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method,
    {
        let device = first(&self.devices)?;
        let variant = self.variant(device, &inputs.settings, &inputs.columns);
        let task = Solve::<S, M, task::Text, N, P>::new(system);
        let options = self.compiler_options.clone();
        let kernel = kernel_of::<T>(&task, device, variant, options)?;
        Ok(kernel.report().clone())
    }

    fn variant<T: Scalar>(
        &self,
        device: &Device,
        settings: &Settings<T>,
        columns: &Columns<T>,
    ) -> Variant {
        let refill = match self.schedule {
            Schedule::Refill => true,
            Schedule::Auto => settings.adaptive && columns.trajectories > at_once(device),
            _ => false,
        };
        Variant { functions: self.functions, ..Variant::new(settings, columns, refill) }
    }

    /// The number of trajectories to launch at a time, out of `n` that are solved together.
    fn batch_size<T: Scalar>(
        &self,
        device: &Device,
        settings: &Settings<T>,
        columns: &Columns<T>,
        n: usize,
    ) -> Result<usize, GpuError> {
        // All of a size: a short last one would leave part of the device idle.
        let even = |most: usize| n.div_ceil(n.div_ceil(most));
        let reachable = most_trajectories(columns).min(n);
        if let Some(batch) = self.batch {
            return Ok(batch.min(reachable));
        }
        let (each, beside) = footprint(settings, columns);
        let fits = |memory: u64| {
            let memory = usize::try_from(memory).unwrap_or(usize::MAX);
            reachable.saturating_mul(each).saturating_add(beside) <= memory
        };
        // Asking how much is free takes longer than a small solve; should that little be missing,
        // the allocation says so.
        if fits(device.total_memory() / 16) {
            return Ok(even(reachable));
        }
        let most = device.memory_info()?.free / 10 * 8;
        if fits(most) && reachable == n {
            return Ok(n);
        }
        let one = usize::try_from(most).unwrap_or(usize::MAX) / UNDER_WAY;
        let most =
            (one.saturating_sub(beside) / each.max(1)).clamp(FEWEST.min(reachable), reachable);
        Ok(even(most))
    }
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

fn changes_text(option: &str) -> bool {
    OPTIONS_OF_TEXT.iter().any(|of| option.trim_start().starts_with(of))
}

/// The kernel of a task, from this process's memory, the disk, or the compiler.
fn kernel_of<T: Scalar>(
    task: &dyn Task<T>,
    device: &Device,
    variant: Variant,
    options: Vec<String>,
) -> Result<Arc<Kernel>, SolveError> {
    // Writing and hashing the text takes as long as a small solve: of a system without fields it is
    // not written where the kernel is loaded. One with fields writes its own part, of a few
    // kilobytes, in each solve, since that tells its values apart.
    if let Some(option) = options.iter().find(|option| changes_text(option)) {
        return Err(GpuError::OptionOfText { option: option.clone() }.into());
    }
    let name = Name::Task(task.key(), variant.clone(), options.clone());
    device.kernel_named(name, Cache::from_env(), || {
        let source = task.kernel(&variant)?;
        Ok(Program { name: KERNEL_NAME.to_owned(), source, options })
    })
}

/// A wrapper of what is passed to a kernel as an argument by value.
#[repr(transparent)]
struct Argument<A>(A);

// SAFETY: the kernel takes a `Job` of the same layout by value: both consist of the same numbers
// in the same order, and the source asserts that the sizes agree.
unsafe impl<T: Scalar> DeviceRepr for Argument<JobArguments<T>> {}

/// The shared numbers as bytes, padded with zeros.
type SharedBytes = [u8; SHARED_BYTES];

// SAFETY: the kernel takes an array of numbers by value, which `Argument::shared` puts first, and
// which is not larger: `Variant` sees to that.
unsafe impl DeviceRepr for Argument<SharedBytes> {}

impl Argument<SharedBytes> {
    fn shared<T: Scalar>(numbers: &[T]) -> Self {
        let mut bytes = [0; SHARED_BYTES];
        let numbers = bytes_of(numbers);
        bytes[..numbers.len()].copy_from_slice(numbers);
        Argument(bytes)
    }
}

/// A solve on one device.
struct Run<'a, T> {
    settings: &'a Settings<T>,
    columns: &'a Columns<T>,
    device: &'a Device,
    kernel: &'a Kernel,
    refill: bool,
    shared: Argument<SharedBytes>,
}

/// A batch that was launched. Its memory is freed by its stream, behind the kernel.
struct Launched<'a, T> {
    range: ColumnRange<'a, T>,
    results: Range<usize>,
    memory: CudaSlice<u8>,
    stream: Stream,
    watch: Stopwatch,
    /// Owns the page-locked memory of the last uploads, which may be under way.
    _uploads: Vec<Transfer<u8>>,
}

impl<'a, T: Scalar> Run<'a, T> {
    /// Solves blocks of `block` trajectories for `sink`, each in batches of `batch` or, where
    /// memory does not suffice, fewer. Returns the time that the device computed.
    ///
    /// Batches of the next block are under way while the last ones of a block are downloaded and
    /// stored.
    fn run(
        &self,
        block: usize,
        mut batch: usize,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<Duration, SolveError> {
        let layout = Layout::new(self.settings, self.columns);
        // What is left to launch: of a block, and the blocks behind it.
        let mut ahead = self.columns.all().chunks(block);
        let mut rest = ahead.next();
        let mut idle: Vec<Stream> = Vec::new();
        let mut launched: VecDeque<Launched<'a, T>> = VecDeque::new();
        let mut computing = Computing::default();
        let mut results = RawResults::default();
        for block in self.columns.all().chunks(block) {
            let mut outputs = Outputs::reserve(layout, block.len(), results)?;
            let mut downloaded = 0;
            while downloaded < block.len() {
                if let Some(left) = rest
                    && launched.len() < UNDER_WAY
                {
                    let (range, behind) = left.split(batch);
                    let stream = match idle.pop() {
                        Some(stream) => stream,
                        None => self.device.own_stream()?,
                    };
                    match self.launch(&stream, range) {
                        Ok(one) => {
                            rest = if behind.is_empty() { ahead.next() } else { Some(behind) };
                            launched.push_back(one);
                            continue;
                        }
                        // Those under way give memory back first.
                        Err(GpuError::OutOfMemory { .. }) if !launched.is_empty() => {}
                        Err(GpuError::OutOfMemory { .. }) if range.len() > FEWEST => {
                            batch = (range.len() / 2).max(FEWEST);
                            continue;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                let Some(done) = launched.pop_front() else {
                    unreachable!("a block's trajectories are launched until all are")
                };
                if downloaded == 0 {
                    outputs.touch();
                }
                let view = done.memory.slice(done.results.clone());
                let range = downloaded..downloaded + done.range.len();
                downloaded = range.end;
                done.stream.download_rows(&view, outputs.targets(range))?;
                computing.add(done.watch)?;
                idle.push(done.stream);
            }
            // SAFETY: batches come back in order, none is of two blocks, and all of this block
            // were downloaded.
            results = unsafe { outputs.finish() };
            if sink.store(block, &mut results)?.is_break() {
                break;
            }
        }
        Ok(computing.total)
    }

    /// Queues upload and kernel of one batch.
    fn launch(
        &self,
        stream: &Stream,
        range: ColumnRange<'a, T>,
    ) -> Result<Launched<'a, T>, GpuError> {
        let batch = Batch::new(self.settings, range);
        let kernel = self.kernel;
        // `most_trajectories` bounds the batch.
        let items = batch.len() as u32;
        let config =
            if self.refill { kernel.launch_resident(items) } else { kernel.launch_for(items) };

        let mut memory = stream.allocate::<u8>(batch.total())?;
        let (sources, end) = batch.sources();
        let uploads = stream.upload_rows(&sources, end, &mut memory)?;
        let base = memory.device_ptr(stream.raw()).0;
        let job = Argument(batch.job(base));

        let watch = Stopwatch::start(stream)?;
        let mut launch = stream.raw().launch_builder(self.kernel.function());
        launch.arg(&job).arg(&self.shared);
        // SAFETY: the kernel takes a `Job` and the shared numbers; the addresses are those of
        // `batch` in memory of `batch.total()` bytes, which is freed on this stream, behind the
        // kernel. It stays within that memory, as `solve` has checked that batches are laid out for
        // the system of its text.
        unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        watch.stop(stream)?;
        Ok(Launched {
            range: batch.range(),
            results: batch.results(),
            memory,
            stream: stream.clone(),
            watch,
            _uploads: uploads,
        })
    }
}

/// The time during which at least one kernel ran. Kernels of two streams overlap where one ends.
#[derive(Default)]
struct Computing {
    origin: Option<Stopwatch>,
    until: Duration,
    total: Duration,
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
    fn memory_that_does_not_suffice_is_one_error_everywhere() {
        let device = GpuError::OutOfMemory { device: 1, needed: 1 << 40, free: 1 << 20 };
        let SolveError::OutOfMemory { bytes, memory } = SolveError::from(device) else {
            panic!("another error")
        };
        assert_eq!((bytes, memory), (1 << 40, Memory::Device { ordinal: 1, free: 1 << 20 }));
        let pinned = GpuError::OutOfPinnedMemory { needed: 7, code: 2, text: String::new() };
        let text = SolveError::from(pinned).to_string();
        assert!(text.contains("7 bytes of page-locked memory"), "{text}");
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

    /// Whatever else fails is there in its own words, and for programs as it was.
    #[test]
    fn other_errors_are_those_of_the_place() {
        let error = GpuError::NoSuchDevice { ordinal: 3, count: 1 };
        let outer = SolveError::from(error.clone());
        assert_eq!(outer.to_string(), error.to_string());
        let SolveError::Backend(inner) = outer else { panic!("{outer}") };
        let inner = inner.downcast_ref::<GpuError>();
        assert!(matches!(inner, Some(GpuError::NoSuchDevice { ordinal: 3, count: 1 })));
    }
}
