//! A polynomial, whose exponent is an index.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for n in 0..3 {
        s += u[n] * t.powi(n);
    }
    [s, u[1], p[0]]
}

fn main() {}
