//! A function holds constants, functions and structs, and no other items.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    static RATE: f64 = 0.5;
    du[0] = RATE * u[1];
    du[1] = -u[0];
}

fn main() {}
