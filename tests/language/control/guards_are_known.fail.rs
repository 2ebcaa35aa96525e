//! The guard of an arm is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            k if u[k] > 0.0 => -u[0],
            _ => u[1],
        };
    }
}

fn main() {}
