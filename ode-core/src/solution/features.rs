//! Features of trajectories.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::FeatureError;
use crate::lane::Scalar;
use crate::system::System;
use ndarray::{ArrayView1, ArrayView2, Axis};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the features, `[trajectory, feature]`.
    ///
    /// Features are in the order of [`SystemInfo::features`](crate::system::SystemInfo::features),
    /// and in the units of their functions, of time, or of both (integrals). If a trajectory was
    /// given up, its features are those up to its end. The last axis has length 0 if the system has
    /// no features. This is a view: nothing is copied.
    #[must_use]
    pub fn features(&self) -> ArrayView2<'_, T> {
        let (n, features) = (self.len(), self.inputs.options.features);
        let all = ArrayView2::from_shape((features, n), &self.raw.features[..]);
        // The lengths of a backend's results were checked.
        let all = all.unwrap_or_else(|_| unreachable!("{features} features of {n} trajectories"));
        all.reversed_axes()
    }

    /// Returns the feature `name` of each trajectory.
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, FeatureError, system::System};
    /// # fn of<S: System<2, 1>>(
    /// #     solution: &EnsembleSolution<S, f64, 2, 1>,
    /// # ) -> Result<(), FeatureError> {
    /// let peaks = solution.feature("concentration.maximum")?;
    /// println!("{}", peaks[7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`FeatureError`] if the system has no feature of this name.
    pub fn feature(&self, name: &str) -> Result<ArrayView1<'_, T>, FeatureError> {
        let known = self.system.info().features;
        let Some(feature) = known.iter().position(|&feature| feature == name) else {
            let (system, name) = (self.system.info().name, name.to_owned());
            return Err(FeatureError { system, name, known });
        };
        Ok(self.features().index_axis_move(Axis(1), feature))
    }
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// Returns all features; see [`EnsembleSolution::features`].
    #[must_use]
    pub fn features(&self) -> ArrayView1<'a, T> {
        self.solution.features().index_axis_move(Axis(0), self.i)
    }

    /// Returns the feature `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::feature`].
    pub fn feature(&self, name: &str) -> Result<T, FeatureError> {
        Ok(self.solution.feature(name)?[self.i])
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns all features; see [`EnsembleSolution::features`].
    #[must_use]
    pub fn features(&self) -> ArrayView1<'_, T> {
        self.trajectory().features()
    }

    /// Returns the feature `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::feature`].
    pub fn feature(&self, name: &str) -> Result<T, FeatureError> {
        self.trajectory().feature(name)
    }
}
