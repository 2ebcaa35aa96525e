//! [getting-started]: docs::getting_started
//! [primer]: docs::primer
//! [outside]: docs::outside
//! [results-files]: docs::results_files
//! [files]: docs::getting_started#files
//! [from-sciml]: docs::from_sciml
//! [events]: docs::events
//! [features]: docs::features
//! [gradients]: docs::gradients
//! [noise]: docs::noise
//! [jumps]: docs::jumps
//! [reductions]: docs::reductions
//! [sensitivity]: docs::sensitivity
//! [choosing-a-method]: docs::choosing_a_method
//! [choosing-a-method-codes]: docs::choosing_a_method#other-codes
//! [scaling]: docs::scaling
//! [clusters]: docs::clusters
//! [arrays]: docs::arrays
//! [corrections]: docs::corrections
//! [what-a-success-means]: docs::what_success_means
//! [language]: docs::language
//! [extending]: docs::extending
//! [architecture]: docs::architecture
//! [contributing]: docs::contributing
//! [changelog]: docs::changelog
//! [results]: docs::results
//! [results-stiff]: docs::results#stiff-ensembles-on-a-cpu
//! [results-orders]: docs::results#one-gpu
//! [results-pulses]: docs::results#success-pulses-and-missed-ignitions
//! [results-bits]: docs::results#bits
//! [results-builds]: docs::results#build-times
//! [results-ignition]: docs::history#a-map
#![doc = concat!(
    // The generated pages do not contain the pictures, but docs.rs serves the crate's archive.
    "[lorenz-picture]: https://docs.rs/crate/odes/",
    env!("CARGO_PKG_VERSION"),
    "/source/docs/pictures/lorenz.png\n",
    "[precision-picture]: https://docs.rs/crate/odes/",
    env!("CARGO_PKG_VERSION"),
    "/source/docs/pictures/precision.png\n\n",
)]
#![cfg_attr(any(doc, doctest), doc = include_str!("../README.md"))]
// In Markdown the first definition of a label counts. So rustdoc uses the definitions above, and
// GitHub uses the definitions at the end of the README.

// Builds of programs do not read the pages.
#[cfg(any(doc, doctest))]
pub mod docs;

pub use ode_core::methods::{KenCarp4, Rodas5P, Tsit5, Vern7};
pub use ode_core::ndarray;
pub use ode_core::system::System;
pub use ode_core::system::table::{interp_cubic, interp_linear, interp_linear_at};
pub use ode_core::{
    AbsTol, AnyMethod, Auto, CancellationToken, Controller, EnsembleCpuArray, EnsembleProblem,
    EnsembleSerial, EnsembleSolution, EnsembleThreads, EnsembleWatched, FeatureError, GrowthGuard,
    Memory, ObservableError, OdeProblem, OdeSolution, ReturnCode, SaveAt, Saving, Shard,
    SolveError, SolveOptions, SolveProgress, Solver, StepSize, Timings, Trajectories, Trajectory,
    Warning, memory,
};
pub use ode_gpu::{EnsembleGpuArray, EnsembleGpuKernel, GpuError};
pub use ode_macros::{ode_fn, ode_system};

/// The items that most programs import.
///
/// The prelude contains the macros, problems, solutions, backends, a method for each use, and the
/// items that right-hand sides name (`PI`, `TAU`, tables). Other items are in modules: all
/// [`methods`], [`sample`], [`sweep`], [`events`] and [`gradient`].
pub mod prelude {
    pub use core::f64::consts::{PI, TAU};

    pub use crate::{
        AnyMethod, Auto, EnsembleCpuArray, EnsembleGpuArray, EnsembleGpuKernel, EnsembleProblem,
        EnsembleSerial, EnsembleSolution, EnsembleThreads, KenCarp4, OdeProblem, OdeSolution,
        ReturnCode, Rodas5P, SaveAt, SolveError, SolveOptions, Trajectory, Tsit5, Vern7,
        interp_cubic, interp_linear, interp_linear_at, ode_fn, ode_system,
    };
}

