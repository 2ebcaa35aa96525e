//! Counted from one, as in MATLAB, Julia and R.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[1], u[2], u[3]]
}

fn main() {}
