//! Views of the observables of a solution, and of components by name.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::ObservableError;
use crate::lane::Scalar;
use crate::system::System;
use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis, s};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the saved observables, `[trajectory, save, observable]`.
    ///
    /// Values at times that a trajectory did not reach are NaN. The last axis has length 0 if the
    /// system has no observables, or if they were not saved. Its order is the order of
    /// [`save_only`](crate::SolveOptions::save_only), or of the system. This is a view: nothing is
    /// copied.
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
        let [_, saved] = self.inputs.options.saved_indices();
        let Some(q) = saved.iter().position(|&saved| saved == q) else {
            return Err(ObservableError::NotSaved { name: known[q] });
        };
        Ok(self.observables().index_axis_move(Axis(2), q))
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the saved values of the state or observable `name`, `[trajectory, save]`.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveOptions, Unvaried};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1>>(
    /// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let options = SolveOptions::default().saveat(0.5).save_only(["prey"]);
    /// let solution = ensemble.solve(Tsit5, EnsembleThreads, &options)?;
    /// let [trajectory, save] = [7, 0];
    /// println!("{}", solution.component("prey")?[[trajectory, save]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Values at times that a trajectory did not reach are NaN. This is a view: nothing is copied.
    ///
    /// # Errors
    /// [`ObservableError`] if the system has no state or observable of this name, or if it was not
    /// saved.
    pub fn component(&self, name: &str) -> Result<ArrayView2<'_, T>, ObservableError> {
        let info = self.system.info();
        if info.observables.contains(&name) {
            return self.observable(name);
        }
        let Some(d) = info.states.iter().position(|&state| state == name) else {
            let known = [info.states, info.observables].concat();
            let (system, name) = (info.name, name.to_owned());
            return Err(ObservableError::UnknownComponent { system, name, known });
        };
        let [saved, _] = self.inputs.options.saved_indices();
        match saved.iter().position(|&saved| saved == d) {
            Some(k) => Ok(self.all_states().index_axis_move(Axis(2), k)),
            None => Err(ObservableError::NotSaved { name: info.states[d] }),
        }
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

    /// Returns the saved values of the state or observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::component`].
    pub fn component(&self, name: &str) -> Result<ArrayView1<'a, T>, ObservableError> {
        let all = self.solution.component(name)?.index_axis_move(Axis(0), self.i);
        Ok(all.slice_move(s![..self.len()]))
    }

    /// Returns the observables of the final state, in the arithmetic of the solve.
    ///
    /// The observables need not have been saved. Their time is [`end_time`](Self::end_time), and
    /// their modes are the [final modes](Self::final_p).
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        let mut values = vec![<T as num_traits::Float>::nan(); S::OBSERVABLES];
        let (u, p) = (self.solution.final_numbers(self.i), self.final_parameters());
        let t = self.end_time();
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

    /// Returns the saved values of the state or observable `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::component`].
    pub fn component(&self, name: &str) -> Result<ArrayView1<'_, T>, ObservableError> {
        self.trajectory().component(name)
    }

    /// Returns the observables of the final state; see [`Trajectory::final_observables`].
    #[must_use]
    pub fn final_observables(&self) -> Vec<T> {
        self.trajectory().final_observables()
    }
}
