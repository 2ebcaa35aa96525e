//! An ensemble that stays on a device, for repeated solves.
//!
//! A repeated solve needs no upload, compilation or allocation. The ensemble has the layout of a
//! batch ([`batch`](crate::batch)) in device memory, as a single batch. Between two solves only the
//! counter of the queue changes, unless the caller writes inputs.
//!
//! The constructor calls the ordinary solve with a backend (`Preparing`) that only prepares the
//! request. So methods and problems need no second entry point.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut,
    LaunchConfig, PushKernelArg,
};
use ode_core::ensemble::task::{CompiledLanes, Task, Text};
use ode_core::ensemble::{Capabilities, Job, Request, SolveJob};
use ode_core::kernel::KernelArguments;
use ode_core::lane::Scalar;
use ode_core::problem::inputs::{Input, Inputs};
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::ResultArray;
use ode_core::system::System;
use ode_core::{
    Collect, EnsembleAlgorithm, EnsembleProblem, RunReport, SolveError, SolveOptions, Solver,
    StepSize, Vary,
};

use crate::argument::{Argument, SharedBytes};
use crate::batch::{Batch, Place, most_trajectories};
use crate::device::Device;
use crate::ensemble::EnsembleGpuKernel;
use crate::error::{DriverCall, GpuError};
use crate::kernel::Kernel;
use crate::memory::{DeviceElement, Stream};
use crate::worker::launch_config;

/// An ensemble with inputs and results that stay on a device.
///
/// Use it in programs that run their own kernels before and after a solve, for example for
/// sampling, filtering or training.
///
/// The constructor compiles the kernel, allocates memory and uploads the inputs. Then
/// [`solve`](Self::solve) only queues the kernel on the caller's stream, and returns a handle
/// ([`Running`]) without blocking.
///
/// An input is one parameter or one component of the initial states: `n` numbers, with the value of
/// trajectory `i` at `i`. With [`new`](Self::new) the inputs are the quantities that differ between
/// trajectories. With [`with_all_inputs`](Self::with_all_inputs) the inputs are all initial states
/// and parameters. [`p_mut`](Self::p_mut) and [`u0_mut`](Self::u0_mut) give write access to an
/// input; [`set_p`](Self::set_p) and [`set_u0`](Self::set_u0) copy device memory to an input.
///
/// Results are rows of `n` numbers from the last solve. They have the same bits as the results of
/// [`EnsembleProblem::solve`](ode_core::EnsembleProblem::solve) of the same problems.
///
/// Work on one stream runs in order. So a kernel that is queued after a solve can read its results,
/// and the host need not wait. The bindings also order work on other streams, if that work passes
/// its memory through the bindings and their event tracking is on (the default).
///
/// ```no_run
/// use ode_core::system::System;
/// use ode_core::{EnsembleProblem, OdeProblem, SolveOptions, methods::Tsit5};
/// use ode_gpu::{DeviceEnsemble, EnsembleGpuKernel};
///
/// # fn of<S: System<2, 1, State<f32> = [f32; 2], Parameters<f32> = [f32; 1]>>(
/// #     problem: OdeProblem<S, f32, 2, 1>,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = EnsembleGpuKernel::device(0)?;
/// let stream = gpu.devices()[0].new_stream()?;
/// let n = 100_000;
/// let ensemble = EnsembleProblem::new(problem).trajectories(n).vary(|mut problem, i| {
///     problem.p[0] = 1e-5 * i as f32;
///     problem
/// });
/// let options = SolveOptions::default();
/// let mut resident = DeviceEnsemble::new(&gpu, &stream, &ensemble, Tsit5, &options)?;
/// for round in 0..100 {
///     // A kernel of one's own may write these numbers as well.
///     let rates = vec![0.01 * round as f32; n];
///     stream.raw().memcpy_htod(&rates, &mut resident.p_mut(0)?)?;
///     let running = resident.solve()?;
///     // The host has time for something else.
///     running.wait()?;
///     let ends = stream.raw().clone_dtoh(&resident.final_states())?; // [component * n + i]
///     println!("{} {}", ends[0], ends[n]);
/// }
/// # Ok(())
/// # }
/// ```
///
/// Times to save at, stop times, time spans and tolerances cannot change after the construction.
pub struct DeviceEnsemble<T> {
    kernel: Arc<Kernel>,
    stream: Stream,
    /// One whole batch.
    memory: CudaSlice<T>,
    launch: LaunchConfig,
    arguments: Argument<KernelArguments<T>>,
    shared: Argument<SharedBytes>,
    /// The offset of the queue's counter, if threads take trajectories from a queue.
    counter: Option<usize>,
    /// The offset in memory of each stored input, in bytes: initial states, then parameters.
    columns: Vec<Option<usize>>,
    places: [Place; ResultArray::COUNT],
    states: usize,
    trajectories: usize,
}

