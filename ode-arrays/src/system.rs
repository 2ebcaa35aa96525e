//! Systems whose state is an array.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;

/// A right-hand side over whole arrays: `u' = f(u, p, t)`.
///
/// A closure is one, too. It is written in operations of [`Array`], so that the same system is solved
/// on the host and on a device. There `p` are the arrays of the problem, in the place where it is
/// solved.
///
/// ```
/// use ode_arrays::{Array, ArrayCpu, ArrayError, ArrayProblem};
/// use ode_core::{SolveOptions, methods::Tsit5};
///
/// # fn main() -> Result<(), ArrayError> {
/// // A rotation and a decay.
/// let a = Array::matrix(2, 2, |row, column| if row == column { -0.1 } else { row as f64 - column as f64 });
/// let system = |_t: f64, u: &Array<f64>, p: &[Array<f64>], du: &mut Array<f64>| du.product(1.0, &p[0], u);
/// let problem = ArrayProblem::new(system, Array::vector([1.0, 0.0]), 0.0..=10.0, [a]);
/// let options = SolveOptions::default().tolerance(1e-8);
/// let solution = problem.solve(Tsit5, &ArrayCpu::default(), &options)?;
/// let [x, y] = [solution.final_state()[0], solution.final_state()[1]];
/// assert!((x.hypot(y) - (-1.0f64).exp()).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub trait ArraySystem<T: Number>: Sync {
    /// Writes `f(u, p, t)` into `du`, which has the shape of `u` and arbitrary numbers; zeros where the
    /// system is a closure, so that it may add to them.
    ///
    /// # Errors
    /// Those of the operations. The solve ends with them. A `du` of another shape is
    /// [`ArrayError::Shape`].
    fn rhs(&self, t: T, u: &Array<T>, p: &[Array<T>], du: &mut Array<T>) -> Result<(), ArrayError>;

    /// Whether the right-hand side does not depend on the time. Rosenbrock methods then need no
    /// derivative by it.
    fn is_autonomous(&self) -> bool {
        false
    }

    /// Writes the Jacobian for Rosenbrock methods into `jacobian`, a matrix of as many rows and
    /// columns as `u` has numbers, and returns `true`. Column `j` has the derivatives by number `j` of
    /// `u`.
    ///
    /// By default it returns `false`: then the Jacobian is made of quotients of differences, by as many
    /// evaluations as `u` has numbers. These have half of the digits, so that steps are shorter at
    /// tight tolerances.
    ///
    /// # Errors
    /// Those of the operations. The solve ends with them.
    fn jacobian(
        &self,
        t: T,
        u: &Array<T>,
        p: &[Array<T>],
        jacobian: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let _ = (t, u, p, jacobian);
        Ok(false)
    }

    /// Writes the derivative by the time for Rosenbrock methods into `by_time`, which has the shape of
    /// `u`, and returns `true`. By default it returns `false`, and a difference is taken.
    ///
    /// # Errors
    /// Those of the operations. The solve ends with them.
    fn time_gradient(
        &self,
        t: T,
        u: &Array<T>,
        p: &[Array<T>],
        by_time: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let _ = (t, u, p, by_time);
        Ok(false)
    }

    /// The matrix `A` among the parameters, of a system that is `u' = A u` with a vector as its state. A
    /// place may then solve it in another way than by evaluations: a GPU by one kernel.
    fn matrix<'a>(&self, p: &'a [Array<T>]) -> Option<&'a Array<T>> {
        let _ = p;
        None
    }

    /// Checks the initial state and the parameters, before a solve begins.
    ///
    /// # Errors
    /// What is wrong with them, where the system says so.
    fn check(&self, u0: &Array<T>, p: &[Array<T>]) -> Result<(), ArrayError> {
        let _ = (u0, p);
        Ok(())
    }
}

impl<T: Number, F> ArraySystem<T> for F
where
    F: Fn(T, &Array<T>, &[Array<T>], &mut Array<T>) -> Result<(), ArrayError> + Sync,
{
    fn rhs(&self, t: T, u: &Array<T>, p: &[Array<T>], du: &mut Array<T>) -> Result<(), ArrayError> {
        du.fill(T::lit(0.0))?;
        self(t, u, p, du)
    }
}
