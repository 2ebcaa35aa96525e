//! Options that select the saved values.

use crate::error::SolveError;
use crate::problem::options::{SaveAt, SavedComponents, SavedRow, Saving, SolveOptions};
use crate::problem::which::Which;
use crate::system::facts::Facts;

impl SolveOptions {
    /// Sets the values to save at the saved times: states, observables or both.
    ///
    /// By default a solve saves states and, if the system has any, observables.
    pub fn saving(self, saving: Saving) -> Self {
        SolveOptions { saving: Some(saving), ..self }
    }

    /// Saves only these states and observables at the saved times, by name or by index.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let by_name = SolveOptions::default().saveat(0.5).save_only(["prey", "energy"]);
    /// let by_index = SolveOptions::default().saveat(0.5).save_only([2, 0]);
    /// ```
    ///
    /// Indices count the states, then the observables. The saved numbers are the states, then the
    /// observables, each in the order of the list. So
    /// [`all_states`](crate::EnsembleSolution::all_states) has the chosen states alone, and
    /// [`component`](crate::Trajectory::component) returns each by its name. Functions that return
    /// whole states, such as [`states`](crate::Trajectory::states), panic unless all are saved.
    ///
    /// Other components are neither stored nor downloaded from a GPU. They do not change the bits of
    /// the saved ones. Each list compiles a kernel of its own on a GPU. Replaces
    /// [`saving`](Self::saving()).
    ///
    /// An unknown component is the error [`SolveError::Axis`]. An empty list, or a component that is
    /// listed twice, is [`SolveError::SaveOnly`].
    pub fn save_only(self, components: impl IntoIterator<Item = impl Into<Which>>) -> Self {
        let chosen = components.into_iter().map(Into::into).collect();
        SolveOptions { saving: Some(Saving::Only(chosen)), ..self }
    }

    /// Returns the values that are saved at each time, for this system.
    ///
    /// If these are some of the states or observables, the result has their indices.
    pub(crate) fn saved_row(
        &self,
        system: &Facts,
    ) -> Result<(SavedRow, Option<SavedComponents>), SolveError> {
        let times = usize::from(self.save == SaveAt::Steps);
        let (all, known) = (system.info.states.len(), system.observables);
        let (states, observables) = match &self.saving {
            Some(Saving::Only(chosen)) => {
                let chosen = SavedComponents::of(chosen, system)?;
                let (states, observables) = (chosen.states.len(), chosen.observables.len());
                let row = SavedRow { states, observables, times };
                return Ok((row, (!chosen.is_all_or_none(system)).then_some(chosen)));
            }
            None => (all, known),
            Some(Saving::States) => (all, 0),
            Some(_) if known == 0 => {
                return Err(SolveError::NoObservables { system: system.info.name });
            }
            Some(Saving::Observables) => (0, known),
            Some(Saving::Both) => (all, known),
        };
        Ok((SavedRow { states, observables, times }, None))
    }
}
