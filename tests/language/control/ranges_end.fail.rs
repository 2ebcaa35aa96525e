//! A range has both ends.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0.. {
        if i < 2 {
            du[i] = -u[i];
        }
    }
}

fn main() {}
