//! A semicolon after the value.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[1], -u[0], t];
}

fn main() {}
