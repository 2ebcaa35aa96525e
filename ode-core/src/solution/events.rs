//! Counts of events.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::EventError;
use crate::lane::Scalar;
use crate::system::System;
use ndarray::{ArrayView1, ArrayView2, Axis};

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the count of each event, `[trajectory, event]`.
    ///
    /// Events are in the order of [`SystemInfo::events`](crate::system::SystemInfo::events). If a
    /// trajectory was given up, its counts are the counts up to its end. This is a view: nothing is
    /// copied.
    #[must_use]
    pub fn event_counts(&self) -> ArrayView2<'_, u32> {
        let (n, events) = (self.len(), self.inputs.options.events);
        let counts = ArrayView2::from_shape((events, n), &self.raw.events[..]);
        // The lengths of a backend's results were checked.
        let counts = counts.unwrap_or_else(|_| unreachable!("{events} events of {n} trajectories"));
        counts.reversed_axes()
    }

    /// Returns the count of the event `name` in each trajectory.
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, EventError, system::System};
    /// # fn of<S: System<2, 1>>(
    /// #     solution: &EnsembleSolution<S, f64, 2, 1>,
    /// # ) -> Result<(), EventError> {
    /// let bounces: u32 = solution.event_count("ground")?.sum();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`EventError`] if the system has no event of this name.
    pub fn event_count(&self, name: &str) -> Result<ArrayView1<'_, u32>, EventError> {
        let known = self.system.info().events;
        let Some(event) = known.iter().position(|&event| event == name) else {
            let name = name.to_owned();
            return Err(EventError::Unknown { system: self.system.info().name, name, known });
        };
        Ok(self.event_counts().index_axis_move(Axis(1), event))
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'_, S, T, N, P> {
    /// Returns the count of the event `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::event_count`].
    pub fn event_count(&self, name: &str) -> Result<u32, EventError> {
        Ok(self.solution.event_count(name)?[self.i])
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns the count of the event `name`.
    ///
    /// # Errors
    /// As [`EnsembleSolution::event_count`].
    pub fn event_count(&self, name: &str) -> Result<u32, EventError> {
        self.trajectory().event_count(name)
    }
}
