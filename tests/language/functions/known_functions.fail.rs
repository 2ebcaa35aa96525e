//! The functions of floats are those of the list below.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].gamma();
    du[1] = -u[0];
}

fn main() {}
