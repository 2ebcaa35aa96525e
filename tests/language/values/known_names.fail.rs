//! Names are those of the function, and of constants.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    du[0] = raet * u[1];
    du[1] = -u[0];
}

fn main() {}
