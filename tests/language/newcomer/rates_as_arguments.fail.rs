//! Parameters as arguments of their own.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], a: f64, t: f64) -> [f64; 2] {
    [u[1], -a * u[0]]
}

fn main() {}