/// Sampling rules for initial states and parameters.
///
/// ```
/// use odes::prelude::*;
/// use odes::sample::{LogNormal, Samples, Uniform};
///
/// #[ode_system]
/// mod decay {
///     pub struct State {
///         pub amount: f64,
///     }
///
///     pub struct Parameters {
///         pub rate: f64,
///     }
///
///     fn rhs(u: &State, p: &Parameters) -> State {
///         State { amount: -p.rate * u.amount }
///     }
/// }
///
/// # fn main() -> Result<(), SolveError> {
/// let start = decay::State { amount: 1.0 };
/// let problem = OdeProblem::new(decay, start, 0.0..=1.0, decay::Parameters { rate: 0.5 });
/// let samples = Samples::seed(7)
///     .u0("amount", Uniform(0.5, 1.5))
///     .p("rate", LogNormal { mu: -0.7, sigma: 0.1 });
/// let ensemble = EnsembleProblem::new(problem).trajectories(100).sample(samples);
/// let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default())?;
/// assert!(solution.all_succeeded());
/// # Ok(())
/// # }
/// ```
pub mod sample {
    pub use ode_core::{
        Choice, Design, Linspace, LogNormal, LogUniform, Logspace, Normal, Rule, Samples,
        Scrambling, Uniform,
    };
}

/// Axes of grids of initial states and parameters.
///
/// [`EnsembleProblem::grid`] has an example. [`Which`](sweep::Which) also names the components of
/// [`SolveOptions::save_only`].
pub mod sweep {
    pub use ode_core::{Axis, AxisValues, Quantity, Which};
}

/// Statistics of ensembles, in memory that does not grow with the number of trajectories.
///
/// The guide [Reductions](docs::reductions) begins with an example. The module also has the types
/// of [solves with closures](docs::reductions#closures).
pub mod summary {
    pub use ode_core::summary::{Histogram, HistogramCounts, Summaries, Summary, SummaryError};
    pub use ode_core::{Folded, MapEach, SolveEach};
}

/// Sensitivity analyses of ensembles by their random inputs, and their results.
///
/// The guide [Sensitivity](docs::sensitivity) begins with an example.
pub mod sensitivity {
    pub use ode_core::sensitivity::{
        EffectIntervals, ElementaryEffects, Interval, Morris, SensitivityError, Sobol,
        SobolIndices, SobolIntervals,
    };
}

/// Lyapunov exponents of ensembles.
///
/// ```
/// use odes::lyapunov::Lyapunov;
/// use odes::prelude::*;
///
/// /// Grows at the rate 0.5 and shrinks at the rate -1.
/// #[ode_system(gradients = "on")]
/// fn saddle(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
///     [p[0] * u[0], -u[1]]
/// }
///
/// # fn main() -> Result<(), SolveError> {
/// let problem = OdeProblem::new(saddle, [1.0, 1.0], 0.0..=40.0, [0.5]);
/// let ensemble = EnsembleProblem::new(problem);
/// let options = SolveOptions::default().tolerance(1e-8);
/// let request = Lyapunov::new(2).segments(80).transient(0.25);
/// let found = ensemble.lyapunov(Tsit5, EnsembleSerial, &options, &request)?;
/// assert!((found.exponents()[[0, 0]] - 0.5).abs() < 1e-3);
/// assert!((found.exponents()[[0, 1]] + 1.0).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
pub mod lyapunov {
    pub use ode_core::lyapunov::{Lyapunov, LyapunovError, LyapunovExponents};
}

