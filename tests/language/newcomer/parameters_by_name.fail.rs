//! A parameter by text, as in a dict.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [p["k"] * u[0], u[1], t]
}

fn main() {}
