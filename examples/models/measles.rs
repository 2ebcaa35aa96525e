//! Aron and Schwartz, Seasonality and period-doubling bifurcations in an epidemic model, Journal of
//! Theoretical Biology 110 (1984).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 3] = [0.06, 0.001, 0.001];
/// Standard parameters.
pub const P: [f64; 5] = [1800.0, 0.28, 0.02, 35.842, 100.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 5.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 3] = [0.060815849378377, 9.2737860396589e-09, 3.0274360822404e-09];

/// Measles with the contacts of the school year: an SEIR model with seasonal forcing.
///
/// Time is in years.
#[ode_system]
pub mod measles {
    use std::f64::consts::TAU;

    /// Fractions of the population; the rest has recovered.
    pub struct State {
        pub susceptible: f64,
        pub exposed: f64,
        pub infectious: f64,
    }

    /// Rates, per year.
    pub struct Parameters {
        pub contact: f64,
        /// Amplitude of the contacts, as a fraction of their mean.
        pub seasonality: f64,
        /// Births and deaths.
        pub birth: f64,
        /// From the infection to infectiousness.
        pub latency: f64,
        pub recovery: f64,
    }

    pub fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        let season = 1.0 + p.seasonality * (TAU * t).cos();
        let infections = p.contact * season * u.susceptible * u.infectious;
        State {
            susceptible: p.birth * (1.0 - u.susceptible) - infections,
            exposed: infections - (p.latency + p.birth) * u.exposed,
            infectious: p.latency * u.exposed - (p.recovery + p.birth) * u.infectious,
        }
    }

    #[observable]
    pub fn recovered(u: &State) -> f64 {
        1.0 - u.susceptible - u.exposed - u.infectious
    }
}
