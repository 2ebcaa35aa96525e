//! A float does not become an integer: a lane's value is not known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    let day = t as usize;
    du[0] = day as f64 * u[0];
    du[1] = -u[1];
}

fn main() {}
