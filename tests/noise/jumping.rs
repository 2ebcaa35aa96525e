//! Systems with random jumps.

use odes::prelude::*;

/// Molecules that are born and die, and a protein that they make: stochastic gene expression.
///
/// Pulses with a rate that varies in time are only counted.
#[ode_system]
pub(crate) mod expression {
    pub struct State {
        pub molecules: f64,
        pub protein: f64,
    }

    pub struct Parameters {
        pub birth: f64,
        pub death: f64,
        pub make: f64,
        pub decay: f64,
        pub pulse: f64,
        /// The bounds as a multiple of the largest rates.
        pub factor: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { molecules: 0.0, protein: p.make * u.molecules - p.decay * u.protein }
    }

    #[jump(bound = p.factor * p.birth)]
    fn birth(_u: &State, p: &Parameters) -> f64 {
        p.birth
    }

    #[action(birth)]
    fn born(u: &State) -> State {
        State { molecules: u.molecules + 1.0, ..*u }
    }

    #[jump(bound = p.factor * p.death * u.molecules)]
    fn death(u: &State, p: &Parameters) -> f64 {
        p.death * u.molecules
    }

    #[action(death)]
    fn died(u: &State) -> State {
        State { molecules: u.molecules - 1.0, ..*u }
    }

    #[jump(bound = 2.0 * p.factor * p.pulse, log)]
    fn pulse(_u: &State, p: &Parameters, t: f64) -> f64 {
        p.pulse * (1.0 + (3.0 * t).sin())
    }
}

/// Merton's jump diffusion, of the logarithm of a price.
#[ode_system]
pub(crate) mod merton {
    pub struct State {
        pub log_price: f64,
    }

    pub struct Parameters {
        pub drift: f64,
        pub volatility: f64,
        pub rate: f64,
        pub jump_mean: f64,
        pub jump_sd: f64,
    }

    fn rhs(_u: &State, p: &Parameters) -> State {
        State { log_price: p.drift }
    }

    #[noise]
    fn noise(_u: &State, p: &Parameters) -> State {
        State { log_price: p.volatility }
    }

    #[jump(bound = p.rate)]
    fn crash(_u: &State, p: &Parameters) -> f64 {
        p.rate
    }

    #[action(crash, normal)]
    fn fall(u: &State, p: &Parameters, random: f64) -> State {
        State { log_price: u.log_price + p.jump_mean + p.jump_sd * random }
    }
}

/// A gene that switches, bursts of random sizes, and a limit at which an event halves the amount.
#[ode_system]
pub(crate) mod bursts {
    pub struct State {
        pub amount: f64,
        pub total: f64,
    }

    pub struct Modes {
        pub on: f64,
    }

    pub struct Parameters {
        pub switch: f64,
        pub burst: f64,
        pub limit: f64,
        /// The bounds as a multiple of the least ones.
        pub factor: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { amount: m.on - 0.5 * u.amount, total: u.amount }
    }

    #[jump(bound = p.factor * p.switch * (1.0 + m.on), log)]
    fn switch(_u: &State, p: &Parameters, m: &Modes) -> f64 {
        p.switch * (1.0 + m.on)
    }

    #[action(switch)]
    fn switched(_u: &State, m: &Modes) -> Modes {
        Modes { on: 1.0 - m.on }
    }

    #[jump(bound = p.factor * p.burst * u.amount.max(2.0))]
    fn burst(u: &State, p: &Parameters) -> f64 {
        p.burst * u.amount.min(2.0)
    }

    #[action(burst, uniform)]
    fn grown(u: &State, random: f64) -> State {
        State { amount: u.amount - 0.25 * random.ln(), ..*u }
    }

    #[event(rising)]
    fn full(u: &State, p: &Parameters) -> f64 {
        u.amount - p.limit
    }

    #[action(full)]
    fn halved(u: &State) -> State {
        State { amount: 0.5 * u.amount, ..*u }
    }

    #[at(1.25)]
    fn fed(u: &State) -> State {
        State { amount: u.amount + 1.0, ..*u }
    }
}
