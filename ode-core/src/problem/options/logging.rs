//! Which events are kept, and what of them.

use crate::error::SolveError;
use crate::system::facts::Facts;
use ode_macros::inlined;

/// The log of events: how many of each trajectory are kept, and what of them. An argument of
/// [`SolveOptions::event_log`](crate::SolveOptions::event_log()).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct EventLog {
    /// The most events of each trajectory that are kept, at least 1.
    pub capacity: u32,
    /// Whether states are kept beside the times.
    #[cfg_attr(feature = "serde", serde(default))]
    pub states: bool,
}

impl EventLog {
    /// A log of the first `capacity` events of each trajectory: of each its time, which one it is,
    /// and its direction.
    pub fn new(capacity: u32) -> Self {
        EventLog { capacity, states: false }
    }

    /// Keeps the states before events, too, and where one that is logged has an action, those after
    /// them.
    pub fn with_states(self) -> Self {
        EventLog { states: true, ..self }
    }

    /// What is logged of each event of such a system.
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

/// The numbers that are logged of each event: its time and its number, then the states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogRow {
    /// The time and the event: its number from one, negative where its function fell. 2, or 0 where
    /// there is no log.
    pub marks: usize,
    /// States before the event: all of them, or none.
    pub before: usize,
    /// States after it: all of them, or none.
    pub after: usize,
}

impl LogRow {
    /// The count of numbers of each event.
    #[must_use]
    #[inlined]
    pub fn width(self) -> usize {
        self.marks + self.before + self.after
    }
}
