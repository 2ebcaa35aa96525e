//! Systems with noise of each kind.

use odes::prelude::*;

/// Geometric Brownian motion with its path: scalar noise.
#[ode_system]
pub(crate) mod geometric {
    pub struct State {
        pub x: f64,
        /// The Wiener process.
        pub w: f64,
    }

    pub struct Parameters {
        pub drift: f64,
        pub volatility: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.drift * u.x, w: 0.0 }
    }

    #[noise]
    fn noise(u: &State, p: &Parameters) -> [State; 1] {
        [State { x: p.volatility * u.x, w: 1.0 }]
    }
}

/// Ornstein and Uhlenbeck's process in two components: additive, diagonal noise.
#[ode_system]
pub(crate) mod relaxing {
    pub struct Parameters {
        pub rate: f64,
        pub mean: f64,
        pub sd: [f64; 2],
    }

    fn rhs(u: &[f64; 2], p: &Parameters) -> [f64; 2] {
        [p.rate * (p.mean - u[0]), p.rate * (p.mean - u[1])]
    }

    #[noise]
    fn noise(_u: &[f64; 2], p: &Parameters) -> [f64; 2] {
        p.sd
    }
}

/// Heston's model of a price and its variance, with full truncation: general noise.
#[ode_system]
pub(crate) mod heston {
    pub struct State {
        pub price: f64,
        pub variance: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub reversion: f64,
        pub mean: f64,
        pub volatility: f64,
        pub correlation: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { price: p.rate * u.price, variance: p.reversion * (p.mean - u.variance.max(0.0)) }
    }

    #[noise]
    fn noise(u: &State, p: &Parameters, t: f64) -> [State; 2] {
        let root = u.variance.max(0.0).sqrt();
        // Without effect: the sine of zero.
        let other = (1.0 - p.correlation * p.correlation).sqrt() + (0.0 * t).sin();
        [
            State { price: root * u.price, variance: p.volatility * p.correlation * root },
            State { price: 0.0, variance: p.volatility * other * root },
        ]
    }

    #[observable]
    fn call(u: &State) -> f64 {
        (u.price - 100.0).max(0.0)
    }
}

/// As [`geometric`], in Stratonovich's calculus.
#[ode_system]
pub(crate) mod stratonovich {
    pub struct State {
        pub x: f64,
        pub w: f64,
    }

    pub struct Parameters {
        pub drift: f64,
        pub volatility: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.drift * u.x, w: 0.0 }
    }

    #[noise(stratonovich)]
    fn noise(u: &State, p: &Parameters) -> [State; 1] {
        [State { x: p.volatility * u.x, w: 1.0 }]
    }
}

/// `dx = -x(1 - x²)/4 dt + (1 - x²)/2 dW`, and `W`.
#[ode_system]
pub(crate) mod cubic {
    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-0.25 * u[0] * (1.0 - u[0] * u[0]), 0.0]
    }

    #[noise]
    fn noise(u: &[f64; 2]) -> [[f64; 2]; 1] {
        [[0.5 * (1.0 - u[0] * u[0]), 1.0]]
    }
}

/// `dx = (β/√(1 + t) - x/(2(1 + t))) dt + αβ/√(1 + t) dW`, and `W`: additive noise.
#[ode_system]
pub(crate) mod forced {
    fn rhs(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        [p[1] / (1.0 + t).sqrt() - u[0] / (2.0 * (1.0 + t)), 0.0]
    }

    #[noise]
    fn noise(_u: &[f64; 2], p: &[f64; 2], t: f64) -> [[f64; 2]; 1] {
        [[p[0] * p[1] / (1.0 + t).sqrt(), 1.0]]
    }
}

/// A particle in a double well: additive noise.
#[ode_system]
pub(crate) mod double_well {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [u[0] - u[0] * u[0] * u[0]]
    }

    #[noise]
    fn noise(_u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [p[0]]
    }
}

/// Births and deaths of two species (chemical Langevin equations): general noise of five
/// processes, with doses at given times and an end at a threshold.
#[ode_system]
pub(crate) mod births {
    pub struct State {
        pub a: f64,
        pub b: f64,
    }

    pub struct Parameters {
        pub birth: f64,
        pub death: f64,
        pub change: f64,
        pub dose: f64,
        pub limit: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State {
            a: p.birth - p.death * u.a - p.change * u.a + p.change * u.b,
            b: p.change * u.a - p.change * u.b - p.death * u.b,
        }
    }

    #[noise]
    fn noise(u: &State, p: &Parameters) -> [State; 5] {
        let death = [p.death * u.a, p.death * u.b].map(|rate| rate.max(0.0).sqrt());
        let change = [p.change * u.a, p.change * u.b].map(|rate| rate.max(0.0).sqrt());
        [
            State { a: p.birth.sqrt(), b: 0.0 },
            State { a: -death[0], b: 0.0 },
            State { a: 0.0, b: -death[1] },
            State { a: -change[0], b: change[0] },
            State { a: change[1], b: -change[1] },
        ]
    }

