//! Lorenz, Deterministic nonperiodic flow, Journal of the Atmospheric Sciences 20 (1963).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [1.0, 0.0, 0.0];
/// Standard parameters.
pub const P: [f64; 3] = [10.0, 28.0, 8.0 / 3.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 10.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [-5.8576853824241, -5.8310824864261, 23.932132987028];

/// Convection in a layer of fluid.
#[ode_system]
pub fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}
