//! Duffing (1918); Ueda, Randomly transitional phenomena in the system governed by Duffing's
//! equation, Journal of Statistical Physics 20 (1979).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [1.0, 0.0];
/// Standard parameters.
pub const P: [f64; 3] = [0.3, 0.5, 1.2];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 15.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [0.021077852960559, -0.2732290932112];

/// A forced beam between two magnets.
#[ode_system]
pub fn duffing(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 3], t: f64) {
    let [x, v] = *u;
    let [damping, force, frequency] = *p;
    du[0] = v;
    du[1] = force * (frequency * t).cos() - damping * v + x - x * x * x;
}
