//! State and parameters by value.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct State {
        pub x: f64,
    }
    pub struct Parameters {
        pub k: f64,
    }
    pub fn rhs(u: State, p: Parameters, t: f64) -> State {
        State { x: -p.k * u.x }
    }
}

fn main() {}
