//! `.clone()`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let v = u.clone();
    [v[0], v[1], t]
}

fn main() {}
