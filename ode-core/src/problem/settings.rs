//! The options of a solve as numbers of its precision: what is the same for all trajectories.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::options::{AbsTol, LogRow, SavedRow, SolveOptions};
use crate::step::control;
use crate::step::guard::GrowthGuard;
use crate::step::properties::Properties;
use crate::step::switching;
use crate::system::facts::Facts;

/// The options of a solve, checked and in its precision. Nothing in it is for one trajectory;
/// [`Columns`](crate::problem::columns::Columns) has what is.
#[derive(Clone, Debug)]
pub struct Settings<T> {
    /// Absolute tolerance of all components, where they have none of their own.
    pub abstol: T,
    /// Relative tolerance.
    pub reltol: T,
    /// The fixed or the first step size; 0 if it is automatic.
    pub dt: T,
    /// Whether step sizes are adaptive.
    pub adaptive: bool,
    /// Smallest step size, of adaptive steps; 0 where there is none.
    pub dtmin: T,
    /// Largest step size, of adaptive steps; infinite where there is none.
    pub dtmax: T,
    /// The coefficients of the step-size control law, [`Law`](crate::step::control::Law).
    pub law: [f32; control::LAW_NUMBERS],
    /// The coefficients of the control law of the implicit one of two methods.
    pub stiff_law: [f32; control::LAW_NUMBERS],
    /// The kind of the control law.
    pub law_kind: u32,
    /// The method that solves.
    pub method: Properties,
    /// The largest number of steps that a trajectory may attempt.
    pub max_steps: u32,
    /// How steps are treated that may pass over growth: a constant of
    /// [`guard`](crate::step::guard).
    pub guard: u32,
    /// What is saved at each time to save.
    pub saved: SavedRow,
    /// The number of events of the system.
    pub events: usize,
    /// What is logged of each event.
    pub log: LogRow,
    /// The most logged events of a trajectory that are kept; 0 where there is no log.
    pub log_slots: u32,
    /// The largest number of ends of steps that are saved, after the times that are known before.
    pub step_slots: usize,
    /// Whether there may be times to stop at, those at the ends of spans included.
    pub stopping: bool,
}

impl<T: Scalar> Settings<T> {
    /// Checks what does not depend on the trajectories. Whether steps are adaptive, their size and
    /// whether there are times to stop at is found when those are known.
    pub(crate) fn of(
        system: &Facts,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError> {
        let states = system.info.states.len();
        options.check::<T>()?;
        if system.mass && method.solves == 0 {
            return Err(SolveError::MassMatrix { method: method.name, system: system.info.name });
        }
        let abstol = match &options.abstol {
            AbsTol::All(number) => T::narrow(*number),
            AbsTol::Each(numbers) if numbers.len() == states => T::default(),
            AbsTol::Each(numbers) => {
                let tolerances = numbers.len();
                return Err(SolveError::Tolerances { tolerances, components: states });
            }
        };
        let controller = options.controller.unwrap_or(method.controller);
        let stiff_law = method.switches_to.map(|method| {
            method.law::<T>(options.controller.unwrap_or(switching::CONTROLLER), states)
        });
        let law = method.law::<T>(controller, states);
        let growth_guard = options.growth_guard.unwrap_or_else(GrowthGuard::default_for::<T>);
        Ok(Settings {
            abstol,
            reltol: T::narrow(options.reltol),
            dt: T::default(),
            adaptive: true,
            dtmin: T::narrow(options.dtmin),
            dtmax: options.dtmax.map_or(T::infinity(), T::narrow),
            law,
            stiff_law: stiff_law.unwrap_or(law),
            law_kind: controller.kind(),
            method: *method,
            max_steps: options.max_steps,
            guard: growth_guard.number(method),
            saved: options.saved_row(system)?,
            events: system.info.events.len(),
            log: options.event_log.map_or(Ok(LogRow::default()), |log| log.row(system))?,
            log_slots: options.event_log.map_or(0, |log| log.capacity),
            step_slots: 0,
            stopping: false,
        })
    }

    /// Whether there is a smallest or a largest step size.
    #[must_use]
    pub fn limited(&self) -> bool {
        self.dtmin > T::default() || self.dtmax < T::infinity()
    }
}
