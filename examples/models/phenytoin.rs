//! Two compartments with saturable elimination: Gabrielsson and Weiner, Pharmacokinetic and
//! Pharmacodynamic Data Analysis.

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 2] = [300.0, 100.0];
/// Standard parameters.
pub const P: [f64; 5] = [40.0, 0.5, 0.3, 20.0, 4.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 24.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 2] = [72.504984676875, 134.18055130647];

/// A drug with saturable elimination. Time is in hours.
#[ode_system]
pub mod phenytoin {
    /// Amounts, mg.
    pub struct State {
        /// In the blood.
        pub central: f64,
        /// In tissue.
        pub peripheral: f64,
    }

    pub struct Parameters {
        /// Volume of the central compartment, l.
        pub volume: f64,
        /// Rate from the central to the peripheral compartment, 1/h.
        pub out: f64,
        /// Rate from the peripheral to the central compartment, 1/h.
        pub back: f64,
        /// Maximal rate of elimination, mg/h.
        pub v_max: f64,
        /// Concentration at half of the maximal rate, mg/l.
        pub k_m: f64,
    }

    /// Concentration in the blood, mg/l.
    #[observable]
    pub fn concentration(u: &State, p: &Parameters) -> f64 {
        u.central / p.volume
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        let c = concentration(u, p);
        let eliminated = p.v_max * c / (p.k_m + c);
        let exchanged = p.out * u.central - p.back * u.peripheral;
        State { central: -exchanged - eliminated, peripheral: exchanged }
    }
}
