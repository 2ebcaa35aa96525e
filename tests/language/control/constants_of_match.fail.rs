//! A constant in a pattern stands inside the function.

use odes::ode_system;

const LAST: usize = 1;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            LAST => -u[0],
            _ => u[1],
        };
    }
}

fn main() {}
