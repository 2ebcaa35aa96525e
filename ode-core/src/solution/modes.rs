//! Final modes of trajectories.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::lane::Scalar;
use crate::system::quantities::quantities;
use crate::system::{System, WithModes};
use ndarray::ArrayView2;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the final modes, `[trajectory, mode]`.
    ///
    /// Modes are in the order of [`SystemInfo::modes`](crate::system::SystemInfo::modes). If a
    /// trajectory was given up, its modes are those at its end. The last axis has length 0 if the
    /// system has no modes, or if no action changes them. This is a view: nothing is copied.
    #[must_use]
    pub fn all_final_modes(&self) -> ArrayView2<'_, T> {
        let (n, modes) = (self.len(), self.inputs.options.modes);
        let all = ArrayView2::from_shape((modes, n), &self.raw.modes[..]);
        // The lengths of a backend's results were checked.
        let all = all.unwrap_or_else(|_| unreachable!("{modes} modes of {n} trajectories"));
        all.reversed_axes()
    }

    /// Returns the parameters of trajectory `i` with the final modes; see [`Trajectory::final_p`].
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn final_p(&self, i: usize) -> S::Parameters<T> {
        self.trajectory(i).final_p()
    }
}

impl<S: WithModes<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the final modes of trajectory `i`; see [`Trajectory::final_modes`].
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, system::WithModes};
    /// # fn of<S: WithModes<1, 3>>(solution: &EnsembleSolution<S, f64, 1, 3>) {
    /// println!("{:?}", solution.final_modes(7));
    /// # }
    /// ```
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn final_modes(&self, i: usize) -> S::Modes {
        self.trajectory(i).final_modes()
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'_, S, T, N, P> {
    /// Returns the parameters with the modes at [`end_time`](Self::end_time).
    ///
    /// A problem with these parameters and the [final state](Self::final_state) continues the
    /// trajectory. Without modes these are the parameters of the problem, [`p`](Self::p).
    #[must_use]
    pub fn final_p(&self) -> S::Parameters<T> {
        quantities(self.final_parameters())
    }

    /// Returns the numbers of [`final_p`](Self::final_p).
    pub(super) fn final_parameters(&self) -> [T; P] {
        let mut p = self.parameters();
        for (d, &mode) in self.solution.all_final_modes().row(self.i).iter().enumerate() {
            p[S::FIRST_MODE + d] = mode;
        }
        p
    }
}

impl<S: WithModes<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'_, S, T, N, P> {
    /// Returns the modes at [`end_time`](Self::end_time): the `Modes` of the module.
    ///
    /// They are the values after the last action. If the code is
    /// [`Cancelled`](crate::ReturnCode::Cancelled), they are NaN.
    #[must_use]
    pub fn final_modes(&self) -> S::Modes {
        S::modes(self.final_p())
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns the parameters with the final modes; see [`Trajectory::final_p`].
    #[must_use]
    pub fn final_p(&self) -> S::Parameters<T> {
        self.trajectory().final_p()
    }
}

impl<S: WithModes<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns the final modes; see [`Trajectory::final_modes`].
    #[must_use]
    pub fn final_modes(&self) -> S::Modes {
        self.trajectory().final_modes()
    }
}
