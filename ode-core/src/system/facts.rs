//! A system without its type.

use crate::system::{Noise, System, SystemInfo};

/// The parts of a system that host code reads: its data and constants of its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) info: &'static SystemInfo,
    /// The number of observables.
    pub(crate) observables: usize,
    /// Whether the system has a mass matrix.
    pub(crate) mass: bool,
    /// Whether an event, a scheduled action, a condition or a jump is logged.
    pub(crate) logs: bool,
    /// Whether one of these has an action.
    pub(crate) logs_actions: bool,
    /// Returns the indices of the events, scheduled actions, conditions and jumps that are logged.
    pub(crate) logged: fn() -> Vec<usize>,
    /// Whether the system has scheduled actions.
    pub(crate) timed: bool,
    /// Whether the system has delayed actions.
    pub(crate) delayed: bool,
    /// Whether the system has random jumps.
    pub(crate) jumps: bool,
    /// Whether the system has events and noise.
    pub(crate) passages: bool,
    /// The number of the features' results.
    pub(crate) features: usize,
    /// Whether tables have abscissae that depend on parameters.
    pub(crate) tables: bool,
    /// The number of modes.
    pub(crate) modes: usize,
}

impl Facts {
    /// Creates the facts of a system with states and parameters only.
    pub(crate) const fn new(info: &'static SystemInfo) -> Self {
        Facts {
            info,
            observables: 0,
            mass: false,
            logs: false,
            logs_actions: false,
            logged: Vec::new,
            timed: false,
            delayed: false,
            jumps: false,
            passages: false,
            features: 0,
            tables: false,
            modes: 0,
        }
    }

    pub(crate) fn of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> Self {
        Facts {
            info: system.info(),
            observables: S::OBSERVABLES,
            mass: S::MASS,
            logs: S::LOGGED | S::TIMED_LOGGED | S::CONDITIONS_LOGGED | S::JUMPS_LOGGED != 0,
            logs_actions: (S::LOGGED & (S::ACTING | S::DELAYED))
                | S::TIMED_LOGGED
                | (S::CONDITIONS_LOGGED & S::CONDITIONS_ACTING)
                | (S::JUMPS_LOGGED & S::JUMPS_ACTING)
                != 0,
            logged: || logged::<S, N, P>().collect(),
            timed: S::TIMED > 0,
            delayed: S::DELAYED != 0,
            jumps: S::JUMPS > 0,
            passages: S::EVENTS > 0 && <S::Noise as Noise<N, P>>::NOISES > 0,
            features: S::FEATURE_RESULTS,
            tables: S::TABLES > 0,
            modes: S::MODES,
        }
    }
}

/// Returns the indices of the events, scheduled actions, conditions and jumps that are logged.
pub(crate) fn logged<S: System<N, P>, const N: usize, const P: usize>()
-> impl Iterator<Item = usize> {
    let of = |first: usize, count: usize, set: usize| {
        let is_in = move |k: &usize| set.checked_shr(*k as u32).is_some_and(|set| set & 1 == 1);
        (0..count).filter(is_in).map(move |k| first + k)
    };
    let conditions = S::EVENTS + S::TIMED;
    let jumps = conditions + S::CONDITIONS;
    of(0, S::EVENTS, S::LOGGED)
        .chain(of(S::EVENTS, S::TIMED, S::TIMED_LOGGED))
        .chain(of(conditions, S::CONDITIONS, S::CONDITIONS_LOGGED))
        .chain(of(jumps, S::JUMPS, S::JUMPS_LOGGED))
}