/// Means of solutions of stochastic equations by several step sizes: multilevel Monte Carlo.
///
/// ```
/// use odes::methods::Milstein;
/// use odes::multilevel::Multilevel;
/// use odes::prelude::*;
///
/// /// Growth with noise.
/// #[ode_system]
/// mod growth {
///     fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
///         [p[0] * u[0]]
///     }
///
///     #[noise]
///     fn noise(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
///         [p[1] * u[0]]
///     }
/// }
///
/// # fn main() -> Result<(), SolveError> {
/// let problem = OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5, 0.2]);
/// let options = SolveOptions::default().fixed_step(0.25);
/// let request = Multilevel::new(0.01);
/// let found = problem.multilevel_mean(Milstein, EnsembleThreads, &options, &request, |path| {
///     path.final_state()[0]
/// })?;
/// assert!((found.mean - 0.5_f64.exp()).abs() < 0.04);
/// # Ok(())
/// # }
/// ```
pub mod multilevel {
    pub use ode_core::multilevel::{Level, Multilevel, MultilevelError, MultilevelMean};
}

/// Periodic states of ensembles, such as steady states of repeated doses.
///
/// ```
/// use odes::periodic::PeriodicSearch;
/// use odes::prelude::*;
///
/// /// A drug that is given at the beginning of each interval.
/// #[ode_system]
/// mod drug {
///     pub struct State {
///         pub amount: f64,
///     }
///
///     pub struct Parameters {
///         pub elimination: f64,
///         pub dose: f64,
///     }
///
///     fn rhs(u: &State, p: &Parameters) -> State {
///         State { amount: -p.elimination * u.amount }
///     }
///
///     #[at(0.0)]
///     fn dose(u: &State, p: &Parameters) -> State {
///         State { amount: u.amount + p.dose }
///     }
/// }
///
/// # fn main() -> Result<(), SolveError> {
/// let parameters = drug::Parameters { elimination: 0.01, dose: 100.0 };
/// // A dose every 12 hours.
/// let problem = OdeProblem::new(drug, drug::State { amount: 0.0 }, 0.0..=12.0, parameters);
/// let ensemble = EnsembleProblem::new(problem);
/// let options = SolveOptions::default().tolerance(1e-9);
/// let found = ensemble.periodic_states(Tsit5, EnsembleThreads, &options, &PeriodicSearch::new())?;
/// let trough = 100.0 / (f64::exp(0.01 * 12.0) - 1.0);
/// assert!((found.state(0).amount - trough).abs() < 1e-3);
/// # Ok(())
/// # }
/// ```
pub mod periodic {
    pub use ode_core::periodic::{PeriodicError, PeriodicOutcome, PeriodicSearch, PeriodicStates};
}

/// The log of events, the errors of event queries, and stop times of a function.
///
/// The guide [Events](docs::events) explains events.
pub mod events {
    pub use ode_core::{EventError, EventLog, Log, LoggedEvent, tstops_for, tstops_of};
}

/// Traits and types in the signatures of problems and options.
///
/// Programs rarely name them.
pub mod problem {
    pub use ode_core::{
        InPrecision, IntoSaveAt, Numbers, ProblemOfEach, StopsOfEach, TimeList, TimeSpan, Unvaried,
        Vary,
    };
}

/// Gradients of losses of ensembles, and training.
///
/// The guide [Gradients and training](docs::gradients) begins with an example.
pub mod gradient {
    pub use ode_core::CheckpointError;
    pub use ode_core::gradient::{
        Adam, AdamW, Cotangents, EnsembleGradient, EnsembleLoss, Evaluation, IntoFlow, Lbfgs,
        Learnt, LossGradient, Objective, Optimiser, Progress, Sgd, Train, Trained,
    };
}

/// Items that the expansions of the macros use.
#[doc(hidden)]
pub mod __private {
    pub use ode_core::__private::*;
    pub use ode_macros::{ignore, resume};
}

#[cfg(feature = "save")]
pub use ode_core::save;

