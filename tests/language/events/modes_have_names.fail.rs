//! A mode is a field of its struct.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: p.modes.heater - u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State) -> (State, Modes) {
        (*u, Modes { heating: 1.0 })
    }
}

fn main() {}
