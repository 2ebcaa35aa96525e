//! A variable without `let`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    x = u[0];
    [x, u[1], t]
}

fn main() {}
