//! Solutions of single problems.

use super::{EnsembleSolution, ReturnCode, Trajectory};
use crate::lane::Scalar;
use crate::step::properties::Properties;
use crate::system::System;

/// The solution of one problem, with the most common functions of a [`Trajectory`].
///
/// [`OdeProblem::solve`](crate::OdeProblem::solve) returns this type.
///
/// ```
/// # use ode_core::{OdeProblem, SolveError, SolveOptions, methods::Tsit5, system::System};
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) -> Result<(), SolveError> {
/// let solution = problem.solve(Tsit5, &SolveOptions::default().saveat(0.5))?;
/// for (t, u) in solution.times().zip(solution.states()) {
///     println!("{t}: {u:?}");
/// }
/// if let Some(u) = solution.at(1.3) {
///     println!("interpolated between saved states: {u:?}");
/// }
/// println!("{:?} with {}", solution.final_state(), solution.code());
/// # Ok(())
/// # }
/// ```
///
/// [`trajectory`](Self::trajectory) has all functions of a trajectory, and
/// [`as_ensemble`](Self::as_ensemble) the functions of an ensemble's solution.
#[derive(Clone, Debug)]
pub struct OdeSolution<S, T, const N: usize, const P: usize>(
    pub(super) EnsembleSolution<S, T, N, P>,
);

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Wraps the solution of an ensemble of one trajectory.
    pub(crate) fn new(solution: EnsembleSolution<S, T, N, P>) -> Self {
        OdeSolution(solution)
    }

    /// Returns the solution as a trajectory, with further functions.
    #[must_use]
    pub fn trajectory(&self) -> Trajectory<'_, S, T, N, P> {
        self.0.trajectory(0)
    }

    /// Returns the solution as the solution of an ensemble of one trajectory.
    ///
    /// This view also has the backend and the timings of the solve.
    #[must_use]
    pub fn as_ensemble(&self) -> &EnsembleSolution<S, T, N, P> {
        &self.0
    }

    /// Returns the method that solved; see [`EnsembleSolution::method`].
    #[must_use]
    pub fn method(&self) -> &Properties {
        self.0.method()
    }

    /// Returns the return code.
    pub fn code(&self) -> ReturnCode {
        self.0.code(0)
    }

    /// Returns the final state: `[T; N]`, or the `State` of a module.
    ///
    /// With a module: `solution.final_state().x`.
    #[must_use]
    pub fn final_state(&self) -> S::State<T> {
        self.0.final_state(0)
    }

    /// Returns the time of the final state; see [`Trajectory::end_time`].
    #[must_use]
    pub fn end_time(&self) -> T {
        self.0.end_time(0)
    }

    /// Returns the number of saved times; see [`Trajectory::len`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.trajectory().len()
    }

    /// Returns whether no time was saved; see [`Trajectory::is_empty`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trajectory().is_empty()
    }

    /// Returns the saved times.
    pub fn times(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.trajectory().times()
    }

    /// Returns the saved states.
    ///
    /// Each has the type of [`final_state`](Self::final_state).
    ///
    /// # Panics
    /// If not all states were saved; see [`Trajectory::states`].
    #[track_caller]
    pub fn states(&self) -> impl ExactSizeIterator<Item = S::State<T>> + '_ {
        self.trajectory().states()
    }

    /// Returns the state at time `t`, interpolated between saved states; see [`Trajectory::at`].
    ///
    /// # Panics
    /// If not all states were saved; see [`Trajectory::states`].
    #[must_use]
    #[track_caller]
    pub fn at(&self, t: T) -> Option<S::State<T>> {
        self.trajectory().at(t)
    }
}
