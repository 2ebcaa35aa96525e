//! Fields by `..Default::default()`.

use odes::ode_system;

#[ode_system]
mod model {
    #[derive(Default)]
    pub struct State {
        x: f64,
        y: f64,
    }

    pub fn rhs(u: &State, t: f64) -> State {
        State { x: -u.x, ..Default::default() }
    }
}

#[ode_system]
mod of_the_struct {
    #[derive(Default)]
    pub struct State {
        x: f64,
        y: f64,
    }

    pub fn rhs(u: &State, t: f64) -> State {
        let mut du = State::default();
        du.x = -u.x;
        du
    }
}

fn main() {}
