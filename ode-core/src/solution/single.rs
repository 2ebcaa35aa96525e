//! The solution of one problem.

use super::{EnsembleSolution, ReturnCode, Trajectory};
use crate::lane::Scalar;
use crate::step::properties::Properties;
use crate::system::System;

/// The solution of one problem. It has the most common functions of a [`Trajectory`].
/// [`trajectory`](Self::trajectory) gives access to the others, and
/// [`as_ensemble`](Self::as_ensemble) to the functions of an ensemble's solution.
#[derive(Clone, Debug)]
pub struct OdeSolution<S, T, const N: usize, const P: usize>(
    pub(super) EnsembleSolution<S, T, N, P>,
);

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// The solution of an ensemble of one trajectory.
    pub(crate) fn new(solution: EnsembleSolution<S, T, N, P>) -> Self {
        OdeSolution(solution)
    }

    /// The solution as a trajectory, with further functions.
    #[must_use]
    pub fn trajectory(&self) -> Trajectory<'_, S, T, N, P> {
        self.0.trajectory(0)
    }

    /// The solution as that of an ensemble of one trajectory. It also has the backend and the
    /// timings of the solve.
    #[must_use]
    pub fn as_ensemble(&self) -> &EnsembleSolution<S, T, N, P> {
        &self.0
    }

    /// The method that solved; see [`EnsembleSolution::method`].
    #[must_use]
    pub fn method(&self) -> &Properties {
        self.0.method()
    }

    /// Whether a method that switches found it stiff anywhere; see
    /// [`EnsembleSolution::used_stiff_method`].
    #[must_use]
    pub fn used_stiff_method(&self) -> bool {
        self.0.used_stiff_method(0)
    }

    /// How the trajectory ended.
    pub fn code(&self) -> ReturnCode {
        self.0.code(0)
    }

    /// The final state: `[T; N]`, or the `State` of a system that is a module, as in
    /// `solution.final_state().x`.
    #[must_use]
    pub fn final_state(&self) -> S::State<T> {
        self.0.final_state(0)
    }

    /// The time of the final state; see [`Trajectory::end_time`].
    #[must_use]
    pub fn end_time(&self) -> T {
        self.0.end_time(0)
    }

    /// The number of saved times; see [`Trajectory::len`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.trajectory().len()
    }

    /// Whether nothing was saved; see [`Trajectory::is_empty`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trajectory().is_empty()
    }

    /// The saved times.
    pub fn times(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.trajectory().times()
    }

    /// The saved states; empty if only observables were saved. Each is what
    /// [`final_state`](Self::final_state) is.
    pub fn states(&self) -> impl ExactSizeIterator<Item = S::State<T>> + '_ {
        self.trajectory().states()
    }

    /// The state at time `t`, interpolated between saved states; see [`Trajectory::at`].
    #[must_use]
    pub fn at(&self, t: T) -> Option<S::State<T>> {
        self.trajectory().at(t)
    }

    /// The number of accepted steps.
    #[must_use]
    pub fn accepted(&self) -> u32 {
        self.0.accepted(0)
    }

    /// The number of rejected steps.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.0.rejected(0)
    }

    /// The number of steps that would have passed over growth; see [`EnsembleSolution::guarded`].
    #[must_use]
    pub fn guarded(&self) -> u32 {
        self.0.guarded(0)
    }

    /// Whether the solution may have stayed on an unstable state; see
    /// [`EnsembleSolution::held_unstable`].
    #[must_use]
    pub fn held_unstable(&self) -> bool {
        self.0.held_unstable(0)
    }
}
