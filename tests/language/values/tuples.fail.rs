//! The elements of tuples are counted from 0.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let pair = (u[1], -u[0]);
    du[0] = pair.1;
    du[1] = pair.2;
}

fn main() {}
