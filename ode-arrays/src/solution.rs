//! Solutions of one large system.

use crate::number::Number;
use crate::shape::Shape;
use ode_core::ReturnCode;
use ode_core::methods::Properties;

/// The solution of an [`ArrayProblem`](crate::ArrayProblem), in host memory.
///
/// The numbers of a state are in column-major order, matrix by matrix, as in
/// [`shape`](Self::shape).
#[derive(Clone, Debug)]
pub struct ArraySolution<T: Number> {
    pub(crate) method: Properties,
    pub(crate) shape: Shape,
    pub(crate) code: ReturnCode,
    pub(crate) end_time: T,
    pub(crate) final_state: Vec<T>,
    pub(crate) times: Vec<T>,
    pub(crate) states: Vec<Vec<T>>,
    pub(crate) counts: Counts,
    pub(crate) held_unstable: bool,
}

/// The work of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Attempted steps that were accepted.
    pub accepted: u32,
    /// Attempted steps that were rejected.
    pub rejected: u32,
    /// Evaluations of the right-hand side, including those for finite differences.
    pub evaluations: u64,
    /// Factorisations of a matrix.
    pub factorisations: u64,
    /// Steps that would have stepped over growth.
    ///
    /// See [`growth_guard`](ode_core::SolveOptions::growth_guard()).
    pub guarded: u32,
}

impl<T: Number> ArraySolution<T> {
    /// Returns the method of the solve.
    #[must_use]
    pub fn method(&self) -> &Properties {
        &self.method
    }

    /// Returns the shape of the state.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns how the solve ended.
    pub fn code(&self) -> ReturnCode {
        self.code
    }

    /// Returns the final state.
    #[must_use]
    pub fn final_state(&self) -> &[T] {
        &self.final_state
    }

    /// Returns the time of the final state.
    #[must_use]
    pub fn end_time(&self) -> T {
        self.end_time
    }

    /// Returns the saved times that were reached.
    #[must_use]
    pub fn times(&self) -> &[T] {
        &self.times
    }

    /// Returns the states at the saved times.
    #[must_use]
    pub fn states(&self) -> &[Vec<T>] {
        &self.states
    }

    /// Returns whether the solution may have stayed on an unstable state.
    ///
    /// See [`growth_guard`](ode_core::SolveOptions::growth_guard()).
    #[must_use]
    pub fn held_unstable(&self) -> bool {
        self.held_unstable
    }

    /// Returns the work of the solve.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }
}
