//! The time behind a reference.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], p: &[f64; 1], t: &f64) -> [f64; 1] {
    [-u[0] * t]
}

fn main() {}
