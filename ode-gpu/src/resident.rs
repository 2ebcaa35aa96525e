//! An ensemble that stays on a device: solved again and again without upload, compilation or
//! allocation.
//!
//! It lies in device memory as a batch does ([`batch`](crate::batch)), all of it one batch. Nothing
//! but the counter of its queue changes between two solves, unless the caller writes into columns.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut,
    LaunchConfig, PushKernelArg,
};
use ode_core::ensemble::task::{Compiled, Task, Text};
use ode_core::kernel::JobArguments;
use ode_core::lane::Scalar;
use ode_core::problem::columns::{Column, Columns};
use ode_core::problem::settings::Settings;
use ode_core::system::System;
use ode_core::{
    Backend, Collect, EnsembleAlgorithm, EnsembleProblem, ResultSink, RunReport, SolveError,
    SolveOptions, Solver, StepSize, Timings, Vary,
};

use crate::batch::{Batch, Place, most_trajectories};
use crate::device::Device;
use crate::engine::{Argument, SharedBytes, launch_config};
use crate::ensemble::EnsembleGpuKernel;
use crate::error::{DriverCall, GpuError};
use crate::kernel::Kernel;
use crate::memory::{Element, Stream};

/// An ensemble whose inputs and results stay on a device, for programs with kernels of their own
/// before and after a solve: sampling, filtering, training.
///
/// All that a solve needs is made once: the kernel is compiled, memory is allocated, and the inputs are
/// uploaded. Then [`solve`](Self::solve) does nothing but queue the kernel on the caller's stream. It
/// waits for nothing, and returns a handle to wait for.
///
/// Inputs are columns, one for each component: `n` numbers, that of trajectory `i` at `i`. With
/// [`new`](Self::new) the columns are those quantities in which the trajectories of the ensemble
/// differ; with [`with_all_inputs`](Self::with_all_inputs) all initial states and parameters are.
/// [`p_mut`](Self::p_mut) and [`u0_mut`](Self::u0_mut) are for writing into a column,
/// [`set_p`](Self::set_p) and [`set_u0`](Self::set_u0) copy one. Results are rows of `n` numbers, and
/// are those of the last solve. A solve has the bits of
/// [`EnsembleProblem::solve`](ode_core::EnsembleProblem::solve) of the same problems.
///
/// Work on the same stream is in order, so a kernel that is queued after a solve reads its results
/// without waiting on the host. Work on other streams is ordered by the bindings, where they see what
/// memory it uses, and their tracking of events is on (as it is by default).
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
/// Times to save at and to stop at, time spans and tolerances are those of the ensemble as it was given.
pub struct DeviceEnsemble<T> {
    kernel: Arc<Kernel>,
    stream: Stream,
    /// A whole batch.
    memory: CudaSlice<T>,
    launch: LaunchConfig,
    job: Argument<JobArguments<T>>,
    shared: Argument<SharedBytes>,
    /// Where the queue's counter is, if threads take trajectories from a queue.
    counter: Option<usize>,
    /// Where each column begins that memory has, in bytes: initial states, parameters.
    columns: Vec<Option<usize>>,
    places: [Place; 10],
    states: usize,
    trajectories: usize,
}

/// A solve that is queued, or done.
///
/// Dropping it neither waits for the solve nor stops it.
pub struct Running {
    event: CudaEvent,
    context: Arc<CudaContext>,
}

impl Running {
    /// Waits until the solve is done.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver, the solve, or other work on the device failed.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.event.synchronize().call("cuEventSynchronize")?;
        self.context.check_err().call("a deferred call")
    }

    /// Whether the solve is done. Waits for nothing.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn is_done(&self) -> Result<bool, GpuError> {
        self.event.try_is_complete().call("cuEventQuery")
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

impl<T: Scalar + Element> DeviceEnsemble<T> {
    /// Compiles the kernel, and uploads the problems of `ensemble`. Columns are the quantities in which
    /// its trajectories differ; what all have in common is fixed, and so is what is
    /// [sampled](EnsembleProblem::sample), which the kernel draws.
    ///
    /// The schedule, the functions and the compiler's options are those of `gpu`, one of whose devices
    /// has the stream.
    ///
    /// # Errors
    /// The errors of [`EnsembleProblem::solve`](ode_core::EnsembleProblem::solve); as
    /// [`SolveError::Backend`], [`GpuError::WrongDevice`] for a stream of another device, and
    /// [`GpuError::NotResident`] where the host works on what a solve needs: for saved ends of steps
    /// (`SaveAt::Steps`), which are counted first, and for a right-hand side that
    /// [changes its form](SolveOptions::time_breaks()) at times which depend on the parameters.
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
        C: Compiled,
    {
        Self::made((gpu, stream), ensemble, method, options, false)
    }

