//! The bounds of a loop are integers known at compile time.

use odes::ode_system;

const N: usize = 2;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..N {
        du[i] = -u[i];
    }
}

fn main() {}
