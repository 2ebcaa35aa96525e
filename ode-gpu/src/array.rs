//! The lockstep backend on a GPU: one step size for all trajectories.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ode_core::Shard;
use ode_core::ensemble::task::Text;
use ode_core::ensemble::worker::{self, Worker};
use ode_core::ensemble::{Capabilities, Request, RequestVisitor, SolveJob};
use ode_core::kernel::Functions;
use ode_core::lane::Scalar;
use ode_core::{Backend, EnsembleAlgorithm, LockstepNorm, RunReport, SolveError, WorstMember};

use crate::device::{Device, WarmUp, ordinal_for_shard};
use crate::ensemble::timings;
use crate::error::GpuError;
use crate::launched::Computing;
use crate::lockstep::LockstepWorker;

/// A backend that solves in lockstep on an NVIDIA GPU, as SciML's `EnsembleGPUArray` does.
///
/// All trajectories have one time and one step size.
///
/// The backend exists for comparison with SciML. [`EnsembleGpuKernel`](crate::EnsembleGpuKernel)
/// gives each trajectory the steps that it needs, and no thread waits for others. Lockstep is worth
/// a try if all trajectories need the same steps, and results are wanted at the times of the steps
/// ([`SaveAt::Steps`](ode_core::SaveAt::Steps)), which all members share.
///
/// The results equal those of [`EnsembleCpuArray`](struct@ode_core::EnsembleCpuArray) to the last
/// bit. Its documentation explains options and failures. One kernel makes all steps. NVRTC compiles
/// this kernel at the first solve of each kernel configuration, and the kernel is stored in memory
/// and on disk (`ODES_CACHE_DIR`). If there are few members, their states are in registers. If
/// there are more members than the device has threads at a time, their states are in device memory.
/// The whole ensemble must fit there; otherwise the solve fails with [`SolveError::OutOfMemory`].
///
/// ```
/// use ode_core::LockstepNorm;
/// use ode_gpu::EnsembleGpuArray;
///
/// match EnsembleGpuArray::device(0) {
///     Ok(array) => println!("{}", array.norm(LockstepNorm::Mean).devices()[0].name()),
///     Err(error) => println!("solving on the CPU: {error}"),
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct EnsembleGpuArray {
    device: Device,
    norm: LockstepNorm,
    compiler_options: Vec<String>,
    functions: Functions,
    /// The context of the device, created while the caller prepares the ensemble.
    _warm_up: Arc<WarmUp>,
}

impl EnsembleGpuArray {
    /// Uses the GPU `ordinal`, counted from 0, with [`LockstepNorm::Greatest`].
    ///
    /// The order is the one of [`EnsembleGpuKernel::device`](crate::EnsembleGpuKernel::device). The
    /// call starts to create the context of the device on a separate thread, while the caller
    /// prepares its problems.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), ode_gpu::GpuError> {
    /// use ode_gpu::EnsembleGpuArray;
    ///
    /// let second = EnsembleGpuArray::device(1)?;
    /// println!("solving on {}", second.devices()[0].name());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`GpuError`] if there is no driver, no device, or no compiler for the device. The error
    /// names the missing part and the searched folders. [`GpuError::NoSuchDevice`] if no device has
    /// this ordinal. [`GpuError::NotCooperative`] if the threads of the device cannot all wait for
    /// each other.
    pub fn device(ordinal: usize) -> Result<Self, GpuError> {
        let device = crate::device::device(ordinal)?;
        if !device.is_cooperative() {
            return Err(GpuError::NotCooperative { device: ordinal });
        }
        let _warm_up = Arc::new(device.warm_up());
        // A missing compiler is an error here, not in the middle of a solve.
        device.arch()?;
        Ok(EnsembleGpuArray {
            device,
            norm: LockstepNorm::default(),
            compiler_options: Vec::new(),
            functions: Functions::default(),
            _warm_up,
        })
    }

    /// Uses the GPU of a process that solves one [shard](ode_core::EnsembleProblem::shard).
    ///
    /// Each shard is a lockstep solve of its own. The device is chosen by the index of the process
    /// on its machine, or else by its rank. If there are more processes than devices, processes
    /// share devices.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ode_core::Shard;
    /// use ode_gpu::EnsembleGpuArray;
    ///
    /// let shard = Shard::from_launcher()?;
    /// let array = EnsembleGpuArray::for_shard(&shard)?;
    /// eprintln!("{shard} on {}", array.devices()[0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`device`](Self::device).
    pub fn for_shard(shard: &Shard) -> Result<Self, GpuError> {
        Self::device(ordinal_for_shard(shard)?)
    }

    /// Sets how the errors of all members are combined into one.
    pub fn norm(self, norm: LockstepNorm) -> Self {
        EnsembleGpuArray { norm, ..self }
    }

    /// Sets which elementary functions (`exp`, `sin`, …) kernels call.
    ///
    /// See [`EnsembleGpuKernel::functions`](crate::EnsembleGpuKernel::functions).
    pub fn functions(self, functions: Functions) -> Self {
        EnsembleGpuArray { functions, ..self }
    }

    /// Sets NVRTC options for the compilation of kernels.
    ///
    /// See [`EnsembleGpuKernel::compiler_options`](crate::EnsembleGpuKernel::compiler_options).
    pub fn compiler_options(self, options: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let compiler_options = options.into_iter().map(Into::into).collect();
        EnsembleGpuArray { compiler_options, ..self }
    }

    /// Returns the device, as a slice of one.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        std::slice::from_ref(&self.device)
    }
}

impl RequestVisitor for EnsembleGpuArray {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        // The kernel writes as many numbers as its system has.
        job.check()?;
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let begin = Instant::now();
        columns.check_one_time()?;
        let mut worker = LockstepWorker {
            device: &self.device,
            task,
            settings,
            columns,
            mean: self.norm == LockstepNorm::Mean,
            functions: self.functions,
            options: &self.compiler_options,
            compile: Duration::ZERO,
            computing: Computing::default(),
            worst: None,
        };
        let workers: &mut [&mut dyn Worker<T>] = &mut [&mut worker];
        worker::run(workers, settings, columns, sink, Some(&self.device))?;
        let times = (worker.compile, worker.computing.total);
        let timings = timings(begin, std::iter::once(times));
        let devices = vec![self.device.name().to_owned()];
        let mut report = RunReport::new(Backend::Gpu { devices }, timings);
        report.worst_member = worker.worst.filter(|_: &WorstMember| settings.adaptive);
        Ok(report)
    }
}

impl EnsembleAlgorithm for EnsembleGpuArray {
    type Compiled = Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { couples_trajectories: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
