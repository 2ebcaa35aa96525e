//! An event of a function has a name and a value.

use odes::ode_system;

#[ode_system]
#[event(rising, stop)]
fn rule(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0] * p[0]]
}

fn main() {}
