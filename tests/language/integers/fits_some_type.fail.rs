//! An integer fits into a type.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = 10_i128.pow(40) as f64 * u[1];
    du[1] = -u[0];
}

fn main() {}
