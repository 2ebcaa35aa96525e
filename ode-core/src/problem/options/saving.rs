//! When to save, and what.

use crate::problem::options::times::TimeList;

/// The times at which states and observables are saved. The final state is returned in any case.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SaveAt {
    /// No times.
    Nothing,
    /// `t0`, `t0 + spacing`, … and `t1`.
    Every(f64),
    /// The given times, ordered from `t0` to `t1`.
    Times(Vec<f64>),
    /// The beginning, and the end of every accepted step. All trajectories are solved twice, first
    /// to count their steps, and the solution has room in each trajectory for as many times as the
    /// one with the most steps takes: `saveat(SaveAt::Steps)` is for looking at steps, or at few
    /// trajectories closely.
    Steps,
}

/// What to save at the saved times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Saving {
    /// The states.
    States,
    /// The system's observables. The final states come back in any case.
    Observables,
    /// The states and the system's observables.
    Both,
}

/// How many numbers are saved at a time: states, then observables, then the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SavedRow {
    /// States: all of them, or none.
    pub states: usize,
    /// Observables: all of them, or none.
    pub observables: usize,
    /// One where it is not known before: that of a step's end.
    pub times: usize,
}

impl SavedRow {
    /// The number of numbers that are saved at each time.
    #[must_use]
    #[inline(always)]
    pub fn width(self) -> usize {
        self.states + self.observables + self.times
    }

    /// Which of the numbers are observables.
    #[must_use]
    pub fn of_observables(self) -> core::ops::Range<usize> {
        self.states..self.states + self.observables
    }
}

/// What [`SolveOptions::saveat`](crate::SolveOptions::saveat) accepts: a spacing (`K` is `f64`), a
/// [list of times](TimeList) (`K` is `[f64]`), or a [`SaveAt`] itself. The compiler finds `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says neither a spacing of the saved times nor the times",
    label = "write a spacing, as `0.5`, or the times, as `[0.5, 2.0]`, a vector of `f64` or a reference to one"
)]
pub trait IntoSaveAt<K: ?Sized> {
    /// The times that it stands for.
    fn into_save_at(self) -> SaveAt;
}

impl IntoSaveAt<SaveAt> for SaveAt {
    fn into_save_at(self) -> SaveAt {
        self
    }
}

impl IntoSaveAt<f64> for f64 {
    fn into_save_at(self) -> SaveAt {
        SaveAt::Every(self)
    }
}

#[diagnostic::do_not_recommend]
impl<L: TimeList<f64>> IntoSaveAt<[f64]> for L {
    fn into_save_at(self) -> SaveAt {
        SaveAt::Times(self.times())
    }
}
