//! The elements of a constant array from outside are found by rustc, those that are there.

use odes::ode_system;

const RATES: [f64; 3] = [0.5, 1.5, 2.5];

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = RATES[i + 2] * u[i];
    }
}

fn main() {}
