//! Methods that there are in Rust, and not here.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let mut v = *u;
    v.sort_by(|a, b| a.total_cmp(b));
    [v[0], v[1], v[2]]
}

fn main() {}
