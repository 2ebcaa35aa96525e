//! An index is an integer that is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let i = p[0];
    du[0] = u[i];
    du[1] = -u[1];
}

fn main() {}
