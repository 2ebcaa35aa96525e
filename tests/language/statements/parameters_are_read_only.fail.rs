//! The parameters are not assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    p[0] *= 2.0;
    du[0] = -p[0] * u[0];
    du[1] = u[0];
}

fn main() {}
