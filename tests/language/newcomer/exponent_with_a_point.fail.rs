//! `powi` of a float and `powf` of an integer.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].powi(2.0), u[1].powf(2), u[2].powi(0.5)]
}

fn main() {}
