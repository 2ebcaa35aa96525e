//! One `=` in a condition.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = 1.0;
    if t = 5.0 { [0.0; 3] } else { [on; 3] }
}

fn main() {}
