//! Modes are among the parameters.

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
        pub rate: f64,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: -p.rate * u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State, m: &Modes) -> (State, Modes) {
        (*u, Modes { heater: 1.0 - m.heater })
    }
}

fn main() {}
