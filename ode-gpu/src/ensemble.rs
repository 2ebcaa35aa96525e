//! The GPU backend with one trajectory per thread, and its options.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ode_core::Method;
use ode_core::Shard;
use ode_core::ensemble::task::{self, CompiledLanes, Solve, Task};
use ode_core::ensemble::worker::{self, CpuTask, CpuWorker, Outcome, Worker};
use ode_core::ensemble::{AdjointJob, Capabilities, Request, RequestVisitor, SolveJob};
use ode_core::kernel::{Functions, KernelConfig};
use ode_core::lane::Scalar;
use ode_core::lane::dispatch::InstructionSet;
use ode_core::memory::PageLock;
use ode_core::problem::inputs::Inputs;
use ode_core::problem::prepared::PreparedSolve;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::reduction::Reduction;
use ode_core::system::System;
use ode_core::{
    Backend, EnsembleAlgorithm, Layout, Memory, RunReport, SavedRow, Schedule, SolveError,
    SolveWatch, Timings,
};

use crate::adjoint::AdjointWorker;
use crate::device::{Device, WarmUp, devices, ordinal_for_shard};
use crate::error::GpuError;
use crate::kernel::{Kernel, KernelReport};
use crate::launched::Computing;
use crate::reduce;
use crate::worker::{DeviceWorker, at_once, kernel_of};

/// A backend that solves on NVIDIA GPUs, one trajectory per thread.
///
/// Each trajectory has its own step size. This example solves on the CPU if there is no GPU:
///
/// ```
/// # use ode_core::{EnsembleProblem, OdeProblem, SolveError, methods::Tsit5, system::System};
/// use ode_core::{EnsembleThreads, SolveOptions};
/// use ode_gpu::EnsembleGpuKernel;
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
///
/// let ensemble = EnsembleProblem::new(problem).over(&[[0.1], [0.2], [0.3]]);
/// let options = SolveOptions::default().saveat(1.0);
/// let solution = match EnsembleGpuKernel::all() {
///     Ok(gpu) => {
///         gpu.devices().iter().for_each(|device| println!("solving on {device}"));
///         ensemble.solve(Tsit5, &gpu, &options)?
///     }
///     Err(error) => {
///         println!("solving on the CPU: {error}");
///         ensemble.solve(Tsit5, EnsembleThreads, &options)?
///     }
/// };
/// # Ok(())
/// # }
/// ```
///
/// NVRTC compiles a kernel at the first solve of each system, method and kernel configuration.
/// Kernels are stored in memory and on disk (`ODES_CACHE_DIR`). Devices take the trajectories in
/// batches from one work queue, so a faster device solves more of them. The results are in the
/// order of the trajectories, and have the same bits for any number of devices.
///
/// If a device fails (its memory is full, or the device is lost), its trajectories return to the
/// queue. The backend does not use this device again in the same solve, and the solution has a
/// [warning](ode_core::EnsembleSolution::warnings). The solve fails if no device is left.
///
/// Gradients have the same queue: CPU threads compute them too, and other workers take over the
/// trajectories of a device that fails.
#[derive(Debug)]
#[must_use]
pub struct EnsembleGpuKernel<C = task::Text> {
    devices: Vec<Device>,
    cpu_threads: usize,
    schedule: Schedule,
    batch: Option<usize>,
    compiler_options: Vec<String>,
    functions: Functions,
    /// The contexts of the devices, created while the caller prepares the ensemble.
    warm_up: Arc<Vec<WarmUp>>,
    /// The code besides kernels that is compiled: lanes, if CPU threads solve too.
    compiled: PhantomData<fn() -> C>,
}

impl<C> Clone for EnsembleGpuKernel<C> {
    fn clone(&self) -> Self {
        EnsembleGpuKernel {
            devices: self.devices.clone(),
            cpu_threads: self.cpu_threads,
            schedule: self.schedule,
            batch: self.batch,
            compiler_options: self.compiler_options.clone(),
            functions: self.functions,
            warm_up: self.warm_up.clone(),
            compiled: PhantomData,
        }
    }
}

impl EnsembleGpuKernel {
    /// Uses all GPUs that are visible to the process.
    ///
    /// These are the GPUs of the machine, or those in `CUDA_VISIBLE_DEVICES`. The call starts to
    /// create the contexts of the devices on separate threads, while the caller prepares its
    /// problems.
    ///
    /// # Errors
    /// [`GpuError`] if there is no driver, no device, or no compiler for the device. The error
    /// names the missing part and the searched folders.
    pub fn all() -> Result<Self, GpuError> {
        Self::on(devices()?)
    }

