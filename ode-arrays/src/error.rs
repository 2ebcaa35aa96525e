//! What can go wrong with arrays.

use crate::shape::Shape;
use ode_core::SolveError;
use ode_gpu::GpuError;

ode_core::debug_as_display!(ArrayError);

/// Why an array was not made, an operation not done, or a problem not solved. How a solution ended
/// that was begun is its [`ReturnCode`](ode_core::ReturnCode) instead.
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
    /// An option, the time span or the initial state is not one that can be solved, or memory is
    /// not there.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The initial state has no numbers.
    #[error("the initial state is {shape}, which is no number; give it at least one")]
    Empty {
        /// The shape of the state.
        shape: Shape,
    },
    /// The number of numbers is not that of the shape.
    #[error("{given} numbers for an array that is {shape}, which needs {}", shape.len())]
    Numbers {
        /// How many numbers were given.
        given: usize,
        /// The shape of the array.
        shape: Shape,
    },
    /// The shapes of two arrays do not go together.
    #[error("{operation}: an array is {given}, and must be {expected}")]
    Shape {
        /// What was to be done.
        operation: &'static str,
        /// The shape that an array has.
        given: Shape,
        /// The shape that it must have.
        expected: Shape,
    },
    /// Two arrays are not in the same place.
    #[error(
        "{operation}: the arrays are in different places; what a right-hand side needs is a parameter of \
         its problem, or made by `like`"
    )]
    Places {
        /// What was to be done.
        operation: &'static str,
    },
    /// A matrix must have as many columns as rows.
    #[error("{operation}: the matrix is {given}; it must have as many columns as rows")]
    NotSquare {
        /// What was to be done.
        operation: &'static str,
        /// The shape of the matrix.
        given: Shape,
    },
    /// The system needs another number of parameter arrays.
    #[error("{system} takes {expected} as parameters, and the problem has {given} arrays")]
    Parameters {
        /// The name of the system.
        system: &'static str,
        /// What it takes.
        expected: &'static str,
        /// How many arrays the problem has.
        given: usize,
    },
}

impl From<GpuError> for ArrayError {
    fn from(error: GpuError) -> Self {
        SolveError::from(error).into()
    }
}
