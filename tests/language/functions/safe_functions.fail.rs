//! A function inside is a plain one.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    unsafe fn twice(x: f64) -> f64 {
        2.0 * x
    }
    du[0] = twice(u[1]);
    du[1] = -u[0];
}

fn main() {}
