//! There are as many derivatives as states.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 3]) -> [f64; 2] {
    [u[1], u[2]]
}

fn main() {}