    #[at(0.3, 0.7)]
    fn dose(u: &State, p: &Parameters) -> State {
        State { a: u.a + p.dose, b: u.b }
    }

    #[after_step(stop)]
    fn high(u: &State, p: &Parameters) -> bool {
        u.a > p.limit
    }
}

/// Growth with two sources of noise, whose effects commute, and both processes.
#[ode_system]
pub(crate) mod commuting {
    pub struct State {
        pub x: f64,
        pub w: [f64; 2],
    }

    fn rhs(u: &State, p: &[f64; 3]) -> State {
        State { x: p[0] * u.x, w: [0.0; 2] }
    }

    #[noise]
    fn noise(u: &State, p: &[f64; 3]) -> [State; 2] {
        [State { x: p[1] * u.x, w: [1.0, 0.0] }, State { x: u.x * p[2], w: [0.0, 1.0] }]
    }
}

/// `dx = dW_1`, `dy = x dW_2`: the processes do not commute.
#[ode_system]
pub(crate) mod swept {
    fn rhs(_u: &[f64; 2]) -> [f64; 2] {
        [0.0, 0.0]
    }

    #[noise]
    fn noise(u: &[f64; 2]) -> [f64; 2] {
        [1.0, u[0]]
    }
}

/// Noise that ends at a time.
#[ode_system]
pub(crate) mod switched {
    fn rhs(_u: &[f64; 1], _p: &[f64; 1]) -> [f64; 1] {
        [0.0]
    }

    #[noise]
    fn noise(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
        [if t < p[0] { 1.0 } else { 0.0 }]
    }
}

/// `dx = dW_1`, `dy = x dW_2` in Stratonovich's calculus, which agrees with Itô's here.
#[ode_system]
pub(crate) mod area {
    fn rhs(_u: &[f64; 2]) -> [f64; 2] {
        [0.0, 0.0]
    }

    #[noise(stratonovich)]
    fn noise(u: &[f64; 2]) -> [f64; 2] {
        [1.0, u[0]]
    }
}

/// A particle in a double well and its path, with kicks of both at two times, and an end.
#[ode_system]
pub(crate) mod kicked {
    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] - u[0] * u[0] * u[0], 0.0]
    }

    #[noise]
    fn noise(_u: &[f64; 2]) -> [[f64; 2]; 1] {
        [[0.5, 1.0]]
    }

    #[at(0.3, 0.7)]
    fn kick(u: &[f64; 2]) -> [f64; 2] {
        [u[0] + 1.0, u[1] + 1.0]
    }

    #[after_step(stop)]
    fn high(u: &[f64; 2], p: &[f64; 1]) -> bool {
        u[1] > p[0]
    }
}

/// A process of Ornstein and Uhlenbeck, or a Brownian motion with drift: passages of a level, and
/// exits from an interval.
#[ode_system]
pub(crate) mod walk {
    pub struct Parameters {
        pub drift: f64,
        pub pull: f64,
        pub sd: f64,
        pub level: f64,
        pub low: f64,
        pub high: f64,
    }

    fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [p.drift - p.pull * u[0]]
    }

    #[noise]
    fn noise(_u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [p.sd]
    }

    #[event(rising, log)]
    fn passage(u: &[f64; 1], p: &Parameters) -> f64 {
        u[0] - p.level
    }

    #[event(rising, stop)]
    fn top(u: &[f64; 1], p: &Parameters) -> f64 {
        u[0] - p.high
    }

    #[event(falling, log, stop)]
    fn bottom(u: &[f64; 1], p: &Parameters) -> f64 {
        u[0] - p.low
    }

    #[after_step]
    fn beyond(u: &[f64; 1], p: &Parameters) -> bool {
        u[0] > p.level
    }
}

/// A neuron that integrates noisy input, fires at the threshold 1, and rests at 0.
#[ode_system]
pub(crate) mod neuron {
    pub struct State {
        pub v: f64,
    }

    pub struct Modes {
        pub awake: f64,
    }

    pub struct Parameters {
        pub input: f64,
        pub sd: f64,
        pub rest: f64,
        pub end: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { v: p.modes.awake * (p.input - u.v) }
    }

    #[noise]
    fn noise(_u: &State, p: &Parameters) -> State {
        State { v: p.modes.awake * p.sd }
    }

    #[event(rising, log)]
    fn spike(u: &State) -> f64 {
        u.v - 1.0
    }

    #[action(spike)]
    fn reset(_: &State) -> (State, Modes) {
        (State { v: 0.0 }, Modes { awake: 0.0 })
    }

    #[action(spike, after = p.rest)]
    fn wake(_: &State) -> Modes {
        Modes { awake: 1.0 }
    }

    /// An event without noise.
    #[event(rising, stop)]
    fn end(_: &State, p: &Parameters, t: f64) -> f64 {
        t - p.end
    }
}
