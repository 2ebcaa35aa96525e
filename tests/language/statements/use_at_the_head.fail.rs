//! A `use` stands at the head of the function.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    {
        use std::f64::consts::PI;
        du[0] = PI * u[1];
    }
    du[1] = -u[0];
}

fn main() {}
