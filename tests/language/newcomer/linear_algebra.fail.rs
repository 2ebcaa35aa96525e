//! Vectors and matrices of a library.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let a = Matrix3::identity();
    let v = Vector3::new(u[0], u[1], u[2]);
    let w = a * v;
    [w[0], w[1], w[2]]
}

fn main() {}