    /// The same with a column for each component of the initial state and each parameter, whether the
    /// trajectories of `ensemble` differ in it or not.
    ///
    /// What all trajectories have in common costs a kernel nothing where it is fixed, so
    /// [`new`](Self::new) is for what will not change.
    ///
    /// # Errors
    /// As [`new`](Self::new).
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
        C: Compiled,
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
        C: Compiled,
    {
        let adaptive = !matches!(options.step, StepSize::Fixed(_));
        let info = ensemble.system().info();
        if adaptive && options.time_breaks && !info.parameter_breaks.is_empty() {
            return Err(GpuError::NotResident { because: BREAKS }.into());
        }
        if S::TIMED > 0 {
            return Err(GpuError::NotResident { because: TIMES }.into());
        }
        let place = Preparing { gpu, stream, all_inputs, made: RefCell::new(None) };
        ensemble.solve_into(method, &place, options, &mut Collect::default())?;
        let made = place.made.into_inner().and_then(|made| made.downcast::<Self>().ok());
        // A place that was asked has answered, in the precision of the problem.
        made.map(|made| *made).ok_or(SolveError::NotPrepared)
    }

    /// The device's memory of a solve.
    fn prepared<C>(
        place: &Preparing<'_, C>,
        task: &dyn Task<T>,
        settings: &Settings<T>,
        columns: &Columns<T>,
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
        let (kernel, variant) = gpu.kernel_for(device, task, settings, columns)?;

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
        let counter = variant.refill.then_some(batch.job(0).counter as usize);
        let columns_at = batch.columns_at()[..columns.u0.len() + columns.p.len()].to_vec();
        Ok(DeviceEnsemble {
            launch: launch_config(&kernel, &variant, trajectories as u32),
            kernel,
            job: Argument(batch.job(base)),
            shared: Argument::shared(&variant.shared_numbers(columns)),
            counter,
            columns: columns_at,
            places: *batch.places(),
            states: columns.u0.len(),
            trajectories,
            stream: stream.clone(),
            memory,
        })
    }

    /// Queues a solve of the columns as they will be then. Waits for nothing.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver does not queue it, or other work on the device failed.
    pub fn solve(&mut self) -> Result<Running, GpuError> {
        let raw = self.stream.raw();
        let context = raw.context();
        context.bind_to_thread().call("cuCtxSetCurrent")?;
        // Until it is dropped, behind the kernel, the memory is in use on this stream.
        let (base, in_use) = self.memory.device_ptr_mut(raw);
        if let Some(counter) = self.counter {
            let at = base + counter as u64;
            // SAFETY: the counter is a word of this memory.
            unsafe { result::memset_d8_async(at, 0, size_of::<u32>(), raw.cu_stream()) }
                .call("cuMemsetD8Async")?;
        }
        let mut launch = raw.launch_builder(self.kernel.function());
        launch.arg(&self.job).arg(&self.shared);
        // SAFETY: the kernel takes a `Job` and the shared numbers; the addresses are those of a batch
        // in this memory, which has room for it, is freed on this stream behind the kernel, and was
        // laid out for the system of the kernel's text (`checked` in `ode_core`). All that changes
        // in it are numbers of columns, which may be any.
        unsafe { launch.launch(self.launch) }.call("cuLaunchKernel")?;
        drop(in_use);
        let event = raw.record_event(None).call("cuEventRecord")?;
        Ok(Running { event, context: context.clone() })
    }

    /// The number of trajectories.
    #[must_use]
    pub fn trajectories(&self) -> usize {
        self.trajectories
    }

