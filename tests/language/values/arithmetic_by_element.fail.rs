//! Arithmetic is for numbers, not for arrays.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let scaled = 2.0 * *u;
    du[0] = scaled[1];
    du[1] = -scaled[0];
}

fn main() {}