/// Methods as types, and their properties.
///
/// `methods::table()` prints orders, stages and costs. The documentation of each method names the
/// paper to cite. [Choosing a method](crate::docs::choosing_a_method) recommends methods by
/// measurements.
///
/// ```
/// use odes::methods::{self, Method};
///
/// println!("{}", methods::table());
/// assert_eq!(methods::Rodas5P::PROPERTIES.order, 5);
/// assert!(methods::ALL.iter().any(|method| method.name == "Vern7" && method.adaptive()));
/// ```
pub mod methods {
    pub use ode_core::methods::{
        ALL, Bs3, Differentiable, Dop853, Dp5, Euler, EulerMaruyama, Heun, KenCarp4, Kvaerno3,
        Kvaerno5, Milstein, NoiseClass, Properties, Ralston, Rk4, Rodas3, Rodas4, Rodas5P,
        Rosenbrock23, STOCHASTIC, Shark, Siea, Spark, Sra1, Sriw1, Stability, Stochastic,
        StochasticHeun, TrBdf2, Tsit5, Tsit5Rodas4, Vern6, Vern7, Vern7Rodas5P, Vern9, table,
    };
    pub use ode_core::{AnyMethod, AnyStochasticMethod, Auto, Method, UnknownMethod, any_method};
}

/// The trait of systems of equations, its supertraits, and descriptions of systems.
///
/// `#[ode_system]` implements the trait [`System`]. Functions that are generic over
/// systems use the trait as their bound.
///
/// ```
/// use odes::prelude::*;
/// use odes::system::System;
///
/// /// Prints the names of a system's states and what its right-hand side costs.
/// fn describe<S: System<N, P>, const N: usize, const P: usize>(system: S) {
///     let info = system.info();
///     println!("{} of {:?}: {} operations", info.name, info.states, info.operations[0].total());
/// }
///
/// #[ode_system]
/// fn decay(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
///     [-p[0] * u[0]]
/// }
///
/// describe(decay);
/// ```
pub mod system {
    pub use ode_core::system::capabilities::*;
    pub use ode_core::system::info::{LinearEquations, Operations};
    pub use ode_core::system::report::Report;
    pub use ode_core::system::{
        Calculus, DeviceSource, Learn, Loss, NoNoise, Noise, NoiseInfo, PullBack, PullBackEvents,
        PullBackNoise, Quantities, System, SystemInfo, WithModes,
    };
}

/// Traits of numbers with one value for each lane.
///
/// They are the bounds of right-hand sides that are generic over numbers, and of functions that are
/// generic over the precision ([`Scalar`](lane::Scalar)).
pub mod lane {
    pub use ode_core::lane::{Bits, Mask, Real, Scalar};
}

/// Types for your own backend, an [`EnsembleAlgorithm`](backend::EnsembleAlgorithm).
///
/// They are the task, the options, the inputs of all trajectories, and the sink of the results.
/// [Extending odes](docs::extending) has examples.
///
/// A backend that wraps another backend forwards two functions. A backend for a device also needs the text of kernels and the layout of kernel arguments. Both are in
/// [`internals::kernel`], and change from release to release.
///
/// # Stability
///
/// Releases still add fields to `ResolvedOptions`, `Inputs`, `PreparedSolve`, `RawResults`,
/// `SavedRow` and `LogRow`. Pin an exact version if you construct these types. You can implement
/// [`EnsembleAlgorithm`](backend::EnsembleAlgorithm) and [`ResultSink`](backend::ResultSink), and
/// read these types, without such a pin.
pub mod backend {
    pub use ode_core::ensemble::adjoint::{AdjointKernel, AdjointTask};
    pub use ode_core::ensemble::raw_gradients::{GradientSlices, RawCotangents, RawGradients};
    pub use ode_core::ensemble::task::{
        Arrays, CompiledLanes, Everything, In, Lanes, OneLane, Task, TaskKey, Text,
    };
    pub use ode_core::ensemble::{
        AdjointJob, Capabilities, EvaluationPool, Evaluator, Job, LockstepOptions, Ranks, Request,
        RequestVisitor, SolveJob, run_job,
    };
    pub use ode_core::kernel::Functions;
    pub use ode_core::lane::dispatch::InstructionSet;
    pub use ode_core::problem::inputs::{Input, InputRange, Inputs, SaveTimes};
    pub use ode_core::problem::layout::SystemShape;
    pub use ode_core::problem::prepared::PreparedSolve;
    pub use ode_core::problem::resolved_options::ResolvedOptions;
    pub use ode_core::solution::{ResultArray, ResultSet, ResultSlices, SolveHeader};
    pub use ode_core::watch::{SolveWatch, Watch};
    pub use ode_core::{
        Backend, Collect, EnsembleAlgorithm, EvaluationThreads, Launcher, Layout, LockstepNorm,
        LogRow, RawResults, ResultSink, RunReport, SavedComponents, SavedRow, Schedule, ShardError,
        Share, SolveError, Timings, WorstMember,
    };
}

