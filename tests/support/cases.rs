//! Small systems with known solutions.
#![allow(dead_code)]

use odes::prelude::*;

/// `u' = -2 t u²`, `u(0) = 1`: `u = 1/(1 + t²)`.
#[ode_system]
pub(crate) fn decay_of_time(u: &[f64; 1], _p: &[f64; 0], t: f64) -> [f64; 1] {
    [-2.0 * t * u[0] * u[0]]
}

/// `x'' = -k x`.
#[ode_system]
pub(crate) fn oscillator(u: &[f64; 2], p: &[f64; 1], _t: f64) -> [f64; 2] {
    let [x, v] = *u;
    [v, -p[0] * x]
}

/// `u' = p u`.
#[ode_system]
pub(crate) fn growth(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    [p[0] * u[0]]
}

/// The restricted three-body problem.
#[ode_system]
pub(crate) fn arenstorf(u: &[f64; 4], p: &[f64; 1], _t: f64) -> [f64; 4] {
    let [x, y, vx, vy] = *u;
    let mu = p[0];
    let nu = 1.0 - mu;
    let to_earth = (x + mu) * (x + mu) + y * y;
    let to_moon = (x - nu) * (x - nu) + y * y;
    let earth = nu / (to_earth * to_earth.sqrt());
    let moon = mu / (to_moon * to_moon.sqrt());
    [vx, vy, x + 2.0 * vy - earth * (x + mu) - moon * (x - nu), y - 2.0 * vx - earth * y - moon * y]
}
