//! The times to save at, and the values to save.

use crate::error::SolveError;
use crate::problem::options::times::TimeList;
use crate::problem::which::Which;
use crate::system::facts::Facts;
use ode_macros::inlined;

/// The times at which states and observables are saved.
///
/// A solve returns the final state in any case. [`saveat`](crate::SolveOptions::saveat()) sets the
/// times, also from a spacing or from a list:
///
/// ```
/// use ode_core::{SaveAt, SolveOptions};
///
/// let steps = SolveOptions::default().saveat(SaveAt::Steps);
/// let spacing = SolveOptions::default().saveat(0.5);
/// let list = SolveOptions::default().saveat([0.5, 2.0, 10.0]);
/// assert_eq!(SolveOptions::default().save, SaveAt::Nothing);
/// assert_eq!(spacing.save, SaveAt::Every(0.5));
/// assert_eq!(list.save, SaveAt::Times(vec![0.5, 2.0, 10.0]));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SaveAt {
    /// No times.
    Nothing,
    /// `t0`, `t0 + spacing`, … and `t1`.
    Every(f64),
    /// The given times, ordered from `t0` to `t1`.
    Times(Vec<f64>),
    /// The beginning, and the end of every accepted step.
    ///
    /// All trajectories are solved twice, first to count their steps. Each trajectory of the
    /// solution takes the memory of the largest number of steps among them. Use this choice to look
    /// at steps, or closely at few trajectories.
    Steps,
}

/// The values to save at the saved times.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Saving {
    /// The states.
    States,
    /// The system's observables.
    Observables,
    /// The states and the system's observables.
    Both,
    /// Chosen states and observables.
    ///
    /// [`SolveOptions::save_only`](crate::SolveOptions::save_only) sets them.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Only(Vec<Which>),
}

/// The states and the observables that a solve saves, by their indices, if it saves some of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SavedComponents {
    /// The indices of the saved states, in the order of the saved numbers.
    pub states: Vec<usize>,
    /// The indices of the saved observables.
    pub observables: Vec<usize>,
}

impl SavedComponents {
    /// Returns the indices of the components `chosen` of a system.
    pub(super) fn of(chosen: &[Which], system: &Facts) -> Result<Self, SolveError> {
        let info = system.info;
        let refused = |why| SolveError::SaveOnly { system: info.name, why };
        if chosen.is_empty() {
            return Err(refused(
                "the list is empty; list at least one state or observable, or remove `save_only`"
                    .into(),
            ));
        }
        let (states, known) = (info.states.len(), system.observables);
        let names = info.states.iter().chain(info.observables).copied();
        let names: Vec<&str> = names.take(states + known).collect();
        let mut components = SavedComponents { states: Vec::new(), observables: Vec::new() };
        for which in chosen {
            let k = which.among(names.iter().copied());
            let k = k.ok_or_else(|| SolveError::Axis {
                system: info.name,
                kind: "state or observable",
                which: which.to_string(),
                known: names.iter().map(|&name| name.to_owned()).collect(),
            })?;
            let SavedComponents { states: of_states, observables } = &mut components;
            let (list, index) = if k < states { (of_states, k) } else { (observables, k - states) };
            if list.contains(&index) {
                return Err(refused(format!("the list has `{}` twice; list it once", names[k])));
            }
            list.push(index);
        }
        Ok(components)
    }

    /// Returns whether there are all components or none of each kind, in the order of the system.
    pub(super) fn is_all_or_none(&self, system: &Facts) -> bool {
        let all_or_none = |list: &[usize], all| list.is_empty() || list.iter().copied().eq(0..all);
        all_or_none(&self.states, system.info.states.len())
            && all_or_none(&self.observables, system.observables)
    }
}

/// The numbers that are saved at each time.
///
/// The order is states, then observables, then the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SavedRow {
    /// The number of saved states.
    pub states: usize,
    /// The number of saved observables.
    pub observables: usize,
    /// The time: 1 if it is the end of a step, else 0.
    ///
    /// The ends of steps are not known before the solve.
    pub times: usize,
}

impl SavedRow {
    /// Returns the count of numbers that are saved at each time.
    #[must_use]
    #[inlined]
    pub fn width(self) -> usize {
        self.states + self.observables + self.times
    }

    /// Returns the range of the observables among the numbers.
    #[must_use]
    pub fn of_observables(self) -> core::ops::Range<usize> {
        self.states..self.states + self.observables
    }
}

/// An argument of [`SolveOptions::saveat`](crate::SolveOptions::saveat).
///
/// The forms are a spacing (`K` is `f64`), a [list of times](TimeList) (`K` is `[f64]`), or a
/// [`SaveAt`]. The compiler infers `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a spacing of saved times nor a list of times",
    label = "write a spacing, as `0.5`, or the times, as `[0.5, 2.0]`, a vector of `f64` or a reference to one"
)]
pub trait IntoSaveAt<K: ?Sized> {
    /// Converts to the times to save.
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
        SaveAt::Times(self.into_times())
    }
}
