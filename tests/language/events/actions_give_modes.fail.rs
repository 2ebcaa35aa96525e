//! An action gives the state, the modes, or both in this order.

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
    pub(crate) fn on(u: &State) -> (Modes, State) {
        (Modes { heater: 1.0 }, *u)
    }
}

fn main() {}
