//! A non-autonomous problem for implicit methods, with its solution.

use odes::prelude::*;

/// `x = cos t`, `y = sin t`; the time occurs in both equations, multiplied with the state.
#[ode_system]
pub(crate) fn forced(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 1], t: f64) {
    let [x, y] = *u;
    let (sin, cos) = (t.sin(), t.cos());
    du[0] = -sin - (x * x * x - cos * cos * cos) + (y - sin);
    du[1] = cos + x * (sin - y);
}

pub(crate) fn distance<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    (0..N).map(|d| (a[d] - b[d]).abs()).fold(0.0, f64::max)
}
