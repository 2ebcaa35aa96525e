//! Ensembles on a GPU.
//!
//! A solve is one launch where everything fits into the device's memory. Otherwise the ensemble
//! is cut into batches, two of which are under way at a time, each on a stream of its own: while
//! one computes, the other is uploaded or downloaded.

use std::any::TypeId;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, PushKernelArg};
use ode_core::device::{self, Functions, JobArguments, KERNEL_NAME, SHARED_BYTES, Variant};
use ode_core::inputs::Inputs;
use ode_core::lane::Scalar;
use ode_core::methods::Method;
use ode_core::system::System;
use ode_core::{
    Backend, ByPrecision, EnsembleAlgorithm, Memory, RawResults, Schedule, SolveError, Timings,
};

use crate::batch::{Batch, Outputs, bytes_of, footprint, most_trajectories};
use crate::device::{Device, WarmUp, devices, lock};
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, KernelReport, Program};
use crate::memory::Stream;
use crate::pinned::Transfer;
use crate::timing::Stopwatch;

/// Batches under way at a time.
const UNDER_WAY: usize = 2;

/// The fewest trajectories that an ensemble is cut into for want of memory: one block.
const FEWEST: usize = device::BLOCK as usize;

/// A CUDA GPU, one trajectory per thread.
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
    /// All GPUs of the machine. For now the first of them solves everything.
    ///
    /// # Errors
    /// If there is no driver, no device, or no compiler for the device; the error says which.
    pub fn all() -> Result<Self, GpuError> {
        Self::on(devices()?)
    }

    /// The GPU of this number, as `nvidia-smi` and `CUDA_VISIBLE_DEVICES` count.
    ///
    /// # Errors
    /// As [`all`](Self::all), and if there is no such device.
    pub fn device(ordinal: usize) -> Result<Self, GpuError> {
        Self::on(vec![crate::device::device(ordinal)?])
    }

    fn on(devices: Vec<Device>) -> Result<Self, GpuError> {
        let first = first(&devices)?;
        let warm_up = Arc::new(first.warm_up());
        // A machine whose compiler is missing is found out here, not in the middle of a solve.
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

    /// Sets the schedule. [`Schedule::Auto`] is [`Refill`](Schedule::Refill) for adaptive steps, if
    /// there are more trajectories than the device can hold at a time, otherwise
    /// [`Static`](Schedule::Static).
    pub fn schedule(self, schedule: Schedule) -> Self {
        EnsembleGpuKernel { schedule, ..self }
    }

    /// Launches this many trajectories at a time; at least 1. By default as many as fit into the
    /// device's memory. Where these do not fit, fewer.
    pub fn batch(self, trajectories: usize) -> Self {
        EnsembleGpuKernel { batch: Some(trajectories.max(1)), ..self }
    }

    /// Sets whose elementary functions (`exp`, `sin`, …) are called; our own by default.
    pub fn functions(self, functions: Functions) -> Self {
        EnsembleGpuKernel { functions, ..self }
    }

    /// Compiles with these options of NVRTC's besides the library's own (`--maxrregcount=64`,
    /// say). Some of them, like `--use_fast_math`, give up the bits that all places agree on.
    pub fn compiler_options(self, options: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let compiler_options = options.into_iter().map(Into::into).collect();
        EnsembleGpuKernel { compiler_options, ..self }
    }

    /// The devices.
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

/// Memory that does not suffice is the same error on all places, so that callers can take less at a
/// time without knowing the place.
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
    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        T::by_precision(inputs, &Coded { place: self, code: Code::of::<T, S, M, N, P, K>() })
    }
}

/// A place, and what it is to run.
struct Coded<'a> {
    place: &'a EnsembleGpuKernel,
    code: Code,
}

impl ByPrecision for Coded<'_> {
    fn single(&self, inputs: &Inputs<f32>) -> Result<RawResults<f32>, SolveError> {
        self.place.solve(inputs, self.code)
    }

    fn double(&self, inputs: &Inputs<f64>) -> Result<RawResults<f64>, SolveError> {
        self.place.solve(inputs, self.code)
    }
}

impl EnsembleGpuKernel {
    fn solve<T: Scalar>(
        &self,
        inputs: &Inputs<T>,
        code: Code,
    ) -> Result<RawResults<T>, SolveError> {
        let begin = Instant::now();
        let device = first(&self.devices)?;
        let variant = self.variant(device, inputs);
        let refill = variant.refill;
        let shared = Argument::shared(&variant.shared_numbers(inputs));
        let kernel = code.kernel(device, variant, self.compiler_options.clone())?;
        let compile = begin.elapsed();

        let batch = self.batch_size(device, inputs)?;
        let solve = Solve { inputs, device, kernel: &kernel, refill, shared };
        let mut outputs = Outputs::reserve(inputs)?;
        let computing = solve.run(batch, &mut outputs)?;
        let transfer = begin.elapsed().saturating_sub(compile).saturating_sub(computing);
        let backend = Backend::Gpu { devices: vec![device.name().to_owned()] };
        let timings = Timings {
            compile: compile.as_secs_f64(),
            solve: computing.as_secs_f64(),
            transfer: transfer.as_secs_f64(),
            ..Timings::default()
        };
        // SAFETY: `run` downloads batches until there are no more trajectories.
        Ok(unsafe { outputs.finish(backend, timings) })
    }

