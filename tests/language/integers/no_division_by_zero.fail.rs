//! An integer is not divided by zero.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = (12 / i) as f64 * u[i];
    }
}

fn main() {}
