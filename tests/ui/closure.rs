//! A closure, capturing or not, is not part of the subset.

use odes::ode_system;

#[ode_system]
fn capturing(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let rate = |x: f64| p[0] * x;
    du[0] = rate(u[0]);
    du[1] = rate(u[1]);
}

fn main() {}
