//! The observables of a solution.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::ObservableError;
use crate::lane::Scalar;
use crate::system::System;
use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis, s};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// The saved observables, `[trajectory, save, observable]`; what a trajectory did not reach is
    /// NaN. Without observables where the system has none or they were not saved. A view: nothing is
    /// copied.
    #[must_use]
    pub fn observables(&self) -> ArrayView3<'_, T> {
        self.saved(self.inputs.saved.of_observables())
    }

    /// The saved values of the observable `name`, `[trajectory, save]`.
    ///
    /// # Errors
    /// If there is no observable of this name, or it was not saved.
    pub fn observable(&self, name: &str) -> Result<ArrayView2<'_, T>, ObservableError> {
        let known = S::OBSERVABLES;
        let Some(q) = known.iter().position(|&observable| observable == name) else {
            let name = name.to_owned();
            return Err(ObservableError::Unknown { system: S::NAME, name, known });
        };
        if self.inputs.saved.observables == 0 {
            return Err(ObservableError::NotSaved { name: known[q] });
        }
        Ok(self.observables().index_axis_move(Axis(2), q))
    }
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// The observables at all saved times, reached or not.
    pub(super) fn all_observables(&self) -> ArrayView2<'a, T> {
        self.solution.observables().index_axis_move(Axis(0), self.i)
    }

    /// The saved observables, `[save, observable]`; see [`EnsembleSolution::observables`].
    #[must_use]
    pub fn observables(&self) -> ArrayView2<'a, T> {
        self.all_observables().slice_move(s![..self.len(), ..])
    }

    /// The saved values of the observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::observable`].
    pub fn observable(&self, name: &str) -> Result<ArrayView1<'a, T>, ObservableError> {
        let all = self.solution.observable(name)?.index_axis_move(Axis(0), self.i);
        Ok(all.slice_move(s![..self.len()]))
    }

    /// The observables of the final state, in the arithmetic of the solve, saved or not: at the end of the
    /// time span, or where the trajectory [was given up](Self::end_time).
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        let mut values = vec![<T as num_traits::Float>::nan(); S::OBSERVABLES.len()];
        let (u, p, t) = (self.final_state(), self.p(), self.end_time());
        S::observe::<T>(&u, &p, t, |q, value| values[q] = value);
        values
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// The saved observables, `[save, observable]`; see [`EnsembleSolution::observables`].
    #[must_use]
    pub fn observables(&self) -> ArrayView2<'_, T> {
        self.trajectory().observables()
    }

    /// The saved values of the observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::observable`].
    pub fn observable(&self, name: &str) -> Result<ArrayView1<'_, T>, ObservableError> {
        self.trajectory().observable(name)
    }

    /// The observables of the final state; see [`Trajectory::final_observables`].
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        self.trajectory().final_observables()
    }
}
