//! A ring of cells, with an index that goes below zero.

use odes::ode_system;

#[ode_system]
fn ring(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 0..3 {
        du[i] = u[(i - 1) % 3] - u[i];
    }
}

fn main() {}
