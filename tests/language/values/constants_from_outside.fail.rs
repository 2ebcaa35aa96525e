//! A constant from outside is a float, or an array of floats; integers that are to be known stand inside.

use odes::ode_system;

const FIRST: usize = 0;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[FIRST];
    du[1] = -u[1];
}

fn main() {}
