//! The log of events.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::error::EventError;
use crate::lane::Scalar;
use crate::problem::options::LogRow;
use crate::system::System;
use crate::system::facts::Logged;
use crate::system::quantities::quantities;
use core::ops::Range;
use ndarray::ArrayView3;

/// A logged event, scheduled action, condition or jump of a trajectory.
///
/// `U` is a state: an array, or the `State` of a module.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoggedEvent<T, U> {
    /// The time of the event.
    pub time: T,
    /// The index of the event in [`SystemInfo::events`](crate::system::SystemInfo::events).
    pub event: usize,
    /// The name of the event.
    pub name: &'static str,
    /// Whether the event's function became positive along the integration, and not negative.
    ///
    /// It is true for scheduled actions, conditions and jumps.
    pub rising: bool,
    /// The state before the event, if [`with_states`](crate::EventLog::with_states) was set.
    pub before: Option<U>,
    /// The state after the event's action, if `before` is present.
    ///
    /// Without an action it equals `before`.
    pub after: Option<U>,
}

/// The logged events of a trajectory, in the order of their times.
#[derive(Debug)]
#[must_use]
pub struct Log<'a, S, T, const N: usize, const P: usize> {
    solution: &'a EnsembleSolution<S, T, N, P>,
    i: usize,
    slots: Range<usize>,
}

impl<S, T, const N: usize, const P: usize> Clone for Log<'_, S, T, N, P> {
    fn clone(&self) -> Self {
        Log { slots: self.slots.clone(), ..*self }
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Log<'_, S, T, N, P> {
    fn event(&self, slot: usize) -> LoggedEvent<T, S::State<T>> {
        let EnsembleSolution { inputs, raw, system, .. } = self.solution;
        let (n, LogRow { marks, before, after }) = (self.solution.len(), inputs.options.log);
        let first = slot * inputs.options.log.width();
        let number = |k: usize| raw.log[(first + k) * n + self.i];
        let state =
            |from: usize| -> S::State<T> { quantities(core::array::from_fn(|d| number(from + d))) };
        let which = number(1).widen();
        let event = (which.abs() as usize).saturating_sub(1);
        let before_it = (before > 0).then(|| state(marks));
        LoggedEvent {
            time: number(0),
            event,
            name: system.info().events.get(event).copied().unwrap_or_default(),
            rising: which > 0.0,
            before: before_it,
            after: if after > 0 { Some(state(marks + before)) } else { before_it },
        }
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> Iterator for Log<'_, S, T, N, P> {
    type Item = LoggedEvent<T, S::State<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.slots.nth(n).map(|slot| self.event(slot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> DoubleEndedIterator
    for Log<'_, S, T, N, P>
{
    fn next_back(&mut self) -> Option<Self::Item> {
        self.slots.next_back().map(|slot| self.event(slot))
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> ExactSizeIterator
    for Log<'_, S, T, N, P>
{
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns all logged events of trajectory `i`.
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, EventError, system::System};
    /// # fn of<S: System<2, 1>>(
    /// #     solution: &EnsembleSolution<S, f64, 2, 1>,
    /// # ) -> Result<(), EventError> {
    /// for event in solution.log(7)? {
    ///     println!("{} at {}", event.name, event.time);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`EventError::NoLog`] if the solve had no [log](crate::SolveOptions::event_log), and
    /// [`EventError::LogFull`] if the trajectory had more events than the log's capacity.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn log(&self, i: usize) -> Result<Log<'_, S, T, N, P>, EventError> {
        let log = self.kept_log(i)?;
        let (kept, happened) = (log.len(), self.happened(i));
        if happened > kept as u64 {
            let trajectory = self.earlier + i;
            return Err(EventError::LogFull { trajectory, kept, happened });
        }
        Ok(log)
    }

    /// Returns the logged events of trajectory `i` that fitted: the first ones.
    ///
    /// # Errors
    /// [`EventError::NoLog`] if the solve had no [log](crate::SolveOptions::event_log).
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[track_caller]
    pub fn kept_log(&self, i: usize) -> Result<Log<'_, S, T, N, P>, EventError> {
        self.check(i);
        let capacity = self.inputs.options.lane.log_slots;
        if capacity == 0 {
            return Err(EventError::NoLog);
        }
        let kept = self.happened(i).min(u64::from(capacity)) as usize;
        Ok(Log { solution: self, i, slots: 0..kept })
    }

    /// Returns the logs of all trajectories as numbers, `[trajectory, slot, number]`.
    ///
    /// The numbers are the time, the event, and the states before and after the event if they are
    /// logged. The event is its index counted from one, negative if its function fell. Numbers of
    /// slots that a trajectory did not reach are NaN. This is a view: nothing is copied.
    #[must_use]
    pub fn all_logs(&self) -> ArrayView3<'_, T> {
        let (n, slots) = (self.len(), self.inputs.options.lane.log_slots as usize);
        let width = self.inputs.options.log.width();
        // `ndarray` also checks the strides of an empty axis.
        let strides = if slots * width == 0 { (0, 0, 0) } else { (1, width * n, n) };
        super::block(&self.raw.log, (n, slots, width), strides)
    }

    /// Returns the count of all logged events of trajectory `i`, including events that did not fit.
    fn happened(&self, i: usize) -> u64 {
        let counts = self.event_counts();
        let logged = Logged::of::<S, N, P>().indices();
        logged.map(|event| u64::from(counts[[i, event]])).sum()
    }
}

impl<'a, S: System<N, P>, T: Scalar, const N: usize, const P: usize> Trajectory<'a, S, T, N, P> {
    /// Returns all logged events.
    ///
    /// # Errors
    /// As [`EnsembleSolution::log`].
    pub fn log(&self) -> Result<Log<'a, S, T, N, P>, EventError> {
        self.solution.log(self.i)
    }

    /// Returns the logged events that fitted: the first ones.
    ///
    /// # Errors
    /// As [`EnsembleSolution::kept_log`].
    pub fn kept_log(&self) -> Result<Log<'a, S, T, N, P>, EventError> {
        self.solution.kept_log(self.i)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeSolution<S, T, N, P> {
    /// Returns all logged events.
    ///
    /// # Errors
    /// As [`EnsembleSolution::log`].
    pub fn log(&self) -> Result<Log<'_, S, T, N, P>, EventError> {
        self.as_ensemble().log(0)
    }

    /// Returns the logged events that fitted: the first ones.
    ///
    /// # Errors
    /// As [`EnsembleSolution::kept_log`].
    pub fn kept_log(&self) -> Result<Log<'_, S, T, N, P>, EventError> {
        self.as_ensemble().kept_log(0)
    }
}
