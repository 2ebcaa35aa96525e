//! The plain function stays, so that the errors of its types are rustc's own.

use odes::ode_system;

#[ode_system]
fn immutable(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let rate = 1.0;
    du[0] = rate * u[0];
    rate = 2.0;
    du[0] *= rate;
}

#[ode_system]
fn constant(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = MISSING * u[0];
}

fn main() {}
