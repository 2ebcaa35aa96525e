//! A closure has the values that were around it when it was made.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    let mut add = |x: f64| sum += x;
    add(u[0]);
    add(u[1]);
    du[0] = sum;
    du[1] = u[0];
}

fn main() {}
