//! Returned elements that are no floats.

use odes::ode_system;

#[ode_system]
fn constant(u: &[f64; 2]) -> [f64; 2] {
    [u[1], 0]
}

#[ode_system]
fn switch(u: &[f64; 2]) -> [f64; 2] {
    [u[1], u[0] > 0.0]
}

#[ode_system]
fn nested(u: &[f64; 2]) -> [f64; 2] {
    [u[1], [u[0]]]
}

#[ode_system]
fn counted(u: &[f64; 2]) -> [f64; 2] {
    let n = 3;
    [u[1], n]
}

#[ode_system]
fn longer(u: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0], 0.0]
}

#[ode_system]
fn block(u: &[f64; 2]) -> [f64; 2] {
    let doubled = {
        let x = u[0];
        x * 2.0;
    };
    [doubled, u[1]]
}

#[ode_system]
mod fields {
    pub struct State {
        pub x: f64,
        pub y: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: 0, y: u.x }
    }
}

#[ode_system]
mod observed {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[observable]
    pub fn count(u: &[f64; 1]) -> f64 {
        1
    }
}

fn main() {}
