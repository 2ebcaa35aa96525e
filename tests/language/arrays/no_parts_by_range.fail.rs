//! A part of an array is taken by a pattern.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rest = &u[1..];
    du[0] = rest.iter().sum::<f64>();
    du[1] = -u[0];
}

fn main() {}
