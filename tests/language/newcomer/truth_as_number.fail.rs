//! A comparison as a factor.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = (t > 5.0) as f64;
    let off = f64::from(t <= 5.0);
    [on * u[0], off * u[1], (t > 2.0) * u[2]]
}

fn main() {}
