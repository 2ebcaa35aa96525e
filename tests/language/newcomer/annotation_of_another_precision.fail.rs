//! A variable of the other precision.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let g: f32 = 9.81;
    [u[1], -g * u[0], t]
}

fn main() {}
