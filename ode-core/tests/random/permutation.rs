//! Permutations that are functions of the index.

use crate::evenness;
use ode_core::random::{self, PermutationKeys};

fn keys(seed: u64) -> [u64; 8] {
    let half = |k: u64| random::philox4x32::<f64>([k, 2, 0, 0], [seed, 0]);
    let [a, b] = [half(0), half(1)];
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}

fn permuted(index: u64, n: u64, seed: u64) -> u64 {
    let network = PermutationKeys::new(n, keys(seed));
    random::permuted::<f64>(index, n, &network.powers, &network.keys)
}

#[test]
fn every_number_is_there_once() {
    for n in (1..=300).chain([1000, 4095, 4096, 4097, 65_537]) {
        for seed in 0..3 {
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = permuted(i, n, seed) as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "{i} of {n}");
            }
        }
    }
    // What is not below `n` ends, too.
    assert!(permuted(77, 5, 1) < 5);
}

/// The largest ones, by a sample: no two of them are the same.
#[test]
fn large_permutations() {
    for n in [(1 << 32) - 1, 1 << 32, (1 << 31) + 1] {
        let mut at: Vec<u64> = (0..20_000).map(|i| permuted(n - 1 - i * 7919, n, 5)).collect();
        at.sort_unstable();
        assert!(at.windows(2).all(|pair| pair[0] < pair[1]) && at[19_999] < n);
        let mut counts = vec![0; 64];
        at.iter().for_each(|&x| counts[(x * 64 / n) as usize] += 1);
        assert!(evenness(&counts).abs() < 3.5, "{}", evenness(&counts));
    }
}

/// Over all keys the places of two indices are any two places, as often as any other two.
#[test]
fn permutations_are_uniform() {
    for n in [2, 3, 5, 7, 12_u64] {
        for (i, j) in [(0, 1), (n - 2, n - 1), (0, n - 1)] {
            let mut counts = vec![0; (n * n) as usize];
            for seed in 0..50_000 {
                let (x, y) = (permuted(i, n, seed), permuted(j, n, seed));
                counts[(x * n + y) as usize] += 1;
            }
            let pairs: Vec<u64> =
                (0..n * n).filter(|at| at / n != at % n).map(|at| counts[at as usize]).collect();
            if pairs.len() > 1 {
                assert!(evenness(&pairs).abs() < 3.9, "{n} {i} {j}: {}", evenness(&pairs));
            }
        }
    }
    // Each permutation of 4 as often as any other.
    let mut counts = vec![0; 256];
    for seed in 0..24_000 {
        let code = (0..4).fold(0, |code, i| code * 4 + permuted(i, 4, seed));
        counts[code as usize] += 1;
    }
    counts.retain(|&count| count > 0);
    assert_eq!(counts.len(), 24);
    assert!(evenness(&counts).abs() < 3.9, "{}", evenness(&counts));
}

/// The places of neighbours are no more alike than random ones, nor are those by two keys.
#[test]
fn permutations_are_not_correlated() {
    for n in [100, 1000, 10_000, 1 << 16] {
        let by_key: Vec<Vec<f64>> = (0..6)
            .map(|seed| {
                (0..n).map(|i| (permuted(i, n, seed) as f64 + 0.5) / n as f64 - 0.5).collect()
            })
            .collect();
        let correlation = |x: &[f64], y: &[f64]| {
            x.iter().zip(y).map(|(x, y)| 12.0 * x * y).sum::<f64>() / (x.len() as f64).sqrt()
        };
        for (k, x) in by_key.iter().enumerate() {
            assert!(correlation(x, &x[1..]).abs() < 4.0, "{n} {k}");
            for y in &by_key[..k] {
                assert!(correlation(x, y).abs() < 4.0, "{n} {k}");
            }
        }
    }
}
