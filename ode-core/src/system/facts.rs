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
    /// The events, scheduled actions, conditions and jumps that are logged.
    pub(crate) logged: Logged,
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
            logged: Logged([(0, 0); 4]),
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
            logged: Logged::of::<S, N, P>(),
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

/// The events, scheduled actions, conditions and jumps that are logged.
///
/// Each of the four kinds has a count, and a set of bits for its logged members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged([(usize, usize); 4]);

impl Logged {
    pub(crate) const fn of<S: System<N, P>, const N: usize, const P: usize>() -> Self {
        Logged([
            (S::EVENTS, S::LOGGED),
            (S::TIMED, S::TIMED_LOGGED),
            (S::CONDITIONS, S::CONDITIONS_LOGGED),
            (S::JUMPS, S::JUMPS_LOGGED),
        ])
    }

    /// Iterates over the indices among all events, scheduled actions, conditions and jumps.
    pub(crate) fn indices(self) -> impl Iterator<Item = usize> {
        let mut behind = 0;
        self.0.into_iter().flat_map(move |(count, set)| {
            let first = behind;
            behind += count;
            let is_in = move |k: &usize| set.checked_shr(*k as u32).is_some_and(|set| set & 1 == 1);
            (0..count).filter(is_in).map(move |k| first + k)
        })
    }
}