    /// Uses the GPU `ordinal`, counted from 0 as the driver does.
    ///
    /// The order is the order of `nvidia-smi` with `CUDA_DEVICE_ORDER=PCI_BUS_ID`. Only the devices
    /// in `CUDA_VISIBLE_DEVICES` count.
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
        Self::with_devices([ordinal])
    }

    /// Uses the GPUs `ordinals`, counted as in [`device`](Self::device).
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let two = EnsembleGpuKernel::with_devices([0, 2])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`all`](Self::all), and [`GpuError`] if there is no such device, if an ordinal
    /// occurs twice, or if the list is empty.
    pub fn with_devices(ordinals: impl IntoIterator<Item = usize>) -> Result<Self, GpuError> {
        let mut devices: Vec<Device> = Vec::new();
        for ordinal in ordinals {
            let device = crate::device::device(ordinal)?;
            if devices.contains(&device) {
                return Err(GpuError::DeviceTwice { ordinal });
            }
            devices.push(device);
        }
        if devices.is_empty() {
            return Err(GpuError::EmptyList);
        }
        Self::on(devices)
    }

    /// Uses the GPU of a process that solves one [shard](ode_core::EnsembleProblem::shard).
    ///
    /// The device is chosen by the index of the process on its machine, [`Shard::local_rank`]. If
    /// there are more processes than devices, processes share devices. A launcher may also give
    /// each process its own visible device.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ode_core::Shard;
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let shard = Shard::from_launcher()?;
    /// let gpu = EnsembleGpuKernel::for_shard(&shard)?;
    /// eprintln!("{shard} on {}", gpu.devices()[0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Without a local rank, the rank chooses the device, and a single shard gets all devices.
    ///
    /// # Errors
    /// The errors of [`all`](Self::all).
    pub fn for_shard(shard: &Shard) -> Result<Self, GpuError> {
        match (shard.local_rank, shard.size) {
            (None, 0 | 1) => Self::all(),
            _ => Self::device(ordinal_for_shard(shard)?),
        }
    }

    fn on(devices: Vec<Device>) -> Result<Self, GpuError> {
        let first = first(&devices)?;
        let warm_up = Arc::new(devices.iter().map(Device::warm_up).collect());
        // A missing compiler is an error here, not in the middle of a solve.
        first.arch()?;
        Ok(EnsembleGpuKernel {
            devices,
            cpu_threads: 0,
            schedule: Schedule::Auto,
            batch: None,
            compiler_options: Vec::new(),
            functions: Functions::default(),
            warm_up,
            compiled: PhantomData,
        })
    }

    /// Also solves on `threads` CPU threads, in SIMD lanes.
    ///
    /// The results have the same bits. CPU threads help if the devices are slow compared with the
    /// CPU. With 0 threads, the default, the CPU only prepares the ensemble and collects the
    /// results.
    ///
    /// A program that calls this function takes longer to build, because the method is also
    /// compiled for lanes.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuKernel;
    ///
    /// let both = EnsembleGpuKernel::all()?.with_cpu_threads(8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_cpu_threads(self, threads: usize) -> EnsembleGpuKernel<task::Lanes> {
        EnsembleGpuKernel {
            devices: self.devices,
            cpu_threads: threads,
            schedule: self.schedule,
            batch: self.batch,
            compiler_options: self.compiler_options,
            functions: self.functions,
            warm_up: self.warm_up,
            compiled: PhantomData,
        }
    }
}

impl<C> EnsembleGpuKernel<C> {
    /// Sets when a thread takes its next trajectory.
    ///
    /// The results have the same bits with every schedule. The default is [`Schedule::Auto`].
    /// Threads then take trajectories from a queue ([`Refill`](Schedule::Refill)) if steps are
    /// adaptive and the ensemble has more trajectories than the device holds at a time. Otherwise
    /// each thread solves one trajectory ([`Static`](Schedule::Static)).
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

    /// Sets the largest number of trajectories of a launch; at least 1.
    ///
    /// The results have the same bits. By default a launch has enough trajectories to keep the
    /// device busy. A device makes several launches, so that the results of one are copied while
    /// the next one computes. If the results are small, each device makes one launch.
    ///
    /// Three batches are in progress at a time, so a device holds three times as many trajectories.
    /// Batches that do not fit into memory are halved, down to one block of threads. If one block
    /// does not fit, the device is left out. If it was the last device, the solve fails with
    /// [`SolveError::OutOfMemory`](ode_core::SolveError::OutOfMemory).
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

