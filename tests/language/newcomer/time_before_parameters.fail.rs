//! The time before the parameters.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], t: f64, p: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0] * p[0]]
}

fn main() {}
