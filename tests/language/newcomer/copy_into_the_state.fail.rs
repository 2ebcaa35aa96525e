//! The state clipped in place.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    u[0] = u[0].max(0.0);
    [u[0], u[1], t]
}

fn main() {}
