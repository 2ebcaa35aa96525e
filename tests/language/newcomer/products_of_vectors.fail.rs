//! Products of vectors and norms, as libraries have them.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let a = u.dot(u);
    let b = u.norm();
    [a, b, u.sum()]
}

fn main() {}
