//! Methods, and run-time choices of a method.

use crate::ensemble::algorithm::{EnsembleAlgorithm, run_job};
use crate::ensemble::request::{Job, SolveJob};
use crate::ensemble::task::{CompiledLanes, Solve};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::methods::{Definition, Rodas4, Rodas5P, Tsit5Rodas4, Vern7Rodas5P};
use crate::problem::inputs::Inputs;
use crate::problem::options::{SolveOptions, StepSize};
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::{ResultSink, RunReport};
use crate::step::properties::Properties;
use crate::system::System;

/// A type that can be the method of a solve.
///
/// Every [`Method`], [`Auto`], and enums of methods by name ([`any_method!`](crate::any_method))
/// implement this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a method",
    label = "expected a method, such as `Tsit5`, `Rodas4` or `Auto`",
    note = "methods are unit structs, which are passed as values: `problem.solve(Tsit5, \
            &options)`; `Auto` chooses a method",
    note = "`odes::prelude` contains all methods, and docs/choosing-a-method.md compares them; \
            choose a method by its name at run time by `name.parse::<AnyMethod>()?`"
)]
pub trait Solver: Copy + sealed::Sealed {
    /// Returns the properties of the method that these options select.
    ///
    /// The system has `states` states, and a mass matrix if `mass` is `true`.
    ///
    /// # Errors
    /// [`SolveError::NotFixed`], if steps are fixed and the choice depends on error estimates.
    fn properties(
        &self,
        options: &SolveOptions,
        states: usize,
        mass: bool,
    ) -> Result<Properties, SolveError>;

