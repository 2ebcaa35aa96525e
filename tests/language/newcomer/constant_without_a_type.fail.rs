//! A constant without a type.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    const K = 3.0;
    [K * u[0], 0.0, 0.0]
}

fn main() {}
