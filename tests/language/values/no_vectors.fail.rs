//! Arrays have a fixed length: a lane cannot allocate.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rates = vec![p[0]; 2];
    du[0] = rates[0] * u[1];
    du[1] = -rates[1] * u[0];
}

fn main() {}
