//! Hodgkin and Huxley, A quantitative description of membrane current, Journal of Physiology 117
//! (1952), with the resting potential at -65 mV.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 4] = [-65.0, 0.0529, 0.5961, 0.3177];
/// Standard parameters.
pub const P: [f64; 1] = [10.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 30.0);
/// The state at its end, by `tools/references.py`.
pub const REFERENCE: [f64; 4] =
    [-55.372183028435, 0.13727986173301, 0.43073714148508, 0.40313850649847];

/// Greatest conductances, mS/cm².
const SODIUM: f64 = 120.0;
const POTASSIUM: f64 = 36.0;
const LEAK: f64 = 0.3;

/// The squid's giant axon: potential (mV) and the gates of two channels; the parameter is the current
/// (µA/cm²). Time in milliseconds.
#[ode_system]
pub fn hodgkin_huxley(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 1], _t: f64) {
    let [v, m, h, n] = *u;
    let [current] = *p;
    let m_opens = 0.1 * (v + 40.0) / (1.0 - (-(v + 40.0) / 10.0).exp());
    let m_closes = 4.0 * (-(v + 65.0) / 18.0).exp();
    let h_opens = 0.07 * (-(v + 65.0) / 20.0).exp();
    let h_closes = 1.0 / (1.0 + (-(v + 35.0) / 10.0).exp());
    let n_opens = 0.01 * (v + 55.0) / (1.0 - (-(v + 55.0) / 10.0).exp());
    let n_closes = 0.125 * (-(v + 65.0) / 80.0).exp();
    let sodium = SODIUM * m.powi(3) * h * (v - 50.0);
    let potassium = POTASSIUM * n.powi(4) * (v + 77.0);
    let leak = LEAK * (v + 54.387);
    du[0] = current - sodium - potassium - leak;
    du[1] = m_opens * (1.0 - m) - m_closes * m;
    du[2] = h_opens * (1.0 - h) - h_closes * h;
    du[3] = n_opens * (1.0 - n) - n_closes * n;
}
