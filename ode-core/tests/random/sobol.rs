//! Sobol' points against SciPy's, and what scrambling keeps and changes.

use crate::evenness;
use ode_core::random::{self, sobol};

fn directions(dimension: usize) -> [u64; 32] {
    sobol::directions(dimension).unwrap().map(u64::from)
}

fn point(index: u64, dimension: usize) -> u64 {
    random::sobol_point::<f64>(index, &directions(dimension))
}

/// Words for a dimension and a seed.
fn keys(dimension: usize, seed: u64) -> [u64; 32] {
    let words = |k: u64| random::philox4x32::<f64>([dimension as u64, 1, k, 0], [seed, 0]);
    let words: Vec<u64> = (0..8).flat_map(words).collect();
    core::array::from_fn(|k| words[k])
}

fn owen(x: u64, dimension: usize, seed: u64) -> u64 {
    random::owen::<f64>(x, &keys(dimension, seed))
}

/// By `tools/sampling_references.py`, in sixteenths.
const SCIPY: [[u64; 8]; 16] = [
    [0, 0, 0, 0, 0, 0, 0, 0],
    [8, 8, 8, 8, 8, 8, 8, 8],
    [12, 4, 4, 4, 12, 12, 4, 12],
    [4, 12, 12, 12, 4, 4, 12, 4],
    [6, 6, 10, 14, 6, 2, 6, 14],
    [14, 14, 2, 6, 14, 10, 14, 6],
    [10, 2, 14, 10, 10, 14, 2, 2],
    [2, 10, 6, 2, 2, 6, 10, 10],
    [3, 5, 15, 7, 9, 5, 7, 15],
    [11, 13, 7, 15, 1, 13, 15, 7],
    [15, 1, 11, 3, 5, 9, 3, 3],
    [7, 9, 3, 11, 13, 1, 11, 11],
    [5, 3, 5, 9, 15, 7, 1, 1],
    [13, 11, 13, 1, 7, 15, 9, 9],
    [9, 7, 1, 13, 3, 11, 5, 13],
    [1, 15, 9, 5, 11, 3, 13, 5],
];

#[test]
fn points_are_those_of_scipy() {
    for (i, row) in SCIPY.iter().enumerate() {
        for (d, sixteenths) in row.iter().enumerate() {
            assert_eq!(point(i as u64, d), sixteenths << 28, "point {i}, dimension {d}");
        }
    }
    for (dimensions, hash) in [(64, 13916476164703414784), (256, 2138733946693330944)] {
        let all: Vec<[u64; 32]> = (0..dimensions).map(directions).collect();
        let mut total: u64 = 0;
        for i in 0..5000 {
            for directions in &all {
                let word = random::sobol_point::<f64>(i, directions);
                total = total.wrapping_mul(6364136223846793005).wrapping_add(word);
                total = total.wrapping_add(1442695040888963407);
            }
        }
        assert_eq!(total, hash, "{dimensions}");
    }
    let far = [0, 1, 100, 255].map(|dimension| point(123_456_789, dimension));
    assert_eq!(far, [4191448864, 3403469216, 2298998240, 563653600]);
    assert_eq!(sobol::DIMENSIONS, 256);
    assert!(sobol::directions(255).is_some() && sobol::directions(256).is_none());
}

/// The cells of an elementary interval: the first `bits[d]` bits of coordinate `d`.
fn counts(points: &[Vec<u64>], bits: &[u32]) -> Vec<u64> {
    let mut counts = vec![0; 1 << bits.iter().sum::<u32>()];
    for point in points {
        let cell = point.iter().zip(bits).fold(0, |cell, (x, b)| cell << b | (x >> (32 - b)));
        counts[cell as usize] += 1;
    }
    counts
}

/// All ways to write `sum` as that many numbers.
fn compositions(sum: u32, parts: usize) -> Vec<Vec<u32>> {
    if parts == 1 {
        return vec![vec![sum]];
    }
    let first = |b: u32| {
        let rest = compositions(sum - b, parts - 1).into_iter();
        rest.map(move |rest| [vec![b], rest].concat())
    };
    (0..=sum).flat_map(first).collect()
}

type Scrambling = fn(u64, usize) -> u64;

const SCRAMBLINGS: [(&str, Scrambling); 3] =
    [("none", |x, _| x), ("shift", |x, d| x ^ keys(d, 3)[0]), ("owen", |x, d| owen(x, d, 3))];

