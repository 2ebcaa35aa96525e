//! An array is assigned as a whole before its elements are.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x: [f64; 2];
    x[0] = u[1];
    x[1] = 0.0;
    du[0] = x[0];
    du[1] = x[1] - u[0];
}

fn main() {}
