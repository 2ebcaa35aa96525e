//! `break` and `continue` are for a loop around them.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = -u[0];
    du[1] = u[0];
    break;
}

fn main() {}
