//! A closure has a name before it is called.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = (|x: f64| x * x)(u[1]);
    du[1] = -u[0];
}

fn main() {}
