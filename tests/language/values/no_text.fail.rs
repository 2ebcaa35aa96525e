//! A lane computes with numbers, not with text.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let kind = "exponential";
    du[0] = -u[0];
    du[1] = u[0];
}

fn main() {}
