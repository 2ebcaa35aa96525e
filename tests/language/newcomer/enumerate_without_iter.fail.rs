//! `enumerate` on an array.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for (i, x) in u.enumerate() {
        s += x * i as f64;
    }
    [s, u[1], t]
}

fn main() {}
