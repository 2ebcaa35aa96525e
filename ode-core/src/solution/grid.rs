//! Views of a solution with one array axis for each axis of the ensemble's grid.

use super::EnsembleSolution;
use crate::lane::Scalar;
use crate::system::System;
use core::ops::Range;
use ndarray::{ArrayViewD, IxDyn, ShapeBuilder};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the final states, `[axis of the grid, …, component]`.
    ///
    /// The view has the axes of [`shape`](Self::shape), followed by the components. Nothing is
    /// copied.
    #[must_use]
    pub fn final_states_on_grid(&self) -> ArrayViewD<'_, T> {
        self.on_grid(&self.raw.finals, &[(N, self.len())])
    }

    /// Returns the saved states, `[axis of the grid, …, save, component]`.
    ///
    /// See [`all_states`](Self::all_states).
    #[must_use]
    pub fn states_on_grid(&self) -> ArrayViewD<'_, T> {
        self.saved_on_grid(0..self.inputs.options.saved.states)
    }

    /// Returns the saved observables, `[axis of the grid, …, save, observable]`.
    ///
    /// See [`observables`](Self::observables).
    #[must_use]
    pub fn observables_on_grid(&self) -> ArrayViewD<'_, T> {
        self.saved_on_grid(self.inputs.options.saved.of_observables())
    }

    /// Returns the index of a trajectory on the grid.
    ///
    /// `place` has the index along each axis, such as `[i, j]` on a grid with two axes. `None` if
    /// the number of indices is wrong, or an index is out of range.
    #[must_use]
    pub fn index_on_grid(&self, place: &[usize]) -> Option<usize> {
        let shape = self.shape();
        let inside = place.len() == shape.len() && place.iter().zip(shape).all(|(i, n)| i < n);
        inside.then(|| place.iter().zip(shape).fold(0, |index, (i, n)| index * n + i))
    }

    fn saved_on_grid(&self, numbers: Range<usize>) -> ArrayViewD<'_, T> {
        let (n, slots) = (self.len(), self.slots());
        let from = if slots * numbers.len() == 0 { 0 } else { numbers.start * n };
        let rest = [(slots, self.inputs.options.saved.width() * n), (numbers.len(), n)];
        self.on_grid(&self.raw.saved[from..], &rest)
    }

    /// Returns a view of numbers whose fastest index is the trajectory.
    ///
    /// Further axes follow, with the lengths and strides in `rest`.
    fn on_grid<'a>(&self, numbers: &'a [T], rest: &[(usize, usize)]) -> ArrayViewD<'a, T> {
        let mut axes = Vec::new();
        let mut stride = 1;
        for &length in self.shape().iter().rev() {
            axes.insert(0, (length, stride));
            stride *= length;
        }
        axes.extend(rest);
        let (shape, mut strides): (Vec<usize>, Vec<usize>) = axes.into_iter().unzip();
        // `ndarray` also checks the strides of an empty axis.
        if shape.contains(&0) {
            strides.fill(0);
        }
        match ArrayViewD::from_shape(IxDyn(&shape).strides(IxDyn(&strides)), numbers) {
            Ok(view) => view,
            Err(error) => unreachable!("`new` checks the sizes: {error}"),
        }
    }
}
