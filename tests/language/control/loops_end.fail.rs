//! A loop ends after at most 100 000 rounds.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n = 1;
    while n > 0 {
        n = n % 2 + 1;
    }
    du[0] = n as f64 * u[1];
    du[1] = -u[0];
}

fn main() {}
