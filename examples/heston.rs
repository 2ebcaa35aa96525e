//! The price of options in Heston's model, against the closed form.
//!
//! ```text
//! cargo run --release -p odes-examples --example heston
//! ```
//!
//! The price `S` of a share has a random variance `v`:
//! `dS = r S dt + √v S dW₁` and `dv = κ (θ - v) dt + ξ √v dW₂`, with correlation `ρ` of the two
//! processes. A call pays `max(S - K, 0)` at the end, and its price is the discounted mean. The
//! program simulates `ln S`, so steps of any size keep the mean of `S`, and the mean serves as a
//! control variate. A step can make `v` negative, and then drift and noise use zero: full
//! truncation (R. Lord, R. Koekkoek, D. van Dijk, *A comparison of biased simulation schemes for
//! stochastic volatility models*, Quantitative Finance 10, 2010).
//!
//! The closed form is an integral over frequencies of the characteristic function of `ln S`. Its
//! exponent solves a Riccati equation, which the program solves for all frequencies at once.

mod support;

use std::error::Error;
use std::f64::consts::PI;

use clap::Parser;
use odes::Saving;
use odes::backend::EnsembleAlgorithm;
use odes::methods::EulerMaruyama;
use odes::prelude::*;
use odes::summary::Summary;

use heston::STRIKES;
use support::place::{Backend, Place};
use support::summary::grouped;

#[ode_system]
mod heston {
    /// The strikes of the calls.
    pub(crate) const STRIKES: [f64; 5] = [80.0, 90.0, 100.0, 110.0, 120.0];

    pub struct State {
        /// The logarithm of the price.
        pub log_price: f64,
        pub variance: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        /// The rate at which the variance returns to its mean.
        pub reversion: f64,
        pub mean: f64,
        /// The volatility of the variance.
        pub volatility: f64,
        pub correlation: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let variance = u.variance.max(0.0);
        State { log_price: p.rate - 0.5 * variance, variance: p.reversion * (p.mean - variance) }
    }

    /// Two independent processes: the second moves the variance alone.
    #[noise]
    fn noise(u: &State, p: &Parameters) -> [State; 2] {
        let root = u.variance.max(0.0).sqrt();
        let own = (1.0 - p.correlation * p.correlation).sqrt();
        [
            State { log_price: root, variance: p.volatility * p.correlation * root },
            State { log_price: 0.0, variance: p.volatility * own * root },
        ]
    }

    #[observable]
    fn price(u: &State) -> f64 {
        u.log_price.exp()
    }

    /// What a call of each strike pays.
    #[observable]
    fn call(u: &State) -> [f64; 5] {
        STRIKES.map(|strike| (u.log_price.exp() - strike).max(0.0))
    }
}

/// The exponent `C + D v` of the characteristic function at the frequency `z - i/2`, with
/// `D' = ½ξ² D² + (ρξ (½ + iz) - κ) D - ½ (z² + ¼)` and `C' = κθ D`.
#[ode_system]
mod exponent {
    pub struct State {
        /// Real and imaginary part of `C`, then of `D`.
        pub c: [f64; 2],
        pub d: [f64; 2],
    }

    pub struct Parameters {
        pub frequency: f64,
        pub reversion: f64,
        pub mean: f64,
        pub volatility: f64,
        pub correlation: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let [x, y] = u.d;
        let square = 0.5 * p.volatility * p.volatility;
        let both = p.correlation * p.volatility;
        let (real, imaginary) = (0.5 * both - p.reversion, both * p.frequency);
        let source = 0.5 * (p.frequency * p.frequency + 0.25);
        State {
            c: [p.reversion * p.mean * x, p.reversion * p.mean * y],
            d: [
                square * (x * x - y * y) + real * x - imaginary * y - source,
                2.0 * square * x * y + real * y + imaginary * x,
            ],
        }
    }
}

/// The price and the variance of the share at the beginning, and the time in years.
const PRICE: f64 = 100.0;
const VARIANCE: f64 = 0.04;
const TIME: f64 = 1.0;

const PARAMETERS: heston::Parameters = heston::Parameters {
    rate: 0.05,
    reversion: 2.0,
    mean: 0.04,
    volatility: 0.3,
    correlation: -0.7,
};

#[derive(Parser)]
struct Options {
    /// The number of paths.
    #[arg(long, default_value_t = 200_000)]
    paths: usize,
    /// The seed of the paths.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "auto")]
    backend: Backend,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let place = Place::choose(options.backend)?;
    let exact = closed()?;
    println!("calls by {} paths, with standard errors", grouped(options.paths as u64));
    print!("steps");
    STRIKES.iter().for_each(|strike| print!("       strike {strike:3}"));
    println!();
    for steps in [4, 8, 16, 32, 64, 128, 256] {
        print!("{steps:5}");
        for [price, error] in simulated(steps, options.paths, options.seed, &*place.algorithm)? {
            print!(" {price:8.4} ± {error:.4}");
        }
        println!();
    }
    print!("exact");
    exact.iter().for_each(|price| print!(" {price:8.4}         "));
    println!();
    Ok(())
}

