//! What an ensemble is solved by: a method, or a choice of one.

use crate::ensemble::algorithm::{EnsembleAlgorithm, solve_with};
use crate::ensemble::task::{Compiled, Solve};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::methods::{Definition, Rodas4, Rodas5P, Tsit5Rodas4, Vern7Rodas5P};
use crate::problem::columns::Columns;
use crate::problem::options::{SolveOptions, StepSize};
use crate::problem::settings::Settings;
use crate::solution::{ResultSink, RunReport};
use crate::step::properties::Properties;
use crate::system::System;

/// Anything that can be the method of a solve: every [`Method`], [`Auto`], and enums of methods by
/// name ([`any_method!`](crate::any_method)).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a method",
    label = "expected a method, such as `Tsit5`, `Rodas4` or `Auto`, by itself",
    note = "methods are types, whose values are written as they are: `problem.solve(Tsit5, \
            &options)`; `Auto` chooses one for you",
    note = "all are in `odes::prelude`, and docs/choosing-a-method.md tells them apart; one that is \
            chosen by its name at run time is `name.parse::<AnyMethod>()?`"
)]
pub trait Solver: Copy + sealed::Sealed {
    /// The properties of the method that solves a system of `states` states with these options;
    /// `mass` says whether the system has a mass matrix.
    ///
    /// # Errors
    /// [`SolveError::NotFixed`], for fixed steps where the choice is made by errors.
    fn properties(
        &self,
        options: &SolveOptions,
        states: usize,
        mass: bool,
    ) -> Result<Properties, SolveError>;

    /// Integrates the trajectories of `columns`, of this system, in a place that has `C` compiled,
    /// and hands the results to `sink`.
    ///
    /// # Errors
    /// As [`EnsembleAlgorithm::single`].
    fn integrate<T, S, C, const N: usize, const P: usize>(
        &self,
        system: S,
        place: &dyn EnsembleAlgorithm,
        settings: &Settings<T>,
        columns: &Columns<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        C: Compiled;
}

/// A method by its name: what solves by one lane program. Only the methods of the library implement
/// it.
pub trait Method: Definition + Solver {
    /// Order, stages and further properties of the method.
    const PROPERTIES: Properties;
}

/// So that methods can be given more to do.
#[doc(hidden)]
pub mod sealed {
    /// Implemented by methods and choices of them.
    pub trait Sealed {}
}

/// Methods solve by themselves. One by one: an implementation for all that are a [`Method`] would
/// leave no room for choices of methods in other crates.
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
                settings: &Settings<T>,
                columns: &Columns<T>,
                sink: &mut dyn ResultSink<T>,
            ) -> Result<RunReport, SolveError>
            where
                T: Scalar,
                S: System<N, P>,
                C: Compiled,
            {
                let task = Solve::<S, Self, C, N, P>::new(system);
                solve_with(place, &task, settings, columns, sink)
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
    Vern7Rodas5P
);

/// The library's choice: for those who do not know whether their system is stiff, or of which only
/// some trajectories are.
///
/// A trajectory begins with an explicit method, changes to a Rosenbrock method where it turns out
/// to be stiff, and back; the others are not touched by that. Down to a relative tolerance of
/// `1e-6` the methods are [`Tsit5`](crate::methods::Tsit5) and [`Rodas4`], below it
/// [`Vern7`](crate::methods::Vern7) and [`Rodas5P`]; with 16 states and more, whose stages are many
/// for a GPU, the limit is `1e-8`. A system with a mass matrix is solved by the Rosenbrock method
/// alone. The solution [says](crate::EnsembleSolution::method) what was chosen, and [which
/// trajectories](crate::EnsembleSolution::used_stiff_method) were stiff.
///
/// Where all trajectories are known to be stiff, or none, a method by name takes less time: a GPU's
/// threads run together, and those of a warp take both methods' steps if they are in both modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Auto;

/// Relative tolerances from this one on are for the methods of lower order. With 20 states Rodas4
/// takes less time on a GPU than Rodas5P down to 1e-6 at least, with less error (Pollution,
/// `bench/HISTORY.md`).
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
        settings: &Settings<T>,
        columns: &Columns<T>,
        sink: &mut dyn ResultSink<T>,
    ) -> Result<RunReport, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        C: Compiled,
    {
        let loose = [Tsit5Rodas4::PROPERTIES, Rodas4::PROPERTIES].contains(&settings.method);
        // A branch by a constant of the system: what it leaves out is not compiled.
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
