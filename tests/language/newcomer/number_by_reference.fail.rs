//! One state as a reference to a number.

use odes::ode_system;

#[ode_system]
fn decay(u: &f64) -> f64 {
    -u
}

fn main() {}
