//! A module whose function has another name than `rhs`.

use odes::ode_system;

#[ode_system]
mod lorenz {
    pub struct State {
        pub x: f64,
    }

    pub fn derivatives(u: &State) -> State {
        State { x: -u.x }
    }
}

fn main() {}
