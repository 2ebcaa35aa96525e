//! Options of the event log.

#[cfg(feature = "serde")]
mod file_format;

use crate::error::SolveError;
#[cfg(feature = "zarr")]
use crate::system::SystemInfo;
use crate::system::facts::Facts;
use ode_macros::inlined;

/// The log of events: its size for each trajectory, and its contents.
///
/// An argument of [`SolveOptions::event_log`](crate::SolveOptions::event_log()).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct EventLog {
    /// The largest number of logged events of each trajectory, at least 1.
    pub capacity: u32,
    /// Whether states are logged beside the times.
    pub states: bool,
}

impl EventLog {
    /// Creates a log of the first `capacity` events of each trajectory.
    ///
    /// The log has the time of each event, its index and its direction.
    pub fn new(capacity: u32) -> Self {
        EventLog { capacity, states: false }
    }

    /// Also logs the states before events.
    ///
    /// If a logged event has an action, the states after events are logged, too. Scheduled actions
    /// and conditions are logged like events.
    pub fn with_states(self) -> Self {
        EventLog { states: true, ..self }
    }

    /// Returns the numbers that are logged of each event of such a system.
    pub(crate) fn row(self, system: &Facts) -> Result<LogRow, SolveError> {
        if !system.logs {
            return Err(SolveError::NothingToLog { system: system.info.name });
        }
        let some = |is: bool| if is { system.info.states.len() } else { 0 };
        let (before, after) = (some(self.states), some(self.states && system.logs_actions));
        Ok(LogRow { marks: 2, before, after })
    }
}

impl From<u32> for EventLog {
    fn from(capacity: u32) -> Self {
        EventLog::new(capacity)
    }
}

/// The numbers that are logged of each event.
///
/// The time and the index of the event come first, then the states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogRow {
    /// The time and the event: 2 numbers, or 0 without a log.
    ///
    /// The event is its index counted from one, negative if its function fell.
    pub marks: usize,
    /// The states before the event: all of them, or none.
    pub before: usize,
    /// The states after the event: all of them, or none.
    pub after: usize,
}

impl LogRow {
    /// Returns the count of numbers of each event.
    #[must_use]
    #[inlined]
    pub fn width(self) -> usize {
        self.marks + self.before + self.after
    }

    /// Returns the names of the numbers of an event.
    #[cfg(feature = "zarr")]
    pub(crate) fn names(self, system: &SystemInfo) -> Vec<String> {
        let named = |when: &str, count: usize| -> Vec<String> {
            system.states.iter().take(count).map(|state| format!("{when}.{state}")).collect()
        };
        let marks = ["time", "event"].map(str::to_owned).to_vec();
        [marks, named("before", self.before), named("after", self.after)].concat()
    }
}
