//! Random and quasi-random numbers: published values, the same bits on every lane type, and
//! distributions by means that share nothing with the programs.

mod brownian;
mod lanes;
mod nodes;
mod normal;
mod permutation;
mod philox;
mod series;
mod sobol;

use ode_core::random;

/// Uniform numbers of trajectories `0..n`, by the generator itself.
pub(crate) fn uniform(key: [u64; 2], quantity: u64, n: u64) -> Vec<f64> {
    let number = |i: u64| {
        let words = random::philox4x32::<f64>([quantity, 0, i & 0xffff_ffff, i >> 32], key);
        random::open_unit::<f64>(words[0], words[1])
    };
    (0..n).map(number).collect()
}

/// The greatest distance between the distribution function of some numbers and another one, times
/// the root of how many there are. Above 1.95 it is for one set of 1000 (Kolmogorov, Smirnov).
pub(crate) fn kolmogorov_smirnov(numbers: &[f64], distribution: fn(f64) -> f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let distance = sorted.iter().enumerate().map(|(i, &x)| {
        let f = distribution(x);
        (f - i as f64 / n).max((i + 1) as f64 / n - f)
    });
    distance.fold(0.0, f64::max) * n.sqrt()
}

/// The sum of squares of a chi-squared test that all counts have the same expectation, as a
/// standard normal number (Wilson, Hilferty 1931).
pub(crate) fn evenness(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let chi: f64 = counts.iter().map(|&c| (c as f64 - expected).powi(2) / expected).sum();
    let k = (counts.len() - 1) as f64;
    let v = 2.0 / (9.0 * k);
    ((chi / k).cbrt() - (1.0 - v)) / v.sqrt()
}
