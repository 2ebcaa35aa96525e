//! Complex numbers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let z = Complex64::new(u[0], u[1]);
    let w = num_complex::Complex::new(0.0, p[0]);
    [z.re, z.im, t]
}

fn main() {}
