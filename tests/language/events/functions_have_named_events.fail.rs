//! An attribute is of one event, and each event has a name of its own.

use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5, high = u[0] - 0.75)]
#[event(rising, top = u[0] - 0.8)]
#[event(falling, top = u[0] - 0.9)]
fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}

fn main() {}
