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
