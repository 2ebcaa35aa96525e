//! A system without its type.

use crate::system::System;

/// The properties of a system as values, without its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) name: &'static str,
    pub(crate) states: &'static [&'static str],
    pub(crate) parameters: &'static [&'static str],
    pub(crate) observables: usize,
    /// Whether the system has a mass matrix.
    pub(crate) mass: bool,
    pub(crate) time_breaks: &'static [f64],
    /// Whether there are times to stop at that depend on parameters.
    pub(crate) parameter_breaks: bool,
}

impl Facts {
    pub(crate) fn of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> Self {
        let info = system.info();
        Facts {
            name: info.name,
            states: info.states,
            parameters: info.parameters,
            observables: S::OBSERVABLES,
            mass: S::MASS,
            time_breaks: info.time_breaks,
            parameter_breaks: !info.parameter_breaks.is_empty(),
        }
    }
}
