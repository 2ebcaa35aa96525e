//! A reference to a `Vec`.

use odes::ode_system;

#[ode_system]
fn model(du: &mut Vec<f64>, u: &Vec<f64>) {
    du[0] = u[1];
    du[1] = -u[0];
}

fn main() {}