/// Every elementary interval of `2^(t - m)` has `2^t` of the `2^m` points of a `(t, m, s)`-net. Here
/// `t` is the sum of the degrees less one of the dimensions' polynomials (Sobol' 1967).
#[test]
fn scrambled_points_are_nets() {
    let degrees = [1, 1, 2, 3, 3];
    for (name, scrambling) in SCRAMBLINGS {
        for s in 1..=5_usize {
            let t: u32 = degrees[..s].iter().map(|degree| degree - 1).sum();
            for (m, block) in [(t + 1, 0), (t + 4, 5), (9, 0), (9, 3)] {
                let first = block << m;
                let points: Vec<Vec<u64>> = (first..first + (1 << m))
                    .map(|i| (0..s).map(|d| scrambling(point(i, d), d)).collect())
                    .collect();
                for bits in compositions(m - t, s) {
                    let even = counts(&points, &bits).iter().all(|&count| count == 1 << t);
                    assert!(even, "{name}: {s} dimensions, 2^{m} points, {bits:?}");
                }
            }
        }
        for d in 0..sobol::DIMENSIONS {
            let points: Vec<Vec<u64>> =
                (0..256).map(|i| vec![scrambling(point(i, d), d)]).collect();
            assert!(counts(&points, &[8]).iter().all(|&count| count == 1), "{name}: {d}");
        }
    }
}

/// Whether a bit is turned depends on those before it alone, and is as likely as not.
#[test]
fn scrambling_is_nested_and_even() {
    for seed in 0..200 {
        let words = random::philox4x32::<f64>([seed, 7, 0, 0], [0, 0]);
        let x = words[0];
        for bit in 0..32 {
            let other = x ^ (1 << (31 - bit)) ^ (words[1] & ((1 << (31 - bit)) - 1));
            let [y, z] = [x, other].map(|x| owen(x, seed as usize, 9));
            // The first bit in which they differ is the first in which the words did.
            assert_eq!((y ^ z).leading_zeros(), 32 + bit, "{x:x} {other:x}");
        }
    }
    // Of 4096 keys: each bit of the word 0, and each bit of neighbours beside the other's.
    let mut turned = [[0; 2]; 32];
    let mut alike = [0; 32];
    for seed in 0..4096 {
        let [y, z] = [0_u64, 0x8000_0000].map(|x| (x, owen(x, 5, seed)));
        for (bit, (turned, alike)) in turned.iter_mut().zip(&mut alike).enumerate() {
            let flip = |(x, y): (u64, u64)| (x ^ y) >> (31 - bit) & 1;
            turned[flip(y) as usize] += 1;
            *alike += u64::from(flip(y) == flip(z));
        }
    }
    for (bit, (turned, alike)) in turned.iter().zip(alike).enumerate() {
        // Three standard errors and a half, which one of 4000 exceeds.
        assert!((turned[0] as f64 - 2048.0).abs() < 3.5 * 32.0, "{bit}: {turned:?}");
        // The first bit is turned in both or in none.
        assert!(bit == 0 || (alike as f64 - 2048.0).abs() < 3.5 * 32.0, "{bit}: {alike}");
    }
}

/// The error of the mean of a smooth function falls nearly as n^-1.5 (Owen 1997), which that of
/// other points does not: 16 times as many make it 64 times smaller, and random ones 4 times.
#[test]
fn scrambled_points_integrate() {
    let error = |m: u32| {
        let seeds = 0..64_u64;
        let squares = seeds.map(|seed| {
            let mean: f64 = (0..1 << m)
                .map(|i| {
                    let coordinate = |d: usize| {
                        let x = owen(point(i, d), d, seed);
                        random::middle::<f64>(x)
                    };
                    (0..4).map(|d| (coordinate(d)).exp() / 1_f64.exp_m1()).product::<f64>()
                })
                .sum::<f64>()
                / f64::from(1 << m);
            (mean - 1.0).powi(2)
        });
        (squares.sum::<f64>() / 64.0).sqrt()
    };
    let [few, many] = [error(7), error(11)];
    println!("{few:e} {many:e}");
    assert!(few / many > 32.0, "{few:e} {many:e}");
    // A point may come to lie anywhere.
    let mut cells = vec![0; 64];
    (0..6400).for_each(|seed| cells[(owen(point(3, 2), 2, seed) >> 26) as usize] += 1);
    assert!(evenness(&cells).abs() < 3.5, "{}", evenness(&cells));
}
