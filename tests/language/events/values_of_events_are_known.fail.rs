//! The value of an event is of the arguments of the right-hand side, not of its variables.

use odes::ode_system;

#[ode_system]
#[event(rising, up = rest - 0.5)]
fn rule(u: &[f64; 1]) -> [f64; 1] {
    let rest = 1.0 - u[0];
    [rest]
}

fn main() {}
