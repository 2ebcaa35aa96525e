//! Views of the observables of a solution.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::ObservableError;
use crate::lane::Scalar;
use crate::system::System;
use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis, s};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the saved observables, `[trajectory, save, observable]`.
    ///
    /// Values at times that a trajectory did not reach are NaN. The last axis has length 0 if the
    /// system has no observables, or if they were not saved. This is a view: nothing is copied.
    #[must_use]
    pub fn observables(&self) -> ArrayView3<'_, T> {
        self.saved(self.inputs.options.saved.of_observables())
    }

    /// Returns the saved values of the observable `name`, `[trajectory, save]`.
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, ObservableError, system::System};
    /// # fn of<S: System<3, 1>>(
    /// #     solution: &EnsembleSolution<S, f64, 3, 1>,
    /// # ) -> Result<(), ObservableError> {
    /// let [trajectory, save] = [7, 0];
    /// println!("{}", solution.observable("energy")?[[trajectory, save]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ObservableError`] if the system has no observable of this name, or if it was not saved.
    pub fn observable(&self, name: &str) -> Result<ArrayView2<'_, T>, ObservableError> {
        let known = self.system.info().observables;
        let Some(q) = known.iter().position(|&observable| observable == name) else {
            let name = name.to_owned();
            let system = self.system.info().name;
            return Err(ObservableError::Unknown { system, name, known });
        };
        if self.inputs.options.saved.observables == 0 {
            return Err(ObservableError::NotSaved { name: known[q] });
        }
        Ok(self.observables().index_axis_move(Axis(2), q))
    }
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// Returns the observables at all saved times, including times that were not reached.
    pub(super) fn all_observables(&self) -> ArrayView2<'a, T> {
        self.solution.observables().index_axis_move(Axis(0), self.i)
    }

    /// Returns the saved observables, `[save, observable]`; see [`EnsembleSolution::observables`].
    #[must_use]
    pub fn observables(&self) -> ArrayView2<'a, T> {
        self.all_observables().slice_move(s![..self.len(), ..])
    }

    /// Returns the saved values of the observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::observable`].
    pub fn observable(&self, name: &str) -> Result<ArrayView1<'a, T>, ObservableError> {
        let all = self.solution.observable(name)?.index_axis_move(Axis(0), self.i);
        Ok(all.slice_move(s![..self.len()]))
    }

    /// Returns the observables of the final state, in the arithmetic of the solve.
    ///
    /// The observables need not have been saved. Their time is [`end_time`](Self::end_time). If
    /// actions of the system change modes, they are NaN, because results do not contain the final
    /// modes: save observables instead.
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        let mut values = vec![<T as num_traits::Float>::nan(); S::OBSERVABLES];
        let (u, p) = (self.solution.final_numbers(self.i), self.parameters());
        let t = self.end_time();
        if S::MODES > 0 {
            return values;
        }
        self.solution.system.observe::<T>(&u, &p, t, |q, value| values[q] = value);
        values
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns the saved observables, `[save, observable]`; see [`EnsembleSolution::observables`].
    #[must_use]
    pub fn observables(&self) -> ArrayView2<'_, T> {
        self.trajectory().observables()
    }

    /// Returns the saved values of the observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::observable`].
    pub fn observable(&self, name: &str) -> Result<ArrayView1<'_, T>, ObservableError> {
        self.trajectory().observable(name)
    }

    /// Returns the observables of the final state; see [`Trajectory::final_observables`].
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        self.trajectory().final_observables()
    }
}
