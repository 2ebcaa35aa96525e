//! Errors of arrays and their solves.

use crate::shape::Shape;
use ode_core::SolveError;
use ode_gpu::GpuError;

ode_core::debug_as_display!(ArrayError);

/// An error in the creation of an array, in an operation, or before a solution.
///
/// If a solution began, its [`ReturnCode`](ode_core::ReturnCode) states how it ended.
///
/// ```
/// use ode_arrays::{Array, ArrayError};
///
/// let a = Array::matrix(2, 3, |_, _| 1.0);
/// let x = Array::vector([1.0, 2.0]);
/// let mut y = Array::vector([0.0, 0.0]);
/// let error = y.product(1.0, &a, &x).unwrap_err();
/// assert!(matches!(error, ArrayError::Shape { .. }));
/// assert!(error.to_string().contains("2 by 3"));
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// An option, the time span or the initial state is invalid, or memory is exhausted.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The initial state has no elements.
    #[error("the initial state has shape {shape}; it needs at least one element")]
    Empty {
        /// The shape of the state.
        shape: Shape,
    },
    /// The number of elements does not match the shape.
    #[error(
        "the array has shape {shape}, which needs {} numbers, and {given} were given",
        shape.len()
    )]
    Numbers {
        /// The number of given elements.
        given: usize,
        /// The shape of the array.
        shape: Shape,
    },
    /// The shapes of two arrays do not match.
    #[error("{operation}: an array has shape {given}; it must have shape {expected}")]
    Shape {
        /// The operation.
        operation: &'static str,
        /// The shape of an array.
        given: Shape,
        /// The required shape.
        expected: Shape,
    },
    /// Two arrays are not in the same memory.
    #[error(
        "{operation}: the arrays are in different memories; pass arrays to a right-hand side as \
         parameters of its problem, or create them with `like`"
    )]
    Places {
        /// The operation.
        operation: &'static str,
    },
    /// A matrix is not square.
    #[error("{operation}: the matrix has shape {given}; it must be square")]
    NotSquare {
        /// The operation.
        operation: &'static str,
        /// The shape of the matrix.
        given: Shape,
    },
    /// The number of parameter arrays does not match the system.
    #[error("{system} takes {expected} as parameters, and the problem has {given} arrays")]
    Parameters {
        /// The name of the system.
        system: &'static str,
        /// The required parameters.
        expected: &'static str,
        /// The number of arrays of the problem.
        given: usize,
    },
}

impl From<GpuError> for ArrayError {
    fn from(error: GpuError) -> Self {
        SolveError::from(error).into()
    }
}
