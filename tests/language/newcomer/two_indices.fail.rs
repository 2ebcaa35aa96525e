//! The indices of NumPy and Julia.

use odes::ode_system;

#[ode_system]
fn rotation(u: &[f64; 2], _p: &[f64; 0], _t: f64) -> [f64; 2] {
    let a = [[0.0, 1.0], [-1.0, 0.0]];
    [a[0, 1] * u[1], a[1, 0] * u[0]]
}

fn main() {}
