//! `if let` with an option.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    if let Some(x) = u.get(0) { [*x, -u[1], 0.0] } else { [0.0; 3] }
}

fn main() {}
