//! Parameters before the state, as Fortran and some libraries have them.

use odes::ode_system;

#[ode_system]
fn model(p: &[f64; 3], u: &[f64; 2], t: f64) -> [f64; 2] {
    [p[0] * u[0] - p[1] * u[1], p[2] * u[0]]
}

#[ode_system]
fn in_place(du: &mut [f64; 2], p: &[f64; 1], u: &[f64; 2]) {
    du[0] = u[1];
    du[1] = -p[0] * u[0];
}

fn main() {}
