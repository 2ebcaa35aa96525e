//! A constant of the other precision.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let w = 2.0 * std::f32::consts::PI;
    [u[1], -w * w * u[0], p[0] * t]
}

fn main() {}
