//! Systems whose state is an array.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;

/// A right-hand side over arrays: `u' = f(u, p, t)`.
///
/// A closure is also a system. The right-hand side is written in operations of [`Array`], so that
/// the same system is solved on the host and on a device. The arrays `p` are the parameters of the
/// problem, in the memory of the backend.
///
/// ```
/// use ode_arrays::{Array, ArrayCpu, ArrayError, ArrayProblem};
/// use ode_core::{SolveOptions, methods::Tsit5};
///
/// # fn main() -> Result<(), ArrayError> {
/// // A rotation and a decay.
/// let a = Array::matrix(2, 2, |row, column| if row == column { -0.1 } else { row as f64 - column as f64 });
/// let system = |u: &Array<f64>, p: &[Array<f64>], _t: f64, du: &mut Array<f64>| du.product(1.0, &p[0], u);
/// let problem = ArrayProblem::new(system, Array::vector([1.0, 0.0]), 0.0..=10.0, [a]);
/// let options = SolveOptions::default().tolerance(1e-8);
/// let solution = problem.solve(Tsit5, &ArrayCpu::new(), &options)?;
/// let [x, y] = [solution.final_state()[0], solution.final_state()[1]];
/// assert!((x.hypot(y) - (-1.0f64).exp()).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub trait ArraySystem<T: Number>: Sync {
    /// Writes `f(u, p, t)` into `du`.
    ///
    /// `du` has the shape of `u` and arbitrary numbers. If the system is a closure, `du` contains
    /// zeros, so that the closure may add to them.
    ///
    /// # Errors
    /// The errors of the operations, which end the solve. If `du` has another shape afterwards, the
    /// solve fails with [`ArrayError::Shape`].
    fn rhs(&self, u: &Array<T>, p: &[Array<T>], t: T, du: &mut Array<T>) -> Result<(), ArrayError>;

    /// Returns whether the right-hand side is independent of the time.
    ///
    /// Rosenbrock methods then need no time derivative.
    fn is_autonomous(&self) -> bool {
        false
    }

    /// Writes the Jacobian for Rosenbrock methods into `jacobian`, and returns `true`.
    ///
    /// `jacobian` is a square matrix of order `u.len()` with arbitrary numbers. The function must
    /// overwrite all of them, including zeros. Column `j` contains the derivatives with respect to
    /// number `j` of `u`.
    ///
    /// The default implementation returns `false`. The Jacobian is then computed by finite
    /// differences, with `u.len()` evaluations. Finite differences have half of the digits, so
    /// steps are shorter at tight tolerances.
    ///
    /// # Errors
    /// The errors of the operations, which end the solve. If `jacobian` has another shape
    /// afterwards, the solve fails with [`ArrayError::Shape`].
    fn jacobian(
        &self,
        u: &Array<T>,
        p: &[Array<T>],
        t: T,
        jacobian: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let _ = (u, p, t, jacobian);
        Ok(false)
    }

    /// Writes the time derivative for Rosenbrock methods into `by_time`, and returns `true`.
    ///
    /// `by_time` has the shape of `u` and arbitrary numbers. The function must overwrite all of
    /// them, including zeros. The default implementation returns `false`, and a finite difference
    /// is used.
    ///
    /// # Errors
    /// The errors of the operations, which end the solve. If `by_time` has another shape
    /// afterwards, the solve fails with [`ArrayError::Shape`].
    fn time_gradient(
        &self,
        u: &Array<T>,
        p: &[Array<T>],
        t: T,
        by_time: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let _ = (u, p, t, by_time);
        Ok(false)
    }

    /// Returns the matrix `A` among the parameters, if the system is `u' = A u` with a vector as
    /// its state.
    ///
    /// A backend may then solve the system without evaluations: a GPU uses one kernel.
    fn matrix<'a>(&self, p: &'a [Array<T>]) -> Option<&'a Array<T>> {
        let _ = p;
        None
    }

    /// Checks the initial state and the parameters, before a solve begins.
    ///
    /// # Errors
    /// An error if the initial state or the parameters are invalid.
    fn check(&self, u0: &Array<T>, p: &[Array<T>]) -> Result<(), ArrayError> {
        let _ = (u0, p);
        Ok(())
    }
}

impl<T: Number, F> ArraySystem<T> for F
where
    F: Fn(&Array<T>, &[Array<T>], T, &mut Array<T>) -> Result<(), ArrayError> + Sync,
{
    fn rhs(&self, u: &Array<T>, p: &[Array<T>], t: T, du: &mut Array<T>) -> Result<(), ArrayError> {
        du.fill(T::lit(0.0))?;
        self(u, p, t, du)
    }
}