/// A handle to a solve that is queued or finished.
///
/// Dropping the handle neither waits for the solve nor stops it.
pub struct Running {
    event: CudaEvent,
    context: Arc<CudaContext>,
}

impl Running {
    /// Waits until the solve is finished.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver, the solve, or other work on the device failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.event.synchronize().call("cuEventSynchronize")?;
        self.context.check_err().call("a deferred call")
    }

    /// Returns whether the solve is finished, without blocking.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait).
    pub fn is_done(&self) -> Result<bool, GpuError> {
        self.event.try_is_complete().call("cuEventQuery")
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

impl<T: Scalar + DeviceElement> DeviceEnsemble<T> {
    /// Compiles the kernel, and uploads the problems of `ensemble`.
    ///
    /// The inputs are the quantities that differ between trajectories. Quantities that all
    /// trajectories share are fixed. [Sampled](EnsembleProblem::sample) quantities are fixed, too:
    /// the kernel draws them.
    ///
    /// `gpu` defines the schedule, the functions and the compiler options. The stream must belong
    /// to one of its devices.
    ///
    /// # Errors
    /// * The errors of [`EnsembleProblem::solve`](ode_core::EnsembleProblem::solve).
    /// * [`GpuError::WrongDevice`], as [`SolveError::Backend`], if `gpu` does not use the stream's
    ///   device.
    /// * [`GpuError::NotResident`], as [`SolveError::Backend`], if the host takes part in each
    ///   solve.
    ///
    /// The host takes part in four cases:
    ///
    /// * The ends of steps are saved (`SaveAt::Steps`). They must be counted first.
    /// * The right-hand side [changes its form](SolveOptions::time_breaks()) at times that depend
    ///   on the parameters.
    /// * The system has scheduled actions. Their times may depend on the parameters.
    /// * Tables have abscissae that depend on the parameters. They must be checked.
    pub fn new<S, M, F, C, const N: usize, const P: usize>(
        gpu: &EnsembleGpuKernel<C>,
        stream: &Stream,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        method: M,
        options: &SolveOptions,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        M: Solver,
        F: Vary<S, T, N, P>,
        C: CompiledLanes,
    {
        Self::made((gpu, stream), ensemble, method, options, false)
    }

    /// Like [`new`](Self::new), with every initial state and parameter as an input.
    ///
    /// The trajectories of `ensemble` may be equal in these inputs. A fixed quantity costs the
    /// kernel nothing, so [`new`](Self::new) is better if some quantities never change.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn with_all_inputs<S, M, F, C, const N: usize, const P: usize>(
        gpu: &EnsembleGpuKernel<C>,
        stream: &Stream,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        method: M,
        options: &SolveOptions,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        M: Solver,
        F: Vary<S, T, N, P>,
        C: CompiledLanes,
    {
        Self::made((gpu, stream), ensemble, method, options, true)
    }

    fn made<S, M, F, C, const N: usize, const P: usize>(
        (gpu, stream): (&EnsembleGpuKernel<C>, &Stream),
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        method: M,
        options: &SolveOptions,
        all_inputs: bool,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        M: Solver,
        F: Vary<S, T, N, P>,
        C: CompiledLanes,
    {
        let adaptive = !matches!(options.step, StepSize::Fixed(_));
        let info = ensemble.system().info();
        if adaptive && options.time_breaks && !info.parameter_breaks.is_empty() {
            return Err(GpuError::NotResident { because: BREAKS }.into());
        }
        if S::TIMED > 0 {
            return Err(GpuError::NotResident { because: TIMES }.into());
        }
        if S::JUMPS > 0 {
            return Err(GpuError::NotResident { because: JUMPS }.into());
        }
        if S::TABLES > 0 {
            return Err(GpuError::NotResident { because: TABLES }.into());
        }
        if info.noise.is_some() {
            return Err(GpuError::NotResident { because: NOISE }.into());
        }
        let place = Preparing { gpu, stream, all_inputs, made: RefCell::new(None) };
        // The backend has no results, so its solve is always an error.
        let end = ensemble.solve_into(method, &place, options, &mut Collect::default());
        let made = place.made.into_inner().and_then(|made| made.downcast::<Self>().ok());
        // If the backend was called, `made` has the precision of the problem.
        made.map(|made| *made).ok_or_else(|| end.err().unwrap_or(SolveError::NotPrepared))
    }

    /// Compiles the kernel and uploads the batch of a solve.
    fn prepared<C>(
        place: &Preparing<'_, C>,
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
    ) -> Result<Self, SolveError> {
        let &Preparing { gpu, stream, all_inputs, .. } = place;
        let device = stream.device();
        if settings.saved.times > 0 {
            return Err(GpuError::NotResident { because: STEPS }.into());
        }
        if !gpu.devices().contains(device) {
            let expected = gpu.devices().iter().map(Device::ordinal).collect();
            let given = device.ordinal();
            return Err(GpuError::WrongDevice { what: "the stream", given, expected }.into());
        }
        let own = all_inputs.then(|| each_stored(columns));
        let columns = own.as_ref().unwrap_or(columns);
        let (trajectories, most) = (columns.trajectories, most_trajectories(columns));
        if trajectories == 0 {
            return Err(SolveError::NoTrajectories);
        }
        if trajectories > most {
            return Err(SolveError::TooManyTrajectories { trajectories, most });
        }
        let (kernel, kernel_config) = gpu.kernel_for(device, task, settings, columns)?;

        let batch = Batch::new(settings, columns.all());
        let mut memory = stream.allocate::<T>(batch.total().div_ceil(size_of::<T>()))?;
        let (sources, end) = batch.sources();
        let mut inputs = vec![T::default(); end.div_ceil(size_of::<T>())];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut inputs);
        for (at, source) in sources {
            bytes[at..at + source.len()].copy_from_slice(source);
        }
        let raw = stream.raw();
        raw.memcpy_htod(&inputs, &mut memory.slice_mut(..inputs.len()))
            .call("cuMemcpyHtoDAsync")?;
        let base = memory.device_ptr(raw).0;
        let counter = kernel_config.refill.then_some(batch.arguments(0).counter as usize);
        let columns_at = batch.columns_at()[..columns.u0.len() + columns.p.len()].to_vec();
        Ok(DeviceEnsemble {
            launch: launch_config(&kernel, &kernel_config, trajectories as u32),
            kernel,
            arguments: Argument(batch.arguments(base)),
            shared: Argument::shared(&kernel_config.shared_numbers(columns)),
            counter,
            columns: columns_at,
            places: *batch.places(),
            states: columns.u0.len(),
            trajectories,
            stream: stream.clone(),
            memory,
        })
    }

    /// Queues a solve of the current inputs, without blocking.
    ///
    /// The inputs are read when the kernel runs.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver does not queue the solve, or other work on the device
    /// failed.
    pub fn solve(&mut self) -> Result<Running, GpuError> {
        let raw = self.stream.raw();
        let context = raw.context();
        context.bind_to_thread().call("cuCtxSetCurrent")?;
        // The guard `in_use` marks the memory as used on this stream. It is dropped after the
        // kernel is queued.
        let (base, in_use) = self.memory.device_ptr_mut(raw);
        if let Some(counter) = self.counter {
            let at = base + counter as u64;
            // SAFETY: the counter is a word of this memory.
            unsafe { result::memset_d8_async(at, 0, size_of::<u32>(), raw.cu_stream()) }
                .call("cuMemsetD8Async")?;
        }
        let mut launch = raw.launch_builder(self.kernel.function());
        launch.arg(&self.arguments).arg(&self.shared);
        // SAFETY: the kernel takes a `KernelArguments` and the shared numbers. The addresses belong
        // to a batch in `self.memory`, which is large enough and is freed on this stream after the
        // kernel. The batch has the layout for the system of the kernel's text (`checked` in
        // `ode_core`). Callers change only numbers of inputs, and every value of these is valid.
        unsafe { launch.launch(self.launch) }.call("cuLaunchKernel")?;
        drop(in_use);
        let event = raw.record_event(None).call("cuEventRecord")?;
        Ok(Running { event, context: context.clone() })
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn trajectories(&self) -> usize {
        self.trajectories
    }

    /// Returns the stream of the solves.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns component `index` of the initial states.
    ///
    /// The view has `n` numbers, with the value of trajectory `i` at `i`.
    ///
    /// # Errors
    /// [`GpuError::NoInput`] if the component is not an input.
    pub fn u0(&self, index: usize) -> Result<CudaView<'_, T>, GpuError> {
        Ok(self.memory.slice(self.column("u0", index)?))
    }

    /// Returns write access to component `index` of the initial states.
    ///
    /// The next solve reads the values.
    ///
    /// # Errors
    /// The errors of [`u0`](Self::u0).
    pub fn u0_mut(&mut self, index: usize) -> Result<CudaViewMut<'_, T>, GpuError> {
        let column = self.column("u0", index)?;
        Ok(self.memory.slice_mut(column))
    }

    /// Queues a copy of device memory to component `index` of the initial states.
    ///
    /// # Errors
    /// * [`GpuError::NoInput`] if the component is not an input.
    /// * [`GpuError::WrongLength`] if the length of `from` is not the number of trajectories.
    /// * [`GpuError::WrongDevice`] if `from` is on another device.
    /// * [`GpuError::Driver`] if the driver fails.
    pub fn set_u0(&mut self, index: usize, from: &impl DevicePtr<T>) -> Result<(), GpuError> {
        self.set("u0", index, from)
    }

    /// Returns parameter `index`.
    ///
    /// The view has `n` numbers, with the value of trajectory `i` at `i`.
    ///
    /// # Errors
    /// [`GpuError::NoInput`] if the parameter is not an input.
    pub fn p(&self, index: usize) -> Result<CudaView<'_, T>, GpuError> {
        Ok(self.memory.slice(self.column("p", index)?))
    }

    /// Returns write access to parameter `index`.
    ///
    /// The next solve reads the values.
    ///
    /// # Errors
    /// The errors of [`p`](Self::p).
    pub fn p_mut(&mut self, index: usize) -> Result<CudaViewMut<'_, T>, GpuError> {
        let column = self.column("p", index)?;
        Ok(self.memory.slice_mut(column))
    }

    /// Queues a copy of device memory to parameter `index`.
    ///
    /// # Errors
    /// The errors of [`set_u0`](Self::set_u0).
    pub fn set_p(&mut self, index: usize, from: &impl DevicePtr<T>) -> Result<(), GpuError> {
        self.set("p", index, from)
    }

    /// Returns the final states, `[component * n + trajectory]`.
    #[must_use]
    pub fn final_states(&self) -> CudaView<'_, T> {
        self.result(ResultArray::Finals)
    }

    /// Returns the final modes, `[mode * n + trajectory]`.
    ///
    /// The slice is empty if no action of the system changes modes.
    #[must_use]
    pub fn final_modes(&self) -> CudaView<'_, T> {
        self.result(ResultArray::Modes)
    }

    /// Returns the saved numbers, `[(slot * width + number) * n + trajectory]`.
    ///
    /// A slot has `width` numbers of one saved time: states, then observables. The slice is empty
    /// if nothing is saved. Slots that a trajectory did not reach are NaN.
    #[must_use]
    pub fn saved(&self) -> CudaView<'_, T> {
        self.result(ResultArray::Saved)
    }

    /// Returns the time of each final state.
    #[must_use]
    pub fn end_times(&self) -> CudaView<'_, T> {
        self.result(ResultArray::Ends)
    }

    /// Returns the number of attempted steps of each trajectory, including rejected steps.
    #[must_use]
    pub fn steps(&self) -> CudaView<'_, u32> {
        self.result(ResultArray::Steps)
    }

    /// Returns the number of rejected steps of each trajectory.
    #[must_use]
    pub fn rejected(&self) -> CudaView<'_, u32> {
        self.result(ResultArray::Rejected)
    }

    /// Returns the saved count of each trajectory.
    ///
    /// The slice is empty if nothing is saved.
    #[must_use]
    pub fn kept(&self) -> CudaView<'_, u32> {
        self.result(ResultArray::Kept)
    }

    /// Returns the report of the growth guard on each trajectory.
    ///
    /// [`guarded`](ode_core::EnsembleSolution::guarded) of a solution decodes it. The slice is empty
    /// if the guard is off.
    #[must_use]
    pub fn guarded(&self) -> CudaView<'_, u32> {
        self.result(ResultArray::Guarded)
    }

    /// Returns how often each event occurred, `[event * n + trajectory]`.
    ///
    /// The events are in the order of the system's module. The slice is empty for a system without
    /// events.
    #[must_use]
    pub fn event_counts(&self) -> CudaView<'_, u32> {
        self.result(ResultArray::Events)
    }

    /// Returns the logged events, `[(slot * width + number) * n + trajectory]`.
    ///
    /// The first two numbers of a slot are the time and the index of the event. Indices count from
    /// one, and are negative if the event's function fell. If states are logged, the states before
    /// and after the event follow. Slots that a trajectory did not reach are NaN. The slice is
    /// empty without a log.
    #[must_use]
    pub fn log(&self) -> CudaView<'_, T> {
        self.result(ResultArray::Log)
    }

    /// Returns how each trajectory ended.
    ///
    /// [`ReturnCode::from_lane`](ode_core::ReturnCode::from_lane) decodes the bytes.
    #[must_use]
    pub fn codes(&self) -> CudaView<'_, u8> {
        self.result(ResultArray::Codes)
    }

    /// Returns the range of an input in memory, in numbers of type `T`.
    fn column(&self, kind: &'static str, index: usize) -> Result<std::ops::Range<usize>, GpuError> {
        let (initial, parameters) = self.columns.split_at(self.states);
        let columns = if kind == "u0" { initial } else { parameters };
        let count = columns.len();
        match columns.get(index).copied().flatten() {
            Some(at) => {
                let begin = at / size_of::<T>();
                Ok(begin..begin + self.trajectories)
            }
            None => Err(GpuError::NoInput { kind, index, count }),
        }
    }

    fn set(
        &mut self,
        kind: &'static str,
        index: usize,
        from: &impl DevicePtr<T>,
    ) -> Result<(), GpuError> {
        let column = self.column(kind, index)?;
        let (given, expected) = (from.len(), self.trajectories);
        if given != expected {
            return Err(GpuError::WrongLength { kind, index, given, expected });
        }
        let raw = self.stream.raw();
        if from.stream().context() != raw.context() {
            let given = from.stream().context().ordinal();
            let expected = vec![self.stream.device().ordinal()];
            return Err(GpuError::WrongDevice { what: "the memory", given, expected });
        }
        raw.memcpy_dtod(from, &mut self.memory.slice_mut(column)).call("cuMemcpyDtoDAsync")
    }

    /// Returns an array of results with numbers of type `E`.
    fn result<E: DeviceElement>(&self, array: ResultArray) -> CudaView<'_, E> {
        let &Place { at, row, rows } = array.of(&self.places);
        let (begin, len) = (at / size_of::<T>(), row * rows / size_of::<E>());
        let array = self.memory.slice(begin..begin + (row * rows).div_ceil(size_of::<T>()));
        // SAFETY: every pattern of bits is a valid `DeviceElement`.
        let array = unsafe { array.transmute::<E>(len) };
        array.unwrap_or_else(|| unreachable!("the memory of a batch contains its results"))
    }
}

