//! A length is part of an array's type: there are no slices.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64], u: &[f64], p: &[f64], t: f64) {
    du[0] = u[1];
    du[1] = -u[0];
}

fn main() {}
