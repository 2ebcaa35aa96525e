//! A `match` has an arm for the value that there is.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            0 => u[1],
            2 => -u[0],
        };
    }
}

fn main() {}
