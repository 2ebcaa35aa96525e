//! Problems of one large system.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::place::ArrayPlace;
use crate::solution::ArraySolution;
use crate::solve::{ArraySolve, solve};
use crate::system::ArraySystem;
use ode_core::methods::Tabulated;
use ode_core::{SolveOptions, TimeSpan};

/// An initial value problem with an array as its state: `u' = f(u, p, t)`.
///
/// The arrays are in host or device memory. A solve copies them to its backend if necessary.
#[derive(Clone, Debug)]
pub struct ArrayProblem<S, T: Number> {
    /// The system of equations.
    pub system: S,
    /// The state at `t0`.
    pub u0: Array<T>,
    /// The beginning of the time span.
    pub t0: T,
    /// The end of the time span, which may be before its beginning.
    pub t1: T,
    /// The arrays that the right-hand side receives as parameters.
    pub p: Vec<Array<T>>,
}

impl<S: ArraySystem<T>, T: Number> ArrayProblem<S, T> {
    /// Creates the problem of `system` from `u0` at the beginning of `tspan`, with parameters `p`.
    ///
    /// All have one precision, in which the problem is solved.
    #[must_use]
    pub fn new(
        system: S,
        u0: Array<T>,
        tspan: impl TimeSpan<T>,
        p: impl Into<Vec<Array<T>>>,
    ) -> Self {
        let (t0, t1) = tspan.into_ends();
        ArrayProblem { system, u0, t0, t1, p: p.into() }
    }

    /// Solves the problem with a backend.
    ///
    /// Options have the same meaning as for [small systems](ode_core::OdeProblem): tolerances, step
    /// sizes, controllers, saved times, stop times, limits. A list of absolute tolerances has one
    /// entry for each number of the state.
    ///
    /// The error norm of a step is the root mean square over all numbers.
    ///
    /// # Errors
    /// Every [`ArrayError`]; errors of the right-hand side end the solve.
    pub fn solve<M: Tabulated>(
        &self,
        _method: M,
        place: impl ArrayPlace,
        options: &SolveOptions,
    ) -> Result<ArraySolution<T>, ArrayError> {
        let request = ArraySolve {
            system: &self.system,
            u0: &self.u0,
            span: (self.t0, self.t1),
            p: &self.p,
            coefficients: M::COEFFICIENTS,
            method: &M::DEFINED,
            options,
        };
        solve(request, &place)
    }
}
