//! Hill's exponent is a parameter.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].powi(p[0] as i32), -u[1], t]
}

fn main() {}
