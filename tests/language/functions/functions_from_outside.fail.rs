//! A function from outside is under `#[ode_fn]`, and a `use` names it.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = saturation(u[1]);
    du[1] = -u[0];
}

fn main() {}
