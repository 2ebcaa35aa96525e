//! There are no options, and nothing to unwrap.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = p[0].unwrap() * u[1];
    du[1] = -u[0];
}

fn main() {}
