//! Counts of the numbers that go into and come out of a solve.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::Inputs;
use crate::problem::options::{LogRow, SavedRow};
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::{ResultArray, ResultSet};
use crate::step::guard;

/// The counts of the numbers of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemShape {
    /// The number of states.
    pub states: usize,
    /// The number of parameters.
    pub parameters: usize,
    /// The number of observables.
    pub observables: usize,
}

impl SystemShape {
    /// Checks that inputs fit such a system.
    ///
    /// # Errors
    /// [`SolveError::Shape`] if they do not.
    pub fn check<T: Scalar>(
        self,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
    ) -> Result<(), SolveError> {
        let saved = &settings.saved;
        // Either all or none.
        let some = |given: usize, all: usize| if given == 0 { 0 } else { all };
        let sizes = [
            ("u0", columns.u0.len(), self.states),
            ("p", columns.p.len(), self.parameters),
            ("abstol", columns.abstols.len(), some(columns.abstols.len(), self.states)),
            ("saved states", saved.states, some(saved.states, self.states)),
            ("saved observables", saved.observables, some(saved.observables, self.observables)),
            ("saved times", saved.times, some(saved.times, 1)),
        ];
        match sizes.into_iter().find(|(_, given, expected)| given != expected) {
            Some((what, given, expected)) => Err(SolveError::Shape { what, given, expected }),
            None => Ok(()),
        }
    }
}

/// The counts of the numbers in the results of a trajectory.
///
/// The counts are the same for all trajectories of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The number of components of the final state.
    pub states: usize,
    /// The numbers that are saved at each saved time.
    pub row: SavedRow,
    /// The largest number of saved times of a trajectory.
    pub slots: usize,
    /// Whether the growth [`guard`] reports on each trajectory.
    pub guarded: bool,
    /// The number of events, which are counted.
    pub events: usize,
    /// The numbers that are logged of each event.
    pub log: LogRow,
    /// The largest number of logged events of a trajectory.
    pub log_slots: usize,
    /// The arrays that results have.
    pub wanted: ResultSet,
}

impl Layout {
    /// Returns the layout of a solve's results, with all arrays.
    #[must_use]
    pub fn new<T: Scalar>(settings: &ResolvedOptions<T>, columns: &Inputs<T>) -> Self {
        Layout {
            states: columns.u0.len(),
            row: settings.saved,
            slots: columns.save.slots().saturating_add(settings.step_slots),
            guarded: settings.guard != guard::OFF,
            events: settings.events,
            log: settings.log,
            log_slots: settings.lane.log_slots as usize,
            wanted: ResultSet::ALL,
        }
    }

    /// Returns the layout of the results of an adjoint, whose forward pass saves nothing.
    #[must_use]
    pub fn of_adjoint<T: Scalar>(settings: &ResolvedOptions<T>, columns: &Inputs<T>) -> Self {
        Layout { slots: 0, ..Layout::new(settings, columns) }
    }

    /// Returns the layout of results with these arrays only.
    ///
    /// Counts of events stay, because trajectories count in them.
    #[must_use]
    pub fn of(self, wanted: ResultSet) -> Self {
        Layout { wanted: wanted.with(ResultArray::Events), ..self }
    }

    /// Returns the count of saved numbers of a trajectory, at all times together.
    #[must_use]
    pub fn saved(&self) -> usize {
        self.row.width().saturating_mul(self.slots)
    }

    /// Returns the count of logged numbers of a trajectory, of all its events together.
    #[must_use]
    pub fn logged(&self) -> usize {
        self.log.width().saturating_mul(self.log_slots)
    }
}
