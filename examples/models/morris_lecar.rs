//! Morris and Lecar, Voltage oscillations in the barnacle giant muscle fiber, Biophysical Journal
//! 35 (1981); the constants are those of Rinzel and Ermentrout, Analysis of neural excitability and
//! oscillations (1989), for class II excitability.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [-60.0, 0.01];
/// Standard parameters.
pub const P: [f64; 1] = [90.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 200.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [-26.541634638809, 0.1079544680702];

/// Maximal conductances, mS/cm².
const CALCIUM: f64 = 4.4;
const POTASSIUM: f64 = 8.0;
const LEAK: f64 = 2.0;
/// Membrane capacitance, µF/cm².
const CAPACITANCE: f64 = 20.0;

/// A muscle fibre: potential (mV) and fraction of open potassium channels.
///
/// The parameter is the current (µA/cm²). Time is in milliseconds.
#[ode_system]
pub fn morris_lecar(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let [v, w] = *u;
    let [current] = *p;
    let share_open = |middle: f64, width: f64| 0.5 * (1.0 + ((v - middle) / width).tanh());
    let calcium = CALCIUM * share_open(-1.2, 18.0) * (v - 120.0);
    let potassium = POTASSIUM * w * (v + 84.0);
    let leak = LEAK * (v + 60.0);
    let rate = 0.04 * ((v - 2.0) / 60.0).cosh();
    du[0] = (current - calcium - potassium - leak) / CAPACITANCE;
    du[1] = rate * (share_open(2.0, 30.0) - w);
}
