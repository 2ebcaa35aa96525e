//! Nor is there an assertion.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    assert!(u[0] >= 0.0);
    du[0] = -u[0].sqrt();
    du[1] = u[0];
}

fn main() {}