    /// What is known about the kernel that solves `inputs`, which is compiled if it is not yet.
    ///
    /// # Errors
    /// If it cannot be compiled or loaded.
    pub fn report<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<KernelReport, GpuError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let device = first(&self.devices)?;
        let variant = self.variant(device, inputs);
        let code = Code::of::<T, S, M, N, P, K>();
        let kernel = code.kernel(device, variant, self.compiler_options.clone())?;
        Ok(kernel.report().clone())
    }

    fn variant<T: Scalar>(&self, device: &Device, inputs: &Inputs<T>) -> Variant {
        let refill = match self.schedule {
            Schedule::Refill => true,
            Schedule::Auto => inputs.adaptive && inputs.trajectories > at_once(device),
            _ => false,
        };
        Variant { functions: self.functions, ..Variant::new(inputs, refill) }
    }

    /// The number of trajectories to launch at a time.
    fn batch_size<T: Scalar>(
        &self,
        device: &Device,
        inputs: &Inputs<T>,
    ) -> Result<usize, GpuError> {
        // All of a size: a short last one would leave part of the device idle.
        let n = inputs.trajectories;
        let even = |most: usize| n.div_ceil(n.div_ceil(most));
        let reachable = most_trajectories(inputs).min(n);
        if let Some(batch) = self.batch {
            return Ok(batch.min(reachable));
        }
        let (each, beside) = footprint(inputs);
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

/// What a precision, a system and a method are to the compiler of kernels.
#[derive(Clone, Copy)]
struct Code {
    types: TypeId,
    source: fn(&Variant) -> String,
}

impl Code {
    fn of<T, S, M, const N: usize, const P: usize, const K: usize>() -> Self
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let source = device::source::<T, S, M, N, P, K>;
        Code { types: TypeId::of::<(T, S, M)>(), source }
    }

    /// The kernel of a solve, from this process's memory, the disk, or the compiler.
    fn kernel(
        self,
        device: &Device,
        variant: Variant,
        options: Vec<String>,
    ) -> Result<Arc<Kernel>, GpuError> {
        // Without this map the source would be written and hashed each time, which takes as long as a
        // small solve. The types say what is compiled, and the numbers follow from them.
        type Place = (usize, TypeId, Variant, Vec<String>);
        static KERNELS: Mutex<Option<HashMap<Place, Arc<Kernel>>>> = Mutex::new(None);
        let place = (device.ordinal(), self.types, variant, options);
        if let Some(kernel) = lock(&KERNELS).as_ref().and_then(|kernels| kernels.get(&place)) {
            return Ok(kernel.clone());
        }
        let (_, _, variant, options) = &place;
        let source = (self.source)(variant);
        let options = options.clone();
        let kernel = device.kernel(&Program { name: KERNEL_NAME.to_owned(), source, options })?;
        lock(&KERNELS).get_or_insert_default().insert(place, kernel.clone());
        Ok(kernel)
    }
}

/// Something as a kernel's argument.
#[repr(transparent)]
struct Argument<A>(A);

// SAFETY: the kernel takes a `Job` of the same layout by value: both consist of the same numbers
// in the same order, and the source asserts that the sizes agree.
unsafe impl<T: Scalar> DeviceRepr for Argument<JobArguments<T>> {}

/// The bytes of numbers, and zeros.
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
struct Solve<'a, T> {
    inputs: &'a Inputs<T>,
    device: &'a Device,
    kernel: &'a Kernel,
    refill: bool,
    shared: Argument<SharedBytes>,
}

/// A batch that was launched. Its memory is freed by its stream, behind the kernel.
struct Launched {
    range: Range<usize>,
    results: Range<usize>,
    memory: CudaSlice<u8>,
    stream: Stream,
    watch: Stopwatch,
    /// Owns the page-locked memory of the last uploads, which may be under way.
    _uploads: Vec<Transfer<u8>>,
}

impl<T: Scalar> Solve<'_, T> {
    /// Solves everything, `batch` trajectories at a time or, where memory does not suffice, fewer.
    /// Returns the time that the device computed.
    fn run(&self, mut batch: usize, outputs: &mut Outputs<T>) -> Result<Duration, GpuError> {
        let n = self.inputs.trajectories;
        let mut idle: Vec<Stream> = Vec::new();
        let mut launched: VecDeque<Launched> = VecDeque::new();
        let mut computing = Computing::default();
        let (mut next, mut touched) = (0, false);
        loop {
            if next < n && launched.len() < UNDER_WAY {
                let range = next..n.min(next.saturating_add(batch));
                let stream = match idle.pop() {
                    Some(stream) => stream,
                    None => self.device.own_stream()?,
                };
                match self.launch(&stream, range.clone()) {
                    Ok(one) => {
                        next = range.end;
                        launched.push_back(one);
                        continue;
                    }
                    // Those under way give memory back first.
                    Err(GpuError::OutOfMemory { .. }) if !launched.is_empty() => {}
                    Err(GpuError::OutOfMemory { .. }) if range.len() > FEWEST => {
                        batch = (range.len() / 2).max(FEWEST);
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            let Some(done) = launched.pop_front() else { return Ok(computing.total) };
            if !touched {
                outputs.touch();
                touched = true;
            }
            let view = done.memory.slice(done.results.clone());
            done.stream.download_rows(&view, outputs.targets(done.range.clone()))?;
            computing.add(done.watch)?;
            idle.push(done.stream);
        }
    }

    /// Queues upload and kernel of one batch.
    fn launch(&self, stream: &Stream, range: Range<usize>) -> Result<Launched, GpuError> {
        let batch = Batch::new(self.inputs, range);
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
        // SAFETY: the kernel takes a `Job` and the shared numbers; the addresses are those of `batch` in memory of
        // `batch.total()` bytes, which is freed on this stream, behind the kernel.
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
        let other = SolveError::from(GpuError::NoSuchDevice { ordinal: 3, count: 1 });
        assert!(matches!(other, SolveError::Backend(_)));
    }
}
