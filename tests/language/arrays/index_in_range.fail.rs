//! An index is in range: the first element is that of index 0.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1];
    du[1] = -u[2];
}

fn main() {}
