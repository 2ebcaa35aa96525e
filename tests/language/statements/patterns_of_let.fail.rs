//! Patterns are names, `_`, arrays, tuples and structs of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let ref x = u[0];
    du[0] = *x;
    du[1] = -u[0];
}

fn main() {}
