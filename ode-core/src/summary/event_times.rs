//! The times of events, from the logs of a batch.

use super::batch::Members;
use super::request::event_position;
use crate::error::SummaryError;
use crate::lane::Scalar;
use crate::problem::layout::Layout;
use crate::solution::RawResults;

/// The events whose times are values, and how many occurrences of each.
pub(super) struct EventTimes {
    /// The index of each event among the events of the system.
    events: Vec<usize>,
    occurrences: usize,
}

impl EventTimes {
    /// Finds the events `logged` among `all` events.
    ///
    /// # Errors
    /// [`SummaryError::UnknownEvent`], which needs damaged summaries.
    pub(super) fn new(
        all: &[String],
        logged: &[String],
        occurrences: usize,
    ) -> Result<Self, SummaryError> {
        let events = logged.iter().map(|name| event_position(all, name)).collect::<Result<_, _>>();
        Ok(EventTimes { events: events?, occurrences })
    }

    /// Returns the times, `[(occurrence * events + event) * n + trajectory]`.
    ///
    /// Occurrences that a trajectory did not have are NaN. `first` is the index of the first
    /// trajectory.
    ///
    /// # Errors
    /// [`SummaryError::LogFull`] if the log of a trajectory that contributes lacks an occurrence.
    pub(super) fn of<T: Scalar>(
        &self,
        results: &RawResults<T>,
        layout: &Layout,
        first: u64,
        members: &Members,
    ) -> Result<Vec<f64>, SummaryError> {
        let EventTimes { events, occurrences } = self;
        let contribute = members.at(0);
        let (n, width) = (contribute.len(), layout.log.width());
        let mut times = vec![f64::NAN; occurrences * events.len() * n];
        let mut found = vec![0; layout.events];
        for (i, _) in contribute.iter().enumerate().filter(|(_, contributes)| **contributes) {
            found.fill(0);
            for slot in 0..layout.log_slots {
                let number = |k: usize| results.log[(slot * width + k) * n + i].widen();
                // The index counted from one, negative if falling. Empty slots are NaN.
                let event = number(1).abs();
                if event.is_nan() {
                    break;
                }
                let event = event as usize - 1;
                let at = events.iter().position(|known| *known == event);
                if let (Some(at), true) = (at, found[event] < *occurrences) {
                    times[(found[event] * events.len() + at) * n + i] = number(0);
                }
                found[event] += 1;
            }
            for &event in events {
                let happened = results.events[event * n + i] as usize;
                if found[event] < happened.min(*occurrences) {
                    let (trajectory, slots) = (first + i as u64, layout.log_slots);
                    return Err(SummaryError::LogFull { trajectory, slots });
                }
            }
        }
        Ok(times)
    }
}
