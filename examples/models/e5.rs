//! Enright, Hull and Lindberg, Comparing numerical methods for stiff systems, BIT 15 (1975); E5 in
//! Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 4] = [1.76e-3, 0.0, 0.0, 0.0];
/// Standard parameters.
pub const P: [f64; 4] = [7.89e-10, 1.1e7, 1.13e9, 1.13e3];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 1e13);
/// The state at the end of the span, by `tools/references.py`. The first and the last component are
/// below 1e-100.
///
/// The exact solution has `u[1] = u[2] + u[3]`. Rounded arithmetic loses this relation when the
/// three fall from 1e-7: the Bari test set has 8.868e-23 and 8.855e-23, with this value as their
/// mean.
pub const REFERENCE: [f64; 4] = [0.0, 8.8612335212911e-23, 8.8612335212911e-23, 0.0];
/// A time at which the species still exceed the accumulated rounding errors, and the state then.
///
/// The state is by `tools/references.py --until`.
pub const EARLIER: (f64, [f64; 4]) =
    (1e5, [7.4813208224292e-6, 2.3734781561206e-12, 2.2123586689582e-12, 1.6111948716243e-13]);

/// Pyrolysis: four species over nineteen decades of time.
#[ode_system]
pub fn e5(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 4], _t: f64) {
    let first = p[0] * u[0];
    let second = p[1] * u[0] * u[2];
    let third = p[2] * u[1] * u[2];
    let fourth = p[3] * u[3];
    du[0] = -first - second;
    du[1] = first - third;
    du[3] = second - fourth;
    du[2] = du[1] - du[3];
}
