//! An event with an action.

use odes::prelude::*;

/// A ball that loses some of its speed at the ground.
#[ode_system]
pub(crate) mod bouncing {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
        pub restitution: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(falling, log)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters) -> State {
        State { height: 0.0, velocity: -p.restitution * u.velocity }
    }
}
