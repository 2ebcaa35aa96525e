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
