//! The arguments of a compilation, and the traits and constants of a compiled system.

use crate::elaborate;
use crate::fuse::Fusion;

/// The number of nodes that derivatives may add, for each permitted operation.
const DERIVATIVE_FACTOR: u64 = 10;

/// The arguments of `#[ode_system]`, which control compilation.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub fusion: Fusion,
    /// The maximal number of operations of the right-hand side.
    pub limit: u64,
    /// Whether handwritten derivatives are checked.
    pub check: bool,
    /// Whether linear equations are solved with a search for pivots.
    pub pivoting: bool,
    /// Whether pull-backs are generated even if no function needs them.
    pub gradients: bool,
}

impl Settings {
    /// Returns the maximal number of nodes that derivatives may add to the graph.
    pub(super) fn most_nodes(&self) -> usize {
        let limit = usize::try_from(DERIVATIVE_FACTOR.saturating_mul(self.limit));
        limit.unwrap_or(usize::MAX)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            fusion: Fusion::On,
            limit: elaborate::LIMIT,
            check: true,
            pivoting: false,
            gradients: false,
        }
    }
}

/// The traits of `ode_core::system` that are implemented for a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capability {
    Rhs,
    Linearised,
    MassMatrix,
    Domain,
    Observe,
    Events,
    TimeBreaks,
    /// Traits that only some systems implement, and that [`Capability::ALL`] does not contain.
    Noise,
    PullBack,
    PullBackEvents,
    Loss,
    Learn,
}

impl Capability {
    /// The traits that all systems implement.
    ///
    /// Each entry contains the name of the trait, and whether it is generic over the numbers of
    /// states and of parameters.
    pub(crate) const ALL: [(Capability, &'static str, [bool; 2]); 7] = [
        (Capability::Rhs, "Rhs", [true, true]),
        (Capability::Linearised, "Linearised", [true, true]),
        (Capability::MassMatrix, "MassMatrix", [true, false]),
        (Capability::Domain, "Domain", [true, true]),
        (Capability::Observe, "Observe", [true, true]),
        (Capability::Events, "Events", [true, true]),
        (Capability::TimeBreaks, "TimeBreaks", [false, true]),
    ];

    /// Returns the capability that a function belongs to.
    pub(crate) fn of(function: &str) -> Capability {
        match function {
            "rhs" | "step_bounds" => Capability::Rhs,
            "mass" => Capability::MassMatrix,
            "out_of_domain" => Capability::Domain,
            "observables" => Capability::Observe,
            "event_values" | "event_slopes" | "event_variances" | "event_streams"
            | "event_actions" | "event_limits" | "event_modes" | "event_delays"
            | "step_conditions" | "due_flags" | "action_times" | "jump_rates" | "jump_bounds"
            | "jump_actions" | "jump_modes" => Capability::Events,
            "noise_sum" | "noise_columns" | "noise_milstein" | "noise_pull_back"
            | "milstein_pull_back" => Capability::Noise,
            "break_times" | "abscissae" => Capability::TimeBreaks,
            "pull_back" | "pulled_state" | "pulled_parameters" | "solve_transposed" | "curve"
            | "curve_more" | "curved" => Capability::PullBack,
            "events_by_state"
            | "events_by_parameters"
            | "events_by_time"
            | "actions_by_state"
            | "actions_by_parameters"
            | "actions_by_time"
            | "dues_by_parameters"
            | "stop_by_parameters" => Capability::PullBackEvents,
            "loss" | "lost_value" | "lost_state" | "lost_parameters" => Capability::Loss,
            "initial" | "given" | "begun" => Capability::Learn,
            _ => Capability::Linearised,
        }
    }
}

/// A constant of a [`Capability`], in all languages; the loop is compiled for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    pub capability: Capability,
    pub name: &'static str,
    pub value: FactValue,
}

/// The value of a [`Fact`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FactValue {
    Is(bool),
    Count(usize),
}
