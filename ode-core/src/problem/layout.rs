//! Counts of the numbers that go into and come out of a solve, and the table of result arrays.

use crate::error::{Memory, SolveError};
use crate::lane::Scalar;
use crate::problem::inputs::Inputs;
use crate::problem::options::{LogRow, SavedRow};
use crate::problem::resolved_options::ResolvedOptions;
use crate::step::guard;
use crate::table::{Holds, arrays_of_trajectories};
use core::fmt;

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
        let [states, observables] = settings.saved_indices();
        // Either all or none.
        let some = |given: usize, all: usize| if given == 0 { 0 } else { all };
        let chosen = |indices: &[usize], given: usize, all: usize| match settings.components {
            Some(_) => indices.len(),
            None => some(given, all),
        };
        let unknown =
            |indices: &[usize], all: usize| indices.iter().filter(|&&index| index >= all).count();
        let unknown = unknown(&states, self.states) + unknown(&observables, self.observables);
        let sizes = [
            ("u0", columns.u0.len(), self.states),
            ("p", columns.p.len(), self.parameters),
            ("abstol", columns.abstols.len(), some(columns.abstols.len(), self.states)),
            ("saved states", saved.states, chosen(&states, saved.states, self.states)),
            (
                "saved observables",
                saved.observables,
                chosen(&observables, saved.observables, self.observables),
            ),
            ("saved components of another system", unknown, 0),
            ("saved times", saved.times, some(saved.times, 1)),
        ];
        match sizes.into_iter().find(|(_, given, expected)| given != expected) {
            Some((what, given, expected)) => Err(SolveError::Shape { what, given, expected }),
            None => Ok(()),
        }
    }
}

/// The memory of the results of a batch, unless the user sets a number of trajectories.
const BATCH_BYTES: usize = 128 << 20;

/// The smallest default batch: enough trajectories for all threads.
const FEWEST: usize = 256;

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
    /// The number of the features' results.
    pub features: usize,
    /// The number of modes.
    pub modes: usize,
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
            features: settings.features,
            modes: settings.modes,
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

    /// Returns the default number of trajectories of a batch: as many as fit into 128 MiB.
    pub(crate) fn batch<T>(&self) -> usize {
        let bytes = ResultArray::bytes_of_trajectory::<T>(self).max(1);
        1 << (BATCH_BYTES / bytes).max(FEWEST).ilog2()
    }

    /// Returns the count of logged numbers of a trajectory, of all its events together.
    #[must_use]
    pub fn logged(&self) -> usize {
        self.log.width().saturating_mul(self.log_slots)
    }
}

arrays_of_trajectories! {
    /// The results of consecutive trajectories, as a structure of arrays.
    ///
    /// A backend fills them and passes them to a [`ResultSink`](crate::solution::ResultSink).
    /// [`Layout`] has the lengths of the arrays.
    arrays RawResults;
    /// The slices for the results of consecutive trajectories.
    slices ResultSlices;
    /// An array of results.
    index ResultArray for Layout;

    /// The final states, `[component * n + trajectory]` with `n` trajectories.
    finals Finals: rows of T, |layout| layout.states;
    /// The saved states and observables, `[(save index * width + number) * n + trajectory]`.
    ///
    /// [`SavedRow`] has the width and the order of the numbers.
    /// Values at times that a trajectory did not reach are NaN.
    saved Saved: rows of T, |layout| layout.saved();
    /// The times of the final states, one for each trajectory.
    ends Ends: row of T, |_| 1;
    /// The number of each trajectory's [`ReturnCode`](crate::ReturnCode).
    ///
    /// Methods that [switch](crate::step::switching) add bits to it; [`RawResults::code`] decodes
    /// it.
    codes Codes: row of u8, |_| 1;
    /// The attempted steps of each trajectory.
    steps Steps: row of u32, |_| 1;
    /// The rejected steps of each trajectory, which are also among the attempted steps.
    rejected Rejected: row of u32, |_| 1;
    /// The number of saved times that each trajectory reached.
    ///
    /// Empty if no times are saved.
    kept Kept: row of u32, |layout| usize::from(layout.slots > 0);
    /// The report of the growth [`guard`] on each trajectory.
    ///
    /// Empty if the guard is off.
    guarded Guarded: row of u32, |layout| usize::from(layout.guarded);
    /// The count of each event, `[event * n + trajectory]`.
    ///
    /// Empty if the system has no events.
    events Events: rows of u32, |layout| layout.events;
    /// The logged events, `[(slot * width + number) * n + trajectory]`.
    ///
    /// [`LogRow`] has the width and the order of the numbers.
    /// Numbers of slots that a trajectory did not reach are NaN. Empty if there is no log.
    log Log: rows of T, |layout| layout.logged();
    /// The features, `[result * n + trajectory]`.
    ///
    /// Empty if the system has no features.
    features Features: rows of T, |layout| layout.features;
    /// The final modes, `[mode * n + trajectory]`.
    ///
    /// Empty if the system has no modes.
    modes Modes: rows of T, |layout| layout.modes;
}

impl Holds<ResultArray> for Layout {
    fn holds(&self, array: ResultArray) -> bool {
        self.wanted.contains(array)
    }

    fn memory(&self, array: ResultArray) -> Memory {
        if array == ResultArray::Log { Memory::Log } else { Memory::Host }
    }
}

/// A set of result arrays.
///
/// ```
/// use ode_core::solution::{ResultArray, ResultSet};
///
/// let wanted = ResultSet::from([ResultArray::Finals, ResultArray::Codes]);
/// assert!(wanted.contains(ResultArray::Finals) && !wanted.contains(ResultArray::Saved));
/// assert!(ResultSet::ALL.contains(ResultArray::Saved));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResultSet(u16);

impl ResultSet {
    /// All arrays.
    pub const ALL: ResultSet = ResultSet((1 << ResultArray::COUNT) - 1);

    /// No array.
    pub const NONE: ResultSet = ResultSet(0);

    /// Returns whether the set contains an array.
    #[must_use]
    pub const fn contains(self, array: ResultArray) -> bool {
        self.0 >> array as u32 & 1 == 1
    }

    /// Returns the set with one more array.
    #[must_use]
    pub const fn with(self, array: ResultArray) -> Self {
        ResultSet(self.0 | 1 << array as u32)
    }
}

impl<const K: usize> From<[ResultArray; K]> for ResultSet {
    fn from(arrays: [ResultArray; K]) -> Self {
        ResultSet(arrays.iter().fold(0, |set, array| set | 1 << *array as u32))
    }
}

impl fmt::Debug for ResultSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrays = ResultArray::ALL.into_iter().filter(|array| self.contains(*array));
        f.debug_set().entries(arrays).finish()
    }
}

impl ResultArray {
    /// Returns the bytes of all arrays for one trajectory, in precision `T`.
    #[must_use]
    pub fn bytes_of_trajectory<T>(layout: &Layout) -> usize {
        let bytes = |array: ResultArray| array.rows(layout).saturating_mul(array.size::<T>());
        Self::ALL.into_iter().map(bytes).fold(0, usize::saturating_add)
    }
}