    /// Integrates the trajectories of `columns` on a backend and passes the results to `sink`.
    ///
    /// `C` lists the parts of the task that the backend needs compiled.
    ///
    /// # Errors
    /// The errors of [`EnsembleAlgorithm::run`].
    fn integrate<T, S, C, const N: usize, const P: usize>(
        &self,
        system: S,
        place: &dyn EnsembleAlgorithm,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        C: CompiledLanes;
}

/// A single method, compiled to one lane program.
///
/// Only the methods of the library implement this trait.
pub trait Method: Definition + Solver {
    /// Order, stages and further properties of the method.
    const PROPERTIES: Properties;
}

/// Keeps [`Solver`] sealed, so that a release can add functions to methods.
#[doc(hidden)]
pub mod sealed {
    /// A trait of methods and of choices of methods.
    pub trait Sealed {}
}

/// Implements [`Solver`] for each method by itself.
///
/// A blanket implementation for all [`Method`]s would forbid choices of methods in other crates.
macro_rules! solves {
    ($($method:ident),*) => {
        /// The names that [`any_method!`](crate::any_method) accepts.
        #[doc(hidden)]
        pub mod named {
            pub use super::Auto;
            pub use crate::methods::{$($method),*};
        }

        $(
        impl sealed::Sealed for crate::methods::$method {}

        impl Method for crate::methods::$method {
            const PROPERTIES: Properties = <Self as Definition>::DEFINED;
        }

        impl Solver for crate::methods::$method {
            fn properties(
                &self,
                _: &SolveOptions,
                _: usize,
                _: bool,
            ) -> Result<Properties, SolveError> {
                Ok(<Self as Method>::PROPERTIES)
            }

            fn integrate<T, S, C, const N: usize, const P: usize>(
                &self,
                system: S,
                place: &dyn EnsembleAlgorithm,
                settings: &ResolvedOptions<T>,
                columns: &Inputs<T>,
                sink: &mut dyn ResultSink<T>,
            ) -> Result<RunReport, SolveError>
            where
                T: Scalar,
                S: System<N, P>,
                C: CompiledLanes,
            {
                let task = Solve::<S, Self, C, N, P>::new(system);
                let job = SolveJob { task: &task, options: settings, inputs: columns, sink };
                run_job(place, Job::Solve(job))
            }
        }
        )*
    };
}

solves!(
    Euler,
    Heun,
    Ralston,
    Rk4,
    Bs3,
    Dp5,
    Tsit5,
    Vern6,
    Vern7,
    Dop853,
    Vern9,
    Rosenbrock23,
    Rodas3,
    Rodas4,
    Rodas5P,
    TrBdf2,
    Kvaerno3,
    Kvaerno5,
    KenCarp4,
    Tsit5Rodas4,
    Vern7Rodas5P,
    EulerMaruyama,
    Milstein,
    Siea,
    Sriw1,
    Sra1,
    Shark,
    StochasticHeun,
    Spark
);

/// The library's choice of a method, for systems of unknown or varying stiffness.
///
/// Each trajectory begins with an explicit method, and changes to a Rosenbrock method when it turns
/// out to be stiff, and back. The other trajectories are not affected.
///
/// ```
/// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, system::System};
/// use ode_core::{Auto, SolveOptions};
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
///
/// let ensemble = EnsembleProblem::new(problem).over(&[[1.0], [1e3], [1e6]]);
/// let options = SolveOptions::default().tolerance(1e-4);
/// let solution = ensemble.solve(Auto, EnsembleThreads, &options)?;
/// println!("solved by {}", solution.method().name);
/// let stiff = (0..solution.len()).filter(|&i| solution.used_stiff_method(i)).count();
/// println!("{stiff} of {} trajectories were stiff", solution.len());
/// # Ok(())
/// # }
/// ```
///
/// Down to a relative tolerance of `1e-6` the methods are [`Tsit5`](crate::methods::Tsit5) and
/// [`Rodas4`], below it [`Vern7`](crate::methods::Vern7) and [`Rodas5P`]. With 16 or more states
/// the limit is `1e-8`, since the stages of the higher-order methods are then many for a GPU. The
/// Rosenbrock method alone solves a system with a mass matrix. The solution contains [the methods
/// that were chosen](crate::EnsembleSolution::method) and [the trajectories that were
/// stiff](crate::EnsembleSolution::used_stiff_method).
///
/// If all trajectories are stiff, or none is, a method by name takes less time. The threads of a
/// GPU's warp run together: if some are in stiff mode and some are not, all of them execute the
/// steps of both methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Auto;

/// Returns the least relative tolerance for which the methods of lower order are chosen.
///
/// With 20 states Rodas4 takes less time on a GPU than Rodas5P at tolerances down to at least 1e-6,
/// with less error (Pollution, `bench/HISTORY.md`).
fn loose(states: usize) -> f64 {
    if states < 16 { 1e-6 } else { 1e-8 }
}

impl sealed::Sealed for Auto {}

impl Solver for Auto {
    fn properties(
        &self,
        options: &SolveOptions,
        states: usize,
        mass: bool,
    ) -> Result<Properties, SolveError> {
        if matches!(options.step, StepSize::Fixed(_)) {
            return Err(SolveError::NotFixed { method: "Auto" });
        }
        Ok(match (options.reltol >= loose(states), mass) {
            (true, false) => Tsit5Rodas4::PROPERTIES,
            (true, true) => Rodas4::PROPERTIES,
            (false, false) => Vern7Rodas5P::PROPERTIES,
            (false, true) => Rodas5P::PROPERTIES,
        })
    }

    fn integrate<T, S, C, const N: usize, const P: usize>(
        &self,
        system: S,
        place: &dyn EnsembleAlgorithm,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        C: CompiledLanes,
    {
        let loose = [Tsit5Rodas4::PROPERTIES, Rodas4::PROPERTIES].map(|method| method.name);
        let loose = loose.contains(&settings.method.name);
        // A branch on a constant of the system: rustc does not compile the other branch.
        if S::MASS {
            match loose {
                true => Rodas4.integrate::<T, S, C, N, P>(system, place, settings, columns, sink),
                false => Rodas5P.integrate::<T, S, C, N, P>(system, place, settings, columns, sink),
            }
        } else {
            match loose {
                true => {
                    Tsit5Rodas4.integrate::<T, S, C, N, P>(system, place, settings, columns, sink)
                }
                false => {
                    Vern7Rodas5P.integrate::<T, S, C, N, P>(system, place, settings, columns, sink)
                }
            }
        }
    }
}
