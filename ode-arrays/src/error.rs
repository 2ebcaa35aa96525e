//! Errors of arrays and their solves.

use crate::shape::Shape;
use ode_core::{Memory, SolveError};
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
    /// An option, the time span or the initial state is invalid, or a backend failed.
    ///
    /// Errors whose texts speak of ensembles or of small systems have variants of their own.
    #[error(transparent)]
    Solve(SolveError),
    /// The options request a log of events.
    #[error("an array has no events to log; leave `event_log` out")]
    NoEvents,
    /// The options request observables.
    #[error("an array has no observables to save; save its states by `Saving::States`")]
    NoObservables,
    /// A time to save is outside the time span.
    #[error("saveat contains {time:?}, which is outside the time span {t0:?}..={t1:?}")]
    SaveOutside {
        /// The time.
        time: f64,
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
    },
    /// An array does not fit into memory.
    #[error(
        "{bytes} bytes of {memory} cannot be allocated; {}",
        memory.remedy(*bytes, "use smaller arrays, or save fewer states")
    )]
    OutOfMemory {
        /// The size of the allocation that failed.
        bytes: usize,
        /// The kind of memory.
        memory: Memory,
    },
    /// The dense Jacobian of a Rosenbrock method, or its factors, do not fit into memory.
    #[error(
        "a dense Jacobian of {order} equations needs {bytes} bytes of {memory}, which cannot be \
         allocated; {}",
        memory.remedy(*bytes, "use an explicit method, such as `Tsit5`, or fewer equations")
    )]
    JacobianMemory {
        /// The number of equations.
        order: usize,
        /// The size of the allocation that failed.
        bytes: usize,
        /// The kind of memory.
        memory: Memory,
    },
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
    /// The initial state of `u' = A u` does not fit the matrix.
    #[error(
        "u' = A u: u0 has shape {given}, and the matrix has shape {matrix}; u0 must {} {} rows",
        if matrix.batch == 1 { "have".to_owned() } else { format!("be {} matrices of", matrix.batch) },
        matrix.rows
    )]
    LinearState {
        /// The shape of the initial state.
        given: Shape,
        /// The shape of the matrix.
        matrix: Shape,
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

impl ArrayError {
    /// Returns the error of an allocation for a Jacobian of this order.
    pub(crate) fn of_jacobian(self, order: usize) -> Self {
        match self {
            ArrayError::OutOfMemory { bytes, memory } => {
                ArrayError::JacobianMemory { order, bytes, memory }
            }
            error => error,
        }
    }
}

impl From<SolveError> for ArrayError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::NothingToLog { .. } => ArrayError::NoEvents,
            SolveError::NoObservables { .. } => ArrayError::NoObservables,
            SolveError::SaveOutside { time, t0, t1, .. } => {
                ArrayError::SaveOutside { time, t0, t1 }
            }
            SolveError::OutOfMemory { bytes, memory } => ArrayError::OutOfMemory { bytes, memory },
            error => ArrayError::Solve(error),
        }
    }
}

impl From<GpuError> for ArrayError {
    fn from(error: GpuError) -> Self {
        SolveError::from(error).into()
    }
}
