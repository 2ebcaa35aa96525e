//! A loop from one, as in MATLAB, Julia and R.

use odes::ode_system;

#[ode_system]
fn chain(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 1..=3 {
        du[i] = -u[i];
    }
}

fn main() {}
