//! The heat equation in one dimension with the length as a constant, slices of the state, and
//! neighbours beyond the ends.

use odes::ode_system;

const N: usize = 16;

#[ode_system]
fn heat(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1], _t: f64) {
    let dx = 1.0 / (N - 1);
    for i in 0..N {
        du[i] = p[0] * (u[i + 1] - 2.0 * u[i] + u[i - 1]) / dx.powi(2);
    }
    let inner = &u[1..N - 1];
    du[0] = inner.first().unwrap() - u[0];
}

fn main() {}
