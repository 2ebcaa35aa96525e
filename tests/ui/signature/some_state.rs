//! A system has a state, and at most 4096 numbers of it, and as many parameters.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 100000], u: &[f64; 100000]) {
    for i in 0..100000 {
        du[i] = -u[i];
    }
}

fn main() {}