impl<T> fmt::Debug for DeviceEnsemble<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceEnsemble")
            .field("device", self.stream.device())
            .field("trajectories", &self.trajectories)
            .finish_non_exhaustive()
    }
}

const STEPS: &str = "it saves the ends of steps, which must be counted first";
const TIMES: &str = "it has scheduled actions, whose times may depend on the parameters";
const TABLES: &str = "it has tables with abscissae that depend on the parameters";
const JUMPS: &str = "it has random jumps, whose times would be the same in each solve";
const NOISE: &str = "it has noise, whose paths would be the same in each solve";
const BREAKS: &str = "its right-hand side changes form at times that depend on the parameters";

/// Returns the same inputs, with all initial states and parameters stored per trajectory.
fn each_stored<T: Scalar>(columns: &Inputs<T>) -> Inputs<T> {
    let each = |column: &Input<T>| match column.is_stored() {
        true => column.clone(),
        false => Input::each((0..columns.trajectories).map(|i| column.get(i)).collect()),
    };
    Inputs {
        u0: columns.u0.iter().map(each).collect(),
        p: columns.p.iter().map(each).collect(),
        ..columns.clone()
    }
}

/// A backend that prepares a solve, and returns an error in place of results.
struct Preparing<'a, C> {
    gpu: &'a EnsembleGpuKernel<C>,
    stream: &'a Stream,
    all_inputs: bool,
    /// A [`DeviceEnsemble`] in the precision of the problem.
    made: RefCell<Option<Box<dyn Any>>>,
}

impl<C> Preparing<'_, C> {}

impl<C> Preparing<'_, C> {
    fn prepare<T: Scalar + DeviceElement>(&self, job: SolveJob<'_, T>) -> Result<(), SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink: _ } = job;
        let made = DeviceEnsemble::<T>::prepared(self, task, settings, columns)?;
        *self.made.borrow_mut() = Some(Box::new(made));
        Ok(())
    }
}

impl<C> EnsembleAlgorithm for Preparing<'_, C> {
    type Compiled = Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { draws_samples: !self.all_inputs, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        match request {
            Request::Single(Job::Solve(job)) => self.prepare(job)?,
            Request::Double(Job::Solve(job)) => self.prepare(job)?,
            Request::Single(Job::Adjoint(_)) | Request::Double(Job::Adjoint(_)) => {
                return Err(SolveError::NoGradients);
            }
        }
        Err(SolveError::NotPrepared)
    }
}
