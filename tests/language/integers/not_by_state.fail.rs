//! An integer does not depend on the state; a float may.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let n = if u[0] > 0.0 { 1 } else { 2 };
    du[0] = n as f64 * u[1];
    du[1] = -u[0];
}

fn main() {}
