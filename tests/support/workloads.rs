//! Ensembles that several tests solve.
#![allow(dead_code, clippy::type_complexity)]

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Choice, Design, Linspace, LogNormal, LogUniform, Normal, Samples, Uniform};
use odes::system::System;

#[path = "results.rs"]
pub(crate) mod results;
#[path = "transcendental.rs"]
mod transcendental_system;

pub(crate) use odes_models::lorenz::lorenz;
pub(crate) use odes_models::van_der_pol::van_der_pol;
pub(crate) use transcendental_system::transcendental;

/// The number of trajectories that are solved in a moment: `n`, or fewer in a debug build.
///
/// A debug build takes about fifty times as long. A thousand trajectories still fill the widest
/// lanes and their queue.
pub(crate) const fn many(n: usize) -> usize {
    if cfg!(debug_assertions) { n / 25 } else { n }
}

fn scatter(i: usize, n: usize) -> usize {
    // A permutation that mixes well: neighbours differ by a golden section of the range.
    let step = (n as f64 * 0.6180339887498949) as usize | 1;
    let coprime = (step..).find(|s| gcd(*s, n) == 1).unwrap_or(1);
    i.wrapping_mul(coprime) % n
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The Lorenz system with rho from 0 to 28 in mixed order.
pub(crate) fn lorenz_sweep<T: Scalar>(
    n: usize,
    end: f64,
) -> EnsembleProblem<lorenz, T, impl Vary<lorenz, T, 3, 3> + Clone, 3, 3> {
    let p = |rho| [10.0, rho, 8.0 / 3.0];
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=end, p(28.0));
    EnsembleProblem::new(problem)
        .trajectories(n)
        .vary(move |q, i| q.with_p(p(28.0 * scatter(i, n) as f64 / n as f64)))
        .cast()
}

/// The Lorenz system with sampled initial states and parameters.
pub(crate) fn sampled_lorenz<T: Scalar>(
    n: usize,
    design: Design,
) -> EnsembleProblem<lorenz, T, impl Vary<lorenz, T, 3, 3> + Clone, 3, 3> {
    let samples = Samples::seed(0x5eed_0123_4567_89ab)
        .design(design)
        .p(0, Normal { mean: 10.0, sd: 0.5 })
        .p(1, Uniform(0.0, 28.0))
        .p(2, LogNormal { mu: 1.0, sigma: 0.1 })
        .u0(0, LogUniform(0.1, 10.0))
        .u0(1, Choice([0.0, 0.5, 1.0]))
        .u0(2, Linspace(-1.0, 1.0));
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=5.0, [10.0, 28.0, 8.0 / 3.0]);
    EnsembleProblem::new(problem).trajectories(n).sample(samples).cast()
}

/// Van der Pol's oscillator with mu from 1 to 100 in mixed order.
pub(crate) fn van_der_pol_sweep<T: Scalar>(
    n: usize,
) -> EnsembleProblem<van_der_pol, T, impl Vary<van_der_pol, T, 2, 1> + Clone, 2, 1> {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=20.0, [1.0]);
    EnsembleProblem::new(problem)
        .trajectories(n)
        .vary(move |q, i| q.with_p([10f64.powf(2.0 * scatter(i, n) as f64 / n as f64)]))
        .cast()
}

/// Stiffness and damping in mixed order.
pub(crate) fn transcendental_sweep<T: Scalar>(
    n: usize,
) -> EnsembleProblem<transcendental, T, impl Vary<transcendental, T, 2, 2> + Clone, 2, 2> {
    let problem = OdeProblem::new(transcendental, [1.5, 0.0], 0.0..=20.0, [1.0, 0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(n).vary(move |q, i| {
        let s = scatter(i, n) as f64 / n as f64;
        q.with_p([0.5 + 5.0 * s, 0.3 * (1.0 - s)])
    });
    ensemble.cast()
}

/// Compares all results of two solutions, bit for bit.
pub(crate) fn assert_same_bits<S, T, const N: usize, const P: usize>(
    expected: &EnsembleSolution<S, T, N, P>,
    found: &EnsembleSolution<S, T, N, P>,
) where
    S: System<N, P>,
    T: Scalar,
{
    assert_eq!(expected.len(), found.len());
    results::assert_same(expected.len(), expected.raw_results(), found.raw_results());
}
