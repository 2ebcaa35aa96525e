//! State and parameters may be structs with named fields.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        /// Prey, in thousands.
        pub hares: f64,
        /// Predators, in thousands.
        pub lynxes: f64,
    }

    pub struct Parameters {
        /// Births, and meals, per year.
        pub rate: f64,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State {
            hares: u.hares * (p.rate - u.lynxes),
            lynxes: u.lynxes * (p.rate * u.rabbits - 1.0),
        }
    }
}

fn main() {}
