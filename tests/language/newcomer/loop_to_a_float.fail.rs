//! A loop to a float.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let n = 3.0;
    let mut s = 0.0;
    for i in 0..n {
        s += u[i];
    }
    [s, u[1], t]
}

fn main() {}
