//! A system has a state, of at most 4096 numbers, and at most 16,384 parameters.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 100000]) {
    du[0] = p[99999] * u[1];
    du[1] = -u[0];
}

fn main() {}
