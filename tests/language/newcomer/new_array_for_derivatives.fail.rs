//! An array of the same name hides the derivatives.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut du = [0.0; 2];
    du[0] = u[1];
    du[1] = -u[0];
}

fn main() {}
