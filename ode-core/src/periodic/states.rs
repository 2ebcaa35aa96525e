//! The periodic states of an ensemble.

use super::outcome::{Found, PeriodicOutcome};
use crate::lane::Scalar;
use crate::problem::ensemble::{EnsembleProblem, ProblemOfEach};
use crate::problem::inputs::Inputs;
use crate::problem::ode::OdeProblem;
use crate::solution::RunReport;
use crate::system::System;
use crate::system::quantities::quantities;
use ndarray::Array2;

/// Periodic states of each trajectory of an ensemble: states that return after the time span.
///
/// [`EnsembleProblem::periodic_states`] returns them.
#[derive(Clone, Debug)]
pub struct PeriodicStates<S: System<N, P>, T: Scalar, const N: usize, const P: usize> {
    problem: OdeProblem<S, T, N, P>,
    inputs: Inputs<T>,
    found: Vec<Found>,
    states: Array2<T>,
    report: RunReport,
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> PeriodicStates<S, T, N, P> {
    pub(super) fn new(
        problem: OdeProblem<S, T, N, P>,
        inputs: Inputs<T>,
        found: Vec<Found>,
        report: RunReport,
    ) -> Self {
        let states = Array2::from_shape_fn((found.len(), N), |(i, d)| T::narrow(found[i].state[d]));
        PeriodicStates { problem, inputs, found, states, report }
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether there are no trajectories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the states, `[trajectory, component]`, at the beginning of the interval.
    ///
    /// If a trajectory has not converged, this is the state with the smallest change over the
    /// interval so far. If it failed, this is the state that it failed from.
    #[must_use]
    pub fn states(&self) -> &Array2<T> {
        &self.states
    }

    /// Returns the state of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn state(&self, i: usize) -> S::State<T> {
        self.problem(i).u0
    }

    /// Returns the outcome of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn outcome(&self, i: usize) -> PeriodicOutcome {
        self.found[i].outcome
    }

    /// Returns whether all trajectories have converged.
    #[must_use]
    pub fn all_converged(&self) -> bool {
        self.found.iter().all(|found| found.outcome == PeriodicOutcome::Converged)
    }

    /// Returns the largest change of a component of trajectory `i` over the interval.
    ///
    /// The unit is the tolerance of the solve, `abstol + reltol |u|`. NaN if the solve failed.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn residual(&self, i: usize) -> f64 {
        self.found[i].residual
    }

    /// Returns the number of intervals that trajectory `i` was solved over.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn intervals(&self, i: usize) -> usize {
        self.found[i].intervals
    }

    /// Returns the problem of trajectory `i`, which begins at its periodic state.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[track_caller]
    pub fn problem(&self, i: usize) -> OdeProblem<S, T, N, P> {
        let row = self.states.row(i);
        OdeProblem {
            u0: quantities(core::array::from_fn(|d| row[d])),
            ..of(self.problem, &self.inputs, i)
        }
    }

    /// Returns the ensemble with trajectories that begin at their periodic states.
    pub fn ensemble(&self) -> EnsembleProblem<S, T, impl ProblemOfEach<S, T, N, P>, N, P> {
        EnsembleProblem::new(self.problem).trajectories(self.len()).vary(|_, i| self.problem(i))
    }

    /// Returns the report of the backend, with the times of all intervals together.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.report
    }
}

/// Returns the problem of trajectory `i`.
pub(super) fn of<S, T, const N: usize, const P: usize>(
    problem: OdeProblem<S, T, N, P>,
    inputs: &Inputs<T>,
    i: usize,
) -> OdeProblem<S, T, N, P>
where
    S: System<N, P>,
    T: Scalar,
{
    OdeProblem {
        u0: quantities(core::array::from_fn(|d| inputs.u0[d].get(i))),
        p: quantities(core::array::from_fn(|d| inputs.p[d].get(i))),
        t0: inputs.t0.get(i),
        t1: inputs.t1.get(i),
        ..problem
    }
}
