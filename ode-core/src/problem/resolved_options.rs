//! Resolved options: the options of a solve as numbers of its precision.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::options::{AbsTol, LogRow, SavedComponents, SavedRow, SolveOptions};
use crate::step::control;
use crate::step::guard::GrowthGuard;
use crate::step::properties::Properties;
use crate::step::switching;
use crate::system::facts::Facts;
use crate::watch::SolveWatch;
use std::sync::Arc;

/// Declares the numeric options of lanes.
///
/// A row makes a field, a member of the C++ struct in the kernel arguments, and an entry of a
/// manifest.
macro_rules! lane_options {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $device:literal,)*) => {
        /// The numeric options of lanes.
        ///
        /// Kernel arguments contain them as they are.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct LaneOptions<T> {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl<T: Scalar> LaneOptions<T> {
            /// Returns the names and values of the options.
            #[must_use]
            pub fn entries(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($field), format!("{:?}", self.$field))),*]
            }

            /// Returns the C++ struct with the same layout, a template over the number `R`.
            #[must_use]
            pub fn device_struct() -> String {
                let members = [$(concat!("    ", $device, ";\n")),*].concat();
                format!("template<class R> struct LaneOptions {{\n{members}}};\n")
            }
        }
    };
}

lane_options! {
    /// The absolute tolerance of all components, if components have none of their own.
    abstol: T = "R abstol",
    /// The relative tolerance.
    reltol: T = "R reltol",
    /// The fixed or the first step size; 0 if it is automatic.
    dt: T = "R dt",
    /// The smallest adaptive step; 0 if there is no limit.
    dtmin: T = "R dtmin",
    /// The largest adaptive step; infinite if there is no limit.
    dtmax: T = "R dtmax",
    /// The coefficients of the step-size control law, [`Law`](crate::step::control::Law).
    law: [f32; control::LAW_NUMBERS] = "float law[control::LAW_NUMBERS]",
    /// The coefficients of the control law of the implicit method, if two methods switch.
    stiff_law: [f32; control::LAW_NUMBERS] = "float stiff_law[control::LAW_NUMBERS]",
    /// The largest number of steps that a trajectory may attempt.
    max_steps: u32 = "u32 max_steps",
    /// The largest number of logged events of a trajectory; 0 without a log.
    log_slots: u32 = "u32 log_slots",
    /// The seed of the noise: its lower 32 bits, then the upper ones. Then the binary logarithm of
    /// the number of fixed or first steps in a cell of the noise's path, and the number of paths; zero for
    /// one of each trajectory.
    ///
    /// Four words keep the alignment of the arguments behind the options: with three, `f32` kernels
    /// without noise had six more registers.
    noise: [u32; 4] = "u32 noise[4]",
}

/// The options of a solve, checked and in its precision.
///
/// All trajectories share them; [`Inputs`](crate::problem::inputs::Inputs) has the numbers of
/// each trajectory.
#[derive(Clone, Debug)]
pub struct ResolvedOptions<T> {
    /// The numeric options of lanes.
    pub lane: LaneOptions<T>,
    /// Whether step sizes are adaptive.
    pub adaptive: bool,
    /// The kind of the control law.
    pub law_kind: u32,
    /// The properties of the method.
    pub method: Properties,
    /// The treatment of steps that may pass over growth.
    ///
    /// A constant of [`guard`](crate::step::guard).
    pub guard: u32,
    /// The numbers of values that are saved at each saved time.
    pub saved: SavedRow,
    /// The saved components, if these are some of the states or some of the observables.
    pub components: Option<Arc<SavedComponents>>,
    /// The number of events of the system.
    pub events: usize,
    /// The number of the features' results.
    pub features: usize,
    /// The number of modes of the system.
    pub modes: usize,
    /// The numbers that are logged of each event.
    pub log: LogRow,
    /// The largest number of saved ends of steps, after the known times.
    pub step_slots: usize,
    /// Whether there may be times to stop at, including ends of spans.
    pub stopping: bool,
    /// The watch of the solve, which changes no result of a solved trajectory.
    pub watch: SolveWatch,
}

impl<T: Scalar> ResolvedOptions<T> {
    /// Resolves the options, and checks everything that does not depend on the trajectories.
    ///
    /// [`PreparedSolve`](crate::problem::prepared::PreparedSolve) sets `adaptive`, `lane.dt` and
    /// `stopping` later, from the trajectories.
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
        method.check_noise(system.info)?;
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
        let paths = options.noise_paths.unwrap_or(0);
        let lane = LaneOptions {
            abstol,
            reltol: T::narrow(options.reltol),
            dt: T::default(),
            dtmin: T::narrow(options.dtmin),
            dtmax: options.dtmax.map_or(T::infinity(), T::narrow),
            law,
            stiff_law: stiff_law.unwrap_or(law),
            max_steps: options.max_steps,
            log_slots: options.event_log.map_or(0, |log| log.capacity),
            noise: [options.noise_seed as u32, (options.noise_seed >> 32) as u32, 0, paths],
        };
        let (saved, components) = options.saved_row(system)?;
        Ok(ResolvedOptions {
            lane,
            adaptive: true,
            law_kind: controller.kind(),
            method: *method,
            guard: growth_guard.number(method),
            saved,
            components: components.map(Arc::new),
            events: system.info.events.len(),
            features: system.features,
            modes: system.modes,
            log: options.event_log.map_or(Ok(LogRow::default()), |log| log.row(system))?,
            step_slots: 0,
            stopping: false,
            watch: SolveWatch::NONE,
        })
    }

    /// Returns the indices of the saved states and of the saved observables.
    #[must_use]
    pub fn saved_indices(&self) -> [Vec<usize>; 2] {
        match self.components.as_deref() {
            Some(SavedComponents { states, observables }) => [states.clone(), observables.clone()],
            None => [self.saved.states, self.saved.observables].map(|count| (0..count).collect()),
        }
    }

    /// Returns the names of the saved components, of all `[states, observables]` of the system.
    pub(crate) fn saved_names<'a>(&self, all: [&[&'a str]; 2]) -> [Vec<&'a str>; 2] {
        let [states, observables] = self.saved_indices();
        let named = |indices: Vec<usize>, names: &[&'a str]| {
            indices.into_iter().filter_map(|index| names.get(index).copied()).collect()
        };
        [named(states, all[0]), named(observables, all[1])]
    }

    /// Returns whether there is a smallest or a largest step size.
    #[must_use]
    pub fn limited(&self) -> bool {
        self.lane.dtmin > T::default() || self.lane.dtmax < T::infinity()
    }
}
