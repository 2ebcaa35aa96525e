//! One state as a number.

use odes::ode_system;

#[ode_system]
fn decay(u: f64, p: f64, t: f64) -> f64 {
    -p * u
}

fn main() {}
