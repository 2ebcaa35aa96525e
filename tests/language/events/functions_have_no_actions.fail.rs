//! An action is a function, in a module.

use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5)]
#[action(up)]
fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}

fn main() {}
