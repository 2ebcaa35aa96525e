//! The state at an earlier time.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let past = u(t - 1.0);
    [past[0], u[1], t]
}

fn main() {}
