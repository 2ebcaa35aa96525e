//! The time is not assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], mut t: f64) {
    t /= 24.0;
    du[0] = -t * u[0];
    du[1] = u[0];
}

fn main() {}
