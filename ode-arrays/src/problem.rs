//! Problems of one large system.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::place::ArrayPlace;
use crate::solution::ArraySolution;
use crate::solve::{Asked, solve};
use crate::system::ArraySystem;
use ode_core::methods::Tabulated;
use ode_core::{SolveOptions, TimeSpan};

/// An initial value problem whose state is an array: `u' = f(u, p, t)` from `u0`, on a time span.
///
/// The arrays are in the host's memory. A solve copies them to its place.
#[derive(Clone, Debug)]
pub struct ArrayProblem<S, T: Number> {
    /// The system of equations.
    pub system: S,
    /// The state at `t0`.
    pub u0: Array<T>,
    /// Beginning of the time span.
    pub t0: T,
    /// End of the time span, which may be before its beginning.
    pub t1: T,
    /// The arrays that the right-hand side gets as parameters.
    pub p: Vec<Array<T>>,
}

impl<S: ArraySystem<T>, T: Number> ArrayProblem<S, T> {
    /// The problem of `system` from `u0` at the beginning of `tspan`, with parameters `p`. All are of
    /// one precision, in which the problem is solved.
    #[must_use]
    pub fn new(
        system: S,
        u0: Array<T>,
        tspan: impl TimeSpan<T>,
        p: impl Into<Vec<Array<T>>>,
    ) -> Self {
        let (t0, t1) = tspan.ends();
        ArrayProblem { system, u0, t0, t1, p: p.into() }
    }

    /// Solves the problem in a place. Options mean what they mean for [small
    /// systems](ode_core::OdeProblem): tolerances, step sizes, controllers, saved times, times to stop
    /// at, limits. An absolute tolerance for each number is a list as long as the state.
    ///
    /// The error of a step is the root of the mean of the squares over all numbers.
    ///
    /// # Errors
    /// Every [`ArrayError`]; those of the right-hand side end the solve.
    pub fn solve<M: Tabulated>(
        &self,
        _method: M,
        place: impl ArrayPlace,
        options: &SolveOptions,
    ) -> Result<ArraySolution<T>, ArrayError> {
        let asked = Asked {
            system: &self.system,
            u0: &self.u0,
            span: (self.t0, self.t1),
            p: &self.p,
            coefficients: M::COEFFICIENTS,
            method: &M::DEFINED,
            options,
        };
        solve(asked, &place)
    }
}