    /// The stream on which it is solved.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Component `index` of the initial states: `n` numbers, that of trajectory `i` at `i`.
    ///
    /// # Errors
    /// [`GpuError::NoInput`] if it is not a column.
    pub fn u0(&self, index: usize) -> Result<CudaView<'_, T>, GpuError> {
        Ok(self.memory.slice(self.column("u0", index)?))
    }

    /// The same to write into, for the next solve.
    ///
    /// # Errors
    /// As [`u0`](Self::u0).
    pub fn u0_mut(&mut self, index: usize) -> Result<CudaViewMut<'_, T>, GpuError> {
        let column = self.column("u0", index)?;
        Ok(self.memory.slice_mut(column))
    }

    /// Queues a copy of memory of the device to component `index` of the initial states.
    ///
    /// # Errors
    /// [`GpuError::NoInput`] if it is not a column, [`GpuError::WrongLength`] if `from` has another
    /// number of numbers than there are trajectories, [`GpuError::WrongDevice`] if it is on another
    /// device, and [`GpuError::Driver`].
    pub fn set_u0(&mut self, index: usize, from: &impl DevicePtr<T>) -> Result<(), GpuError> {
        self.set("u0", index, from)
    }

    /// Parameter `index`: `n` numbers, that of trajectory `i` at `i`.
    ///
    /// # Errors
    /// [`GpuError::NoInput`] if it is not a column.
    pub fn p(&self, index: usize) -> Result<CudaView<'_, T>, GpuError> {
        Ok(self.memory.slice(self.column("p", index)?))
    }

    /// The same to write into, for the next solve.
    ///
    /// # Errors
    /// As [`p`](Self::p).
    pub fn p_mut(&mut self, index: usize) -> Result<CudaViewMut<'_, T>, GpuError> {
        let column = self.column("p", index)?;
        Ok(self.memory.slice_mut(column))
    }

    /// Queues a copy of memory of the device to parameter `index`.
    ///
    /// # Errors
    /// As [`set_u0`](Self::set_u0).
    pub fn set_p(&mut self, index: usize, from: &impl DevicePtr<T>) -> Result<(), GpuError> {
        self.set("p", index, from)
    }

    /// The final states, `[component * n + trajectory]`.
    #[must_use]
    pub fn final_states(&self) -> CudaView<'_, T> {
        self.result(self.places[0])
    }

    /// What was saved, `[(slot * width + number) * n + trajectory]`: `width` numbers at each saved
    /// time, states and then observables. Empty where nothing is saved. What a trajectory did not reach
    /// is NaN.
    #[must_use]
    pub fn saved(&self) -> CudaView<'_, T> {
        self.result(self.places[1])
    }

    /// The time of each final state.
    #[must_use]
    pub fn end_times(&self) -> CudaView<'_, T> {
        self.result(self.places[2])
    }

    /// The number of attempted steps of each trajectory, of which some may have been rejected.
    #[must_use]
    pub fn steps(&self) -> CudaView<'_, u32> {
        self.result(self.places[3])
    }

    /// The number of rejected steps of each trajectory.
    #[must_use]
    pub fn rejected(&self) -> CudaView<'_, u32> {
        self.result(self.places[4])
    }

    /// How many times each trajectory was saved at. Empty where nothing is saved.
    #[must_use]
    pub fn kept(&self) -> CudaView<'_, u32> {
        self.result(self.places[5])
    }

    /// How often each event happened, `[event * n + trajectory]`, in the order of the system's module.
    /// Empty for a system without events.
    #[must_use]
    pub fn event_counts(&self) -> CudaView<'_, u32> {
        self.result(self.places[7])
    }

    /// The logged events, `[(slot * width + number) * n + trajectory]`: of each its time, its number
    /// from one, negative where its function fell, and the states before and after it, if they are
    /// kept. What a trajectory did not reach is NaN. Empty without a log.
    #[must_use]
    pub fn log(&self) -> CudaView<'_, T> {
        self.result(self.places[8])
    }

    /// How each trajectory ended, as [`ReturnCode::from_lane`](ode_core::ReturnCode::from_lane) reads
    /// it.
    #[must_use]
    pub fn codes(&self) -> CudaView<'_, u8> {
        // The last of them, whatever is before it.
        let [.., codes] = self.places;
        self.result(codes)
    }

    /// Where a column is in memory, in numbers.
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

    /// An array of results, whose numbers are of type `E`.
    fn result<E: Element>(&self, place: Place) -> CudaView<'_, E> {
        let Place { at, row, rows } = place;
        let (begin, len) = (at / size_of::<T>(), row * rows / size_of::<E>());
        let array = self.memory.slice(begin..begin + (row * rows).div_ceil(size_of::<T>()));
        // SAFETY: every pattern of bits is a valid `Element`.
        let array = unsafe { array.transmute::<E>(len) };
        array.unwrap_or_else(|| unreachable!("a batch has room for its results"))
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

const STEPS: &str = "the ends of its steps are saved, which are counted first";
const TIMES: &str = "it has actions at times that may depend on the parameters";
const BREAKS: &str = "its right-hand side changes its form at times that depend on the parameters";

/// The columns with a number for each trajectory of every initial state and parameter.
fn each_stored<T: Scalar>(columns: &Columns<T>) -> Columns<T> {
    let each = |column: &Column<T>| match column.is_stored() {
        true => column.clone(),
        false => Column::each((0..columns.trajectories).map(|i| column.get(i)).collect()),
    };
    Columns {
        u0: columns.u0.iter().map(each).collect(),
        p: columns.p.iter().map(each).collect(),
        ..columns.clone()
    }
}

/// A place that prepares a solve, and leaves it to the caller when it happens.
struct Preparing<'a, C> {
    gpu: &'a EnsembleGpuKernel<C>,
    stream: &'a Stream,
    all_inputs: bool,
    /// A [`DeviceEnsemble`] of the precision that was asked for.
    made: RefCell<Option<Box<dyn Any>>>,
}

impl<C> Preparing<'_, C> {
    fn solve<T: Scalar + Element>(
        &self,
        task: &dyn Task<T>,
        settings: &Settings<T>,
        columns: &Columns<T>,
        _: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError> {
        let made = DeviceEnsemble::<T>::prepared(self, task, settings, columns)?;
        *self.made.borrow_mut() = Some(Box::new(made));
        let devices = vec![self.stream.device().name().to_owned()];
        Ok(RunReport::new(Backend::Gpu { devices }, Timings::default()))
    }
}

impl<C> EnsembleAlgorithm for Preparing<'_, C> {
    type Compiled = Text;

    fn draws_samples(&self) -> bool {
        !self.all_inputs
    }

    ode_core::both_precisions!(solve);
}
