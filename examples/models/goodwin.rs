//! Goodwin, Oscillatory behavior in enzymatic control processes, Advances in Enzyme Regulation 3
//! (1965); Griffith (1968).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [0.1, 0.2, 2.5];
/// Standard parameters.
pub const P: [f64; 1] = [0.5];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 50.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [0.31021282896492, 0.46526789698451, 1.0703873446314];

/// A gene that is repressed by its own product.
#[ode_system]
pub fn goodwin(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 1], _t: f64) {
    let [messenger, enzyme, product] = *u;
    let [decay] = *p;
    du[0] = 1.0 / (1.0 + product.powi(10)) - decay * messenger;
    du[1] = messenger - decay * enzyme;
    du[2] = enzyme - decay * product;
}
