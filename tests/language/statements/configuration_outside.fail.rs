//! `#[cfg]` stands on the whole function.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    #[cfg(debug_assertions)]
    let x = u[1];
    #[cfg(not(debug_assertions))]
    let x = 2.0 * u[1];
    du[0] = x;
    du[1] = -u[0];
}

fn main() {}