    /// Sets which elementary functions (`exp`, `sin`, …) kernels call.
    ///
    /// The default is [`Functions::Portable`], the library's own functions, which give the same
    /// bits on every backend. CUDA's functions, [`Functions::Library`], are faster in `f32` and
    /// give other bits.
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

    /// Sets NVRTC options for the compilation of kernels, besides the library's own.
    ///
    /// Some options, such as `--use_fast_math`, give results that differ from those of other
    /// backends. If NVRTC rejects an option, the solve fails with the compiler's log. An option
    /// that changes the text of a kernel (`-D`, `-U`, `-include`) is [`GpuError::OptionOfText`].
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

    /// Returns the devices, at least one.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
}

/// Timings of a solve that began at `begin`, from the compile and compute times of its devices.
///
/// The times of the device that was busy longest are returned, so that they add up to the total.
pub(crate) fn timings(
    begin: Instant,
    times: impl Iterator<Item = (Duration, Duration)>,
) -> Timings {
    let longest = times.max_by_key(|&(compile, computing)| compile + computing);
    let (compile, computing) = longest.unwrap_or_default();
    let mut timings = Timings::default();
    timings.compile = compile;
    timings.solve = computing;
    timings.transfer = begin.elapsed().saturating_sub(compile).saturating_sub(computing);
    timings
}

fn first(devices: &[Device]) -> Result<&Device, GpuError> {
    devices.first().ok_or_else(|| GpuError::NoDevice {
        driver: crate::driver::cuda_version().unwrap_or((0, 0)),
    })
}

/// Out of memory is the same error on all backends, so that callers can solve fewer trajectories at
/// a time on any backend.
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

impl<C: CompiledLanes> RequestVisitor for EnsembleGpuKernel<C> {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        // The kernel writes as many numbers as its system has.
        job.check()?;
        let SolveJob { task, options, inputs, sink } = job;
        let solve = (task, options, inputs);
        if let Some(reduction) = sink.reduction() {
            reduction.request().check(&Layout::new(options, inputs))?;
        }
        let fits = |of: &dyn Reduction<T>| reduce::fits::<T>(of.request(), &self.devices);
        match sink.reduction().filter(|of| fits(*of)) {
            Some(reduction) => self.solve_by(solve, Some(reduction), |workers| {
                worker::run_reduced(workers, options, inputs, sink.batch())
            }),
            None => self.solve_by(solve, None, |workers| {
                worker::run(workers, options, inputs, sink, self.page_lock())
            }),
        }
    }

    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        // The kernels write as many numbers as their system has.
        job.check()?;
        let AdjointJob { task, options, inputs, cotangents, results, gradients } = job;
        let begin = Instant::now();
        let worker = |device| AdjointWorker {
            device,
            task,
            settings: options,
            cotangents,
            kernel_config: KernelConfig {
                saved: SavedRow::default(),
                ..self.kernel_config(device, options, inputs)
            },
            options: &self.compiler_options,
            alike: self.alike(&options.watch),
            batch: self.batch,
            compile: Duration::ZERO,
            computing: Duration::ZERO,
        };
        let mut devices: Vec<AdjointWorker<'_, T>> = self.devices.iter().map(worker).collect();
        let states = inputs.u0.len();
        let task = CpuTask::Adjoint(task, cotangents);
        let mut threads = CpuWorker::threads(task, options, states, self.cpu_threads);
        let mut workers = worker::of_devices_and_threads(&mut devices, &mut threads);
        let outcome =
            worker::run_adjoint(&mut workers, &options.watch, inputs, (results, gradients))?;
        let times = devices.iter().map(|worker| (worker.compile, worker.computing));
        Ok(self.run_report(timings(begin, times), outcome))
    }
}

impl<C: CompiledLanes> EnsembleGpuKernel<C> {
    /// Solves on all devices and threads: `run` runs the workers.
    fn solve_by<T: Scalar>(
        &self,
        (task, settings, columns): (&dyn Task<T>, &ResolvedOptions<T>, &Inputs<T>),
        reduction: Option<&dyn Reduction<T>>,
        run: impl FnOnce(&mut [&mut dyn Worker<T>]) -> Result<Outcome, SolveError>,
    ) -> Result<RunReport, SolveError> {
        let begin = Instant::now();
        let worker = |device| DeviceWorker {
            device,
            task,
            settings,
            columns,
            kernel_config: self.kernel_config(device, settings, columns),
            alike: self.alike(&settings.watch),
            options: &self.compiler_options,
            batch: self.batch,
            reduction,
            compile: Duration::ZERO,
            computing: Computing::default(),
        };
        let mut devices: Vec<DeviceWorker<'_, T>> = self.devices.iter().map(worker).collect();
        let of_threads = reduction.map_or(CpuTask::Solve(task), |of| CpuTask::Reduce(task, of));
        let states = columns.u0.len();
        let mut threads = CpuWorker::threads(of_threads, settings, states, self.cpu_threads);
        let outcome = run(&mut worker::of_devices_and_threads(&mut devices, &mut threads))?;
        let times = devices.iter().map(|worker| (worker.compile, worker.computing.total));
        Ok(self.run_report(timings(begin, times), outcome))
    }
}

