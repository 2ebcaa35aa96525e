//! Parameters in two arrays.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], a: &[f64; 1], b: &[f64; 1], t: f64) -> [f64; 1] {
    [-u[0] * a[0] * b[0]]
}

fn main() {}
