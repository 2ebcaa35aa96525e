//! Linear systems.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::problem::ArrayProblem;
use crate::system::ArraySystem;
use ode_core::TimeSpan;

/// The system `u' = A u`.
///
/// Its parameter is the matrix `A`. The state is a vector, or a matrix whose columns are solved
/// together.
///
/// ```
/// use ode_arrays::{Array, ArrayCpu, ArrayError, Linear};
/// use ode_core::{SolveOptions, methods::Vern7};
///
/// # fn main() -> Result<(), ArrayError> {
/// let a = Array::matrix(2, 2, |row, column| if row == column { -1.0 } else { 0.5 });
/// let problem = Linear::problem(a, Array::vector([1.0, 1.0]), 0.0..=2.0)?;
/// let options = SolveOptions::default().tolerance(1e-9);
/// let solution = problem.solve(Vern7, ArrayCpu::new(), &options)?;
/// assert!((solution.final_state()[1] - (-1.0f64).exp()).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Linear;

impl Linear {
    /// Creates the problem `u' = a u` from `u0`.
    ///
    /// # Errors
    /// [`ArrayError::NotSquare`] and [`ArrayError::LinearState`].
    pub fn problem<T: Number>(
        a: Array<T>,
        u0: Array<T>,
        tspan: impl TimeSpan<T>,
    ) -> Result<ArrayProblem<Linear, T>, ArrayError> {
        let problem = ArrayProblem::new(Linear, u0, tspan, [a]);
        problem.system.check(&problem.u0, &problem.p)?;
        Ok(problem)
    }
}

impl<T: Number> ArraySystem<T> for Linear {
    fn rhs(
        &self,
        u: &Array<T>,
        p: &[Array<T>],
        _t: T,
        du: &mut Array<T>,
    ) -> Result<(), ArrayError> {
        du.product(T::lit(1.0), &p[0], u)
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn jacobian(
        &self,
        _u: &Array<T>,
        p: &[Array<T>],
        _t: T,
        jacobian: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        // The Jacobian of several columns has one block for each column.
        let is_of_one = p[0].shape() == jacobian.shape();
        if is_of_one {
            jacobian.copy(&p[0])?;
        }
        Ok(is_of_one)
    }

    fn matrix<'a>(&self, p: &'a [Array<T>]) -> Option<&'a Array<T>> {
        p.first()
    }

    fn check(&self, u0: &Array<T>, p: &[Array<T>]) -> Result<(), ArrayError> {
        let [a] = p else {
            let expected = "one matrix";
            return Err(ArrayError::Parameters { system: "Linear", expected, given: p.len() });
        };
        let (matrix, given) = (a.shape(), u0.shape());
        if matrix.rows != matrix.columns {
            return Err(ArrayError::NotSquare { operation: "u' = A u", given: matrix });
        }
        // One matrix may multiply a batch.
        let fits_batch = matrix.batch == 1 || matrix.batch == given.batch;
        if given.rows != matrix.rows || !fits_batch {
            return Err(ArrayError::LinearState { given, matrix });
        }
        Ok(())
    }
}
