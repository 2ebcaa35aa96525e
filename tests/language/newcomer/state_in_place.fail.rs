//! The state overwritten in place.

use odes::ode_system;

#[ode_system]
fn model(u: &mut [f64; 1], t: f64) {
    u[0] = -u[0];
}

fn main() {}
