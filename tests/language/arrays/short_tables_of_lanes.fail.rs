//! A table of values that differ between lanes is short: one of constants can be of any length.

use odes::{interp_linear, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 500], _t: f64) {
    du[0] = interp_linear(p, u[1]);
    du[1] = -u[0];
}

fn main() {}
