//! A method without parentheses.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [t.sin * u[0], u[1], u.len]
}

fn main() {}
