//! Kermack and McKendrick, A contribution to the mathematical theory of epidemics, Proceedings of
//! the Royal Society A 115 (1927).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [0.99, 0.01, 0.0];
/// Standard parameters.
pub const P: [f64; 2] = [0.5, 0.25];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 60.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [0.20029102536348, 0.00074222091935417, 0.79896675371717];

/// An epidemic: the susceptible, infectious and recovered fractions of a population.
///
/// Time is in days.
#[ode_system]
pub fn sir(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], _t: f64) {
    let [susceptible, infectious, _recovered] = *u;
    let [contact, recovery] = *p;
    let infections = contact * susceptible * infectious;
    du[0] = -infections;
    du[1] = infections - recovery * infectious;
    du[2] = recovery * infectious;
}
