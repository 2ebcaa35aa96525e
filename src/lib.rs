#![doc = include_str!("../README.md")]

pub use ode_core::device::Functions;
pub use ode_core::ensemble::Schedule;
pub use ode_core::methods::{
    Bs3, Dop853, Dp5, Euler, Heun, KenCarp4, Kvaerno3, Kvaerno5, Method, Ralston, Rk4, Rodas3,
    Rodas4, Rodas5P, Rosenbrock23, TrBdf2, Tsit5, Tsit5Rodas4, Vern6, Vern7, Vern7Rodas5P, Vern9,
};
pub use ode_core::ndarray;
pub use ode_core::report::{LinearEquations, Operations, Report};
pub use ode_core::simd::InstructionSet;
pub use ode_core::system::{System, tstops_for, tstops_of};
pub use ode_core::table::{interp_cubic, interp_linear};
pub use ode_core::{
    AbsTol, AnyMethod, Auto, Axis, Backend, Controller, EnsembleAlgorithm, EnsembleProblem,
    EnsembleSerial, EnsembleSolution, EnsembleThreads, GrowthGuard, IntoSaveAt, Memory, Numbers,
    ObservableError, OdeProblem, OdeSolution, Quantity, RawResults, ReturnCode, SaveAt, Saving,
    SolveError, SolveOptions, Solver, StepSize, StopsOfEach, TimeList, TimeSpan, Timings,
    Trajectories, Trajectory, UnknownMethod, Unvaried, Vary, Which, any_method,
};
pub use ode_gpu::{EnsembleGpuKernel, GpuError};
pub use ode_macros::{ode_fn, ode_system};

#[doc = include_str!("../docs/what-success-means.md")]
pub mod what_success_means {}

/// Everything that a solve needs: problems, options, results, places, and all methods.
pub mod prelude {
    pub use crate::{
        AbsTol, AnyMethod, Auto, Axis, Backend, Bs3, Controller, Dop853, Dp5, EnsembleGpuKernel,
        EnsembleProblem, EnsembleSerial, EnsembleSolution, EnsembleThreads, Euler, GrowthGuard,
        Heun, KenCarp4, Kvaerno3, Kvaerno5, OdeProblem, OdeSolution, Ralston, ReturnCode, Rk4,
        Rodas3, Rodas4, Rodas5P, Rosenbrock23, SaveAt, Saving, SolveError, SolveOptions, StepSize,
        TrBdf2, Trajectory, Tsit5, Tsit5Rodas4, Vern6, Vern7, Vern7Rodas5P, Vern9, any_method,
        interp_cubic, interp_linear, ode_fn, ode_system, tstops_for, tstops_of,
    };
}

/// What the expansions of the macros name.
#[doc(hidden)]
pub mod __private {
    pub use ode_core::lane::Real;
    pub use ode_core::linear;
    pub use ode_core::report::{LinearEquations, Operations, Report};
    pub use ode_core::system::{System, device_constant, in_order};
    pub use ode_core::table::{device_table, extended};
    pub use ode_macros::{ignore, resume};
}

/// What runs on a device, for tests and for the curious.
#[cfg(feature = "save")]
pub use ode_core::save;
pub use ode_core::{controller, device, guard, inputs, lane, methods, report, system};
