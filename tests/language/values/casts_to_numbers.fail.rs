//! A cast is to a number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let letter = 65 as char;
    du[0] = u[1];
    du[1] = -u[0];
}

fn main() {}
