//! The interface of a method to the loop.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::shape::Shape;
use crate::system::ArraySystem;
use ode_core::step::code;
use ode_core::step::timeline::At;

/// The system of a problem, with its parameters in the backend's memory.
pub(crate) struct Work<'a, T: Number> {
    pub(crate) system: &'a dyn ArraySystem<T>,
    pub(crate) p: Vec<Array<T>>,
    /// The number of evaluations of the right-hand side.
    pub(crate) evaluations: u64,
}

impl<T: Number> Work<'_, T> {
    /// Evaluates the right-hand side.
    pub(crate) fn rhs(&mut self, u: &Array<T>, t: T, du: &mut Array<T>) -> Result<(), ArrayError> {
        self.evaluations += 1;
        self.system.rhs(u, &self.p, t, du)?;
        check_written("a right-hand side", du, u.shape())
    }

    /// Returns whether the system has written its Jacobian into `jacobian`.
    pub(crate) fn jacobian(
        &self,
        u: &Array<T>,
        t: T,
        jacobian: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let is_given = self.system.jacobian(u, &self.p, t, jacobian)?;
        check_written("a Jacobian", jacobian, Shape::matrix(u.len(), u.len()))?;
        Ok(is_given)
    }

    /// Returns whether the system has written its time derivative into `by_time`.
    pub(crate) fn time_gradient(
        &self,
        u: &Array<T>,
        t: T,
        by_time: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let is_given = self.system.time_gradient(u, &self.p, t, by_time)?;
        check_written("a time derivative", by_time, u.shape())?;
        Ok(is_given)
    }
}

/// Checks the shape of an array after a function of the system.
fn check_written<T: Number>(
    operation: &'static str,
    written: &Array<T>,
    expected: Shape,
) -> Result<(), ArrayError> {
    let given = written.shape();
    if given == expected { Ok(()) } else { Err(ArrayError::Shape { operation, given, expected }) }
}

/// The absolute tolerances, one or one for each number, and the relative tolerance.
pub(crate) type Tolerances<'a, T> = (&'a Array<T>, T);

/// The times and the size of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span<T: Number> {
    pub(crate) at: At<T>,
    pub(crate) h: T,
}

/// A method with its stages of a step.
pub(crate) trait Scheme<T: Number>: Send {
    /// Begins with the state `u` at `t`.
    fn begin(&mut self, work: &mut Work<'_, T>, u: &Array<T>, t: T) -> Result<(), ArrayError>;

    /// Returns the derivative at the beginning of the step.
    fn derivative(&self) -> &Array<T>;

    /// Makes a step from `u` to `new`.
    ///
    /// Returns whether the step is beyond the pole of a growing mode; see
    /// [`guard`](ode_core::step::guard).
    fn step(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
        new: &mut Array<T>,
    ) -> Result<bool, ArrayError>;

    /// Returns why the last step has no new state, as a [`code`](ode_core::step::code).
    fn code(&self) -> u64 {
        code::SUCCESS
    }

    /// Returns whether a step would be beyond the pole of a growing mode.
    fn looks(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<bool, ArrayError> {
        let _ = (work, step, u);
        Ok(false)
    }

    /// Returns whether a step of `1/SOON` times the size would be beyond the pole of a growing
    /// mode.
    ///
    /// The step begins at `u`, or at the state at the end of the step.
    fn passes_soon(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        (u, new): (&Array<T>, Option<&Array<T>>),
    ) -> Result<bool, ArrayError> {
        let _ = (work, step, u, new);
        Ok(false)
    }

    /// Returns the number of factorisations so far.
    fn factorisations(&self) -> u64 {
        0
    }

    /// Returns the mean square of the step's errors, in units of the tolerance.
    fn mean_square(
        &mut self,
        h: T,
        u: &Array<T>,
        new: &Array<T>,
        tolerances: Tolerances<'_, T>,
    ) -> Result<T, ArrayError>;

    /// Computes the stages that only [`interpolate`](Self::interpolate) needs.
    fn complete(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<(), ArrayError>;

    /// Writes the state at the fraction `theta` of the step into `out`.
    fn interpolate(
        &self,
        h: T,
        theta: T,
        u: &Array<T>,
        out: &mut Array<T>,
    ) -> Result<(), ArrayError>;

    /// Accepts the step: the next one begins at its end.
    fn accept(&mut self);
}
