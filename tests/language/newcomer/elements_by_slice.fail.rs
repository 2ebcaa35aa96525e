//! Parts of the state by ranges.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let position = &u[0..2];
    let v = &u[2..];
    [v[0], position[1], t]
}

fn main() {}
