//! The sum of nothing has a type that is written.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = (0..0).map(|i| u[i]).sum();
    du[1] = -u[0];
}

fn main() {}
