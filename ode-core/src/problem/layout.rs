//! How many numbers go into a solve, and come out of it.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::columns::Columns;
use crate::problem::options::{LogRow, SavedRow};
use crate::problem::settings::Settings;
use crate::step::guard;

/// How many numbers a system has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// The number of states.
    pub states: usize,
    /// The number of parameters.
    pub parameters: usize,
    /// The number of observables.
    pub observables: usize,
}

impl Shape {
    /// Checks that inputs are those of such a system.
    ///
    /// # Errors
    /// [`SolveError::Shape`] if not.
    pub fn check<T: Scalar>(
        self,
        settings: &Settings<T>,
        columns: &Columns<T>,
    ) -> Result<(), SolveError> {
        let saved = &settings.saved;
        // All or none.
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

/// How many numbers the results of a trajectory are: the same for all trajectories of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The components of the final state.
    pub states: usize,
    /// The numbers that are saved at each saved time.
    pub row: SavedRow,
    /// The largest number of times at which a trajectory is saved.
    pub slots: usize,
    /// Whether the growth [`guard`] reports on each trajectory.
    pub guarded: bool,
    /// The number of events, which are counted.
    pub events: usize,
    /// The numbers that are logged of each event.
    pub log: LogRow,
    /// The largest number of events that are logged of a trajectory.
    pub log_slots: usize,
}

impl Layout {
    /// The layout of a solve's results.
    #[must_use]
    pub fn new<T: Scalar>(settings: &Settings<T>, columns: &Columns<T>) -> Self {
        Layout {
            states: columns.u0.len(),
            row: settings.saved,
            slots: columns.save.slots().saturating_add(settings.step_slots),
            guarded: settings.guard != guard::OFF,
            events: settings.events,
            log: settings.log,
            log_slots: settings.log_slots as usize,
        }
    }

    /// The number of numbers that are saved of a trajectory, at all times together.
    #[must_use]
    pub fn saved(&self) -> usize {
        self.row.width().saturating_mul(self.slots)
    }

    /// The number of numbers that are logged of a trajectory, of all its events together.
    #[must_use]
    pub fn logged(&self) -> usize {
        self.log.width().saturating_mul(self.log_slots)
    }

    /// One where the number of saved times that a trajectory reached is counted, that is, where
    /// times are saved; otherwise none.
    #[must_use]
    pub fn kept(&self) -> usize {
        usize::from(self.slots > 0)
    }

    /// One where the growth [`guard`] reports; otherwise none.
    #[must_use]
    pub fn guarded(&self) -> usize {
        usize::from(self.guarded)
    }
}
