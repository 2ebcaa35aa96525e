//! Every index is proved in range.

use odes::ode_system;

#[ode_system]
fn number(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    du[0] = p[1] * u[0];
    du[1] = u[2];
}

#[ode_system]
fn chain(du: &mut [f64; 4], u: &[f64; 4], _p: &[f64; 0], _t: f64) {
    for i in 0..4 {
        du[i] = u[i + 1] - u[i];
    }
}

#[ode_system]
fn underflow(du: &mut [f64; 4], u: &[f64; 4], _p: &[f64; 0], _t: f64) {
    for i in 0..4 {
        du[i] = u[(i - 1 + 4) % 4] - u[i];
    }
}

#[ode_system]
fn written(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    for i in 0..=2 {
        du[i] = u[0];
    }
}

fn main() {}
