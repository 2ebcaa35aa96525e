//! Fields of an array.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u.x, u.y, u[2]]
}

fn main() {}
