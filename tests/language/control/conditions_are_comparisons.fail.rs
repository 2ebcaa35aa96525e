//! A condition is a comparison, not a number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = if u[0] { 1.0 } else { 0.0 };
    du[1] = u[0];
}

fn main() {}
