//! A system with features.

use odes::prelude::*;

/// The oscillation `x = sin(ω t + φ)`, and the integral of `t x` as a state.
#[ode_system]
pub(crate) mod tone {
    pub struct State {
        pub x: f64,
        pub v: f64,
        pub moment: f64,
    }

    pub struct Parameters {
        pub omega: f64,
        pub level: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: u.v, v: -p.omega * p.omega * u.x, moment: t * u.x }
    }

    #[feature(maximum, time_positive, minimum, integral)]
    fn x(u: &State) -> f64 {
        u.x
    }

    /// Its integral is the state of the same name.
    #[feature(integral)]
    fn moment(u: &State, _: &Parameters, t: f64) -> f64 {
        t * u.x
    }

    #[feature(time_positive)]
    fn above(u: &State, p: &Parameters) -> f64 {
        x(u) - p.level
    }
}
