//! An `if` without `else` as a value.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = if t > 5.0 {
        1.0
    };
    [k * u[0], u[1], t]
}

fn main() {}
