//! Two compartments with saturable elimination: Gabrielsson and Weiner, Pharmacokinetic and
//! Pharmacodynamic Data Analysis.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [300.0, 100.0];
/// Standard parameters.
pub const P: [f64; 5] = [40.0, 0.5, 0.3, 20.0, 4.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 24.0);
/// The state at its end, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [72.504984676875, 134.18055130647];

/// Amounts (mg) of a drug in blood and tissue; the parameters are a volume (l), two rates of exchange
/// (1/h), and the greatest rate (mg/h) and half-saturation (mg/l) of elimination. Time in hours.
#[ode_system]
pub fn phenytoin(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 5], _t: f64) {
    let [central, peripheral] = *u;
    let [volume, out, back, most, half] = *p;
    let concentration = central / volume;
    let eliminated = most * concentration / (half + concentration);
    let exchanged = out * central - back * peripheral;
    du[0] = -exchanged - eliminated;
    du[1] = exchanged;
}
