//! `**`, as in Python.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0] ** 2, u[1] ** p[0], t]
}

fn main() {}
