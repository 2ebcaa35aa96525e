//! A function is marked, and not named by a `use`.

use odes::ode_system;

#[odes::ode_fn]
fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}

#[ode_system]
fn model(u: &[f64; 1]) -> [f64; 1] {
    [-saturation(u[0])]
}

fn main() {}
