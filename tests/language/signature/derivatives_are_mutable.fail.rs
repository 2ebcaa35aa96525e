//! The derivatives are written to a mutable reference, which comes first.

use odes::ode_system;

#[ode_system]
fn rule(du: &[f64; 2], u: &[f64; 2], p: &[f64; 2], t: f64) {
    du[0] = u[1] * p[0];
    du[1] = -u[0] * p[1];
}

fn main() {}
