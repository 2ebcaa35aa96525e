//! A state taken apart as a tuple.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let (x, y, z) = u;
    [x, y, z]
}

fn main() {}
