//! Items that a system has no use for.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct State {
        pub x: f64,
    }

    pub trait Rate {
        fn rate(&self) -> f64;
    }

    impl Rate for State {
        fn rate(&self) -> f64 {
            2.0
        }
    }

    pub fn rhs(u: &State) -> State {
        State { x: -u.rate() * u.x }
    }
}

fn main() {}
