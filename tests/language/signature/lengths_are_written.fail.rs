//! A length is part of an array's type: there are no slices.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64]) {
    du[0] = p[0] * u[1];
    du[1] = -u[0];
}

fn main() {}
