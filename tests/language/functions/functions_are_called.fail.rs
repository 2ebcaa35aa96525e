//! Functions and closures are called, values are not.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    du[0] = rate(u[0]);
    du[1] = -u[1];
}

fn main() {}
