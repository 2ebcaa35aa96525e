//! Aron and Schwartz, Seasonality and period-doubling bifurcations in an epidemic model, Journal of
//! Theoretical Biology 110 (1984).

use std::f64::consts::PI;

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [0.06, 0.001, 0.001];
/// Standard parameters.
pub const P: [f64; 5] = [1800.0, 0.28, 0.02, 35.842, 100.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 5.0);
/// The state at its end, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [0.060815849378377, 9.2737860396589e-09, 3.0274360822404e-09];

/// Measles with the contacts of the school year: an SEIR model forced by the seasons. Time in years.
#[ode_system]
pub fn measles(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 5], t: f64) {
    let [susceptible, exposed, infectious] = *u;
    let [contact, seasonality, birth, latency, recovery] = *p;
    let season = 1.0 + seasonality * (2.0 * PI * t).cos();
    let infections = contact * season * susceptible * infectious;
    du[0] = birth * (1.0 - susceptible) - infections;
    du[1] = infections - (latency + birth) * exposed;
    du[2] = latency * exposed - (recovery + birth) * infectious;
}
