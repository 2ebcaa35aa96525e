//! A table is an array of floats.

use odes::{interp_linear, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = interp_linear(&u[0], t);
    du[1] = -u[1];
}

fn main() {}
