//! Numbers without a point.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = 3;
    [k * u[0], u[1] / 2, 1 / 2 * u[2]]
}

fn main() {}