impl<C> EnsembleGpuKernel<C> {
    /// Returns the number of devices, if each may take its whole share at once.
    ///
    /// `None` if slower workers compute beside them, or if launches must be short: a watched solve
    /// can be cancelled between chunks only, and the driver may end long kernels.
    fn alike(&self, watch: &SolveWatch) -> Option<usize> {
        let is_short = watch.is_watched() || self.devices.iter().any(Device::limits_kernels);
        (self.cpu_threads == 0 && !is_short).then_some(self.devices.len())
    }

    /// Returns the report of a request with these times and this outcome.
    fn run_report(&self, timings: Timings, outcome: Outcome) -> RunReport {
        let took = outcome.shares.iter().map(|share| share.trajectories > 0);
        let took = self.devices.iter().zip(took).filter(|(_, took)| *took);
        let devices: Vec<String> = took.map(|(device, _)| device.name().to_owned()).collect();
        let backend = match devices[..] {
            // All devices failed.
            [] if self.cpu_threads > 0 => Backend::Cpu {
                instructions: format!("{:?}", InstructionSet::best()).to_lowercase(),
                threads: self.cpu_threads,
            },
            _ => Backend::Gpu { devices },
        };
        let mut report = RunReport::new(backend, timings);
        (report.shares, report.warnings) = (outcome.shares, outcome.warnings);
        report
    }
}

impl<C: CompiledLanes> EnsembleAlgorithm for EnsembleGpuKernel<C> {
    type Compiled = C;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities {
            begins_early: true,
            page_lock: self.page_lock(),
            draws_samples: true,
            ..Capabilities::default()
        }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

impl<C> EnsembleGpuKernel<C> {
    /// Returns a device that page-locks memory for all of them.
    fn page_lock(&self) -> Option<&dyn PageLock> {
        self.devices.first().map(|device| device as &dyn PageLock)
    }

    /// Returns registers, occupancy and origin of the kernel that solves `inputs` of this system.
    ///
    /// The kernel is compiled if it is not compiled yet.
    ///
    /// # Errors
    /// [`SolveError::NoDeviceSource`], or a [`GpuError`] as [`SolveError::Backend`] if the kernel
    /// cannot be compiled or loaded.
    pub fn report<T, S, M, const N: usize, const P: usize>(
        &self,
        system: S,
        inputs: &PreparedSolve<T>,
    ) -> Result<KernelReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method,
    {
        let device = first(&self.devices)?;
        let task = Solve::<S, M, task::Text, N, P>::new(system);
        let (kernel, _) = self.kernel_for(device, &task, &inputs.options, &inputs.inputs)?;
        Ok(kernel.report().clone())
    }

    /// Returns the kernel of a task on a device, and its configuration; compiles it if necessary.
    pub(crate) fn kernel_for<T: Scalar>(
        &self,
        device: &Device,
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
    ) -> Result<(Arc<Kernel>, KernelConfig), SolveError> {
        let kernel_config = self.kernel_config(device, settings, columns);
        let kernel = kernel_of(task, device, &kernel_config, &self.compiler_options)?;
        Ok((kernel, kernel_config))
    }

    fn kernel_config<T: Scalar>(
        &self,
        device: &Device,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
    ) -> KernelConfig {
        let refill = match self.schedule {
            Schedule::Refill => true,
            Schedule::Auto => settings.adaptive && columns.trajectories > at_once(device),
            _ => false,
        };
        KernelConfig { functions: self.functions, ..KernelConfig::new(settings, columns, refill) }
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

    /// An empty list is not the same error as a machine without devices.
    #[test]
    fn an_empty_list_is_named() {
        let error = EnsembleGpuKernel::with_devices([]).unwrap_err();
        assert!(matches!(error, GpuError::EmptyList));
        assert!(error.to_string().starts_with("the list of devices is empty"), "{error}");
    }

    /// Other errors keep their text, and callers can downcast to the original error.
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
