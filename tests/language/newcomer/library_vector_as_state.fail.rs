//! A vector type of a library as the state.

use odes::ode_system;

#[ode_system]
fn model(u: &Vector3<f64>) -> Vector3<f64> {
    -u
}

fn main() {}
