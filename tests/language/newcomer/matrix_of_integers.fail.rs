//! A matrix of integers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let a = [[0, 1, 0], [-1, 0, 0], [0, 0, 0]];
    let mut du = [0.0; 3];
    for i in 0..3 {
        for j in 0..3 {
            du[i] += a[i][j] * u[j];
        }
    }
    du
}

fn main() {}
