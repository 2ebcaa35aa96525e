//! Only arrays have elements.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = t[0] * u[0];
    du[1] = -u[1];
}

fn main() {}
