//! Loops up to the time.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let mut s = 0.0;
    let mut x = 0.0;
    while x < t {
        s += x;
        x += 1.0;
    }
    for dose in 0..(t as usize) {
        s += 1.0;
    }
    [s - u[0]]
}

fn main() {}
