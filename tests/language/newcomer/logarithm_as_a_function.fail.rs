//! `log(x)`, as in C and NumPy.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [log(u[1]), -u[1].log(), t]
}

fn main() {}
