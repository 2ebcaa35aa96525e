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

/// Two equations `u' = c + r u`, with `p = [c, r, c, r]`.
#[ode_system]
pub(crate) fn lines(u: &[f64; 2], p: &[f64; 4]) -> [f64; 2] {
    [p[0] + p[1] * u[0], p[2] + p[3] * u[1]]
}

/// `u' = p u²`.
#[ode_system]
pub(crate) fn hyperbola(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    [p[0] * u[0] * u[0]]
}

/// Two bodies, in a time with the rate `1 + p cos t`: nonlinear, and autonomous if `p` is 0.
#[ode_system]
pub(crate) fn kepler(u: &[f64; 4], p: &[f64; 1], t: f64) -> [f64; 4] {
    let [x, y, vx, vy] = *u;
    let square = x * x + y * y;
    let pull = 1.0 / (square * square.sqrt());
    let rate = 1.0 + p[0] * t.cos();
    [rate * vx, rate * vy, -rate * pull * x, -rate * pull * y]
}
