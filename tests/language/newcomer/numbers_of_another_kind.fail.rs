//! Numbers beside the type that they are given.

use odes::ode_system;

#[ode_system]
fn lengths(u: &[f64; 1]) -> [f64; 1] {
    let n: usize = 3.0;
    [u[0] * n as f64]
}

#[ode_system]
fn rates(u: &[f64; 1]) -> [f64; 1] {
    const RATE: f64 = 2;
    let gain: f64 = 3;
    let weights: [f64; 2] = [1, 2.0];
    [u[0] * gain * RATE * weights[0]]
}

#[ode_system]
fn helpers(u: &[f64; 2]) -> [f64; 2] {
    fn square(x: f64) -> f64 {
        x * x;
    }
    fn one(_x: f64) -> f64 {
        1
    }
    [square(u[0]), one(2)]
}

fn main() {}