#[cfg(feature = "cluster")]
pub mod cluster;

/// One large system with a right-hand side over whole arrays.
///
/// This module needs the feature `arrays`. The guide [Arrays][docs::arrays] begins with a linear
/// system.
#[cfg(feature = "arrays")]
pub mod arrays {
    pub use ode_arrays::{
        Array, ArrayCpu, ArrayError, ArrayGpu, ArrayPlace, ArrayProblem, ArraySolution,
        ArraySystem, Counts, Function, Linear, Network, Number, Shape,
    };
    pub use ode_core::methods::Tabulated;
}

/// Ensembles that stay in GPU memory, for programs with their own kernels.
///
/// ```no_run
/// use odes::device::{DeviceEnsemble, cudarc};
/// use odes::prelude::*;
///
/// #[ode_system]
/// fn decay(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
///     [-p[0] * u[0]]
/// }
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let problem = OdeProblem::new(decay, [1.0], 0.0..=1.0, [0.5]);
///     let ensemble = EnsembleProblem::new(problem).trajectories(100_000);
///     let gpu = EnsembleGpuKernel::device(0)?;
///     let stream = gpu.devices()[0].new_stream()?;
///     let options = SolveOptions::default();
///     let mut resident =
///         DeviceEnsemble::with_all_inputs(&gpu, &stream, &ensemble, Tsit5, &options)?;
///     let rates: cudarc::driver::CudaSlice<f64> = stream.zeros(100_000)?; // or by a kernel
///     resident.set_p(0, &rates)?;
///     resident.solve()?.wait()?;
///     let ends = stream.raw().clone_dtoh(&resident.final_states())?;
///     assert_eq!(ends[99_999], 1.0);
///     Ok(())
/// }
/// ```
///
/// Device memory has the types of [`cudarc`](https://docs.rs/cudarc). The version of `cudarc` may
/// change in any release.
pub mod device {
    pub use ode_gpu::{
        Device, DeviceElement, DeviceEnsemble, MemoryInfo, Running, Stream, cudarc, device, devices,
    };
}

/// Internals of the library, for its tests and benchmarks.
///
/// **No semantic versioning**: every item here may change or disappear in any release.
///
/// | module | subject |
/// |---|---|
/// | `control` | the step-size control law |
/// | `work_queue` | the work queue, from which workers take chunks of trajectories |
/// | `worker` | the workers of one solve: devices, and CPU threads |
/// | `guard` | the rule of the growth guard |
/// | `kernel` | the text of kernels, and the layout of kernel arguments |
/// | `lane` | numbers with one lane or SIMD lanes, and functions for each instruction set |
/// | `methods` | tableaus and lane programs of the methods |
/// | `system` | eliminations, tables and reports |
/// | `task` | a system by a method in one precision, with erased types, for a backend |
pub mod internals {
    pub use ode_core::ensemble::{task, work_queue, worker};
    pub use ode_core::solution::reduction;
    pub use ode_core::step::{control, guard};
    pub use ode_core::{kernel, lane, methods, system};
}