/// Returns the prices of the calls, each with its standard error.
fn simulated(
    steps: u32,
    paths: usize,
    seed: u64,
    backend: &dyn EnsembleAlgorithm,
) -> Result<[[f64; 2]; 5], Box<dyn Error>> {
    let start = heston::State { log_price: PRICE.ln(), variance: VARIANCE };
    let problem = OdeProblem::new(heston, start, 0.0..=TIME, PARAMETERS);
    let ensemble = EnsembleProblem::new(problem).trajectories(paths);
    let options = SolveOptions::default().fixed_step(TIME / f64::from(steps)).noise_seed(seed);
    let options = options.saveat([TIME]).saving(Saving::Observables);
    let summary = Summary::new().mean().covariance();
    let found = ensemble.reduce(EulerMaruyama, backend, &options, &summary)?;
    let (means, covariances) = (found.mean()?, found.covariance()?);
    let share = found.component("price")?;
    let names = found.names();
    let calls = (0..names.len()).filter(|column| *column != share);
    let mut prices = [[0.0; 2]; 5];
    for (price, call) in prices.iter_mut().zip(calls) {
        let of = |i: usize, j: usize| covariances[[0, i, j]];
        let slope = of(call, share) / of(share, share);
        let excess = means[[0, share]] - PRICE * (PARAMETERS.rate * TIME).exp();
        let variance = of(call, call) - slope * of(call, share);
        let discount = (-PARAMETERS.rate * TIME).exp();
        *price = [means[[0, call]] - slope * excess, (variance / paths as f64).sqrt()];
        *price = price.map(|number| discount * number);
    }
    Ok(prices)
}

/// Returns the prices of the calls by A. Lewis's integral (*Option Valuation under Stochastic
/// Volatility*, 2000).
///
/// The integrand is even, and analytic near the real line, so the trapezoidal rule converges
/// exponentially.
fn closed() -> Result<[f64; 5], SolveError> {
    const WIDTH: f64 = 1.0 / 16.0;
    let heston::Parameters { rate, reversion, mean, volatility, correlation } = PARAMETERS;
    let parameters =
        exponent::Parameters { frequency: 0.0, reversion, mean, volatility, correlation };
    let start = exponent::State { c: [0.0; 2], d: [0.0; 2] };
    let problem = OdeProblem::new(exponent, start, 0.0..=TIME, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(2000).vary(|mut problem, i| {
        problem.p.frequency = i as f64 * WIDTH;
        problem
    });
    let options = SolveOptions::default().tolerance(1e-11);
    let solution = ensemble.solve(Vern7, EnsembleThreads, &options)?;
    Ok(STRIKES.map(|strike| {
        let log = (PRICE / strike).ln() + rate * TIME;
        let mut sum = 0.0;
        for (i, end) in solution.final_states().rows().into_iter().enumerate() {
            let z = i as f64 * WIDTH;
            let [real, imaginary] = [0, 1].map(|part| end[part] + VARIANCE * end[2 + part]);
            let weight = if i == 0 { 0.5 } else { 1.0 };
            sum += weight * real.exp() * (imaginary + z * log).cos() / (z * z + 0.25);
        }
        PRICE - (PRICE * strike).sqrt() * (-0.5 * rate * TIME).exp() / PI * sum * WIDTH
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The price at the strike 100 was computed by another program; prices fall and are convex.
    #[test]
    fn closed_prices() {
        let prices = closed().unwrap();
        assert!((prices[2] - 10.394_218_563_9).abs() < 1e-8, "{prices:?}");
        let slopes = prices.windows(2).map(|pair| (pair[1] - pair[0]) / 10.0).collect::<Vec<_>>();
        assert!(slopes.is_sorted() && slopes[0] > -1.0 && slopes[3] < 0.0, "{slopes:?}");
    }

    /// The bias of 16 steps is below 0.03.
    #[test]
    fn simulated_prices_are_near_the_closed_ones() {
        let place = Place::threads();
        let found = simulated(16, 4000, 1, &*place.algorithm).unwrap();
        for ([price, error], exact) in found.into_iter().zip(closed().unwrap()) {
            assert!((price - exact).abs() < 4.0 * error + 0.03, "{price} {exact} ± {error}");
            assert!(error < 0.12, "{error}");
        }
    }
}
