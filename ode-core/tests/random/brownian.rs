//! Normal numbers and Brownian paths against their laws, and paths of nested steps against each
//! other.

use crate::kolmogorov_smirnov;
use ode_core::lane::{Bits, Real};
use ode_core::random::brownian;
use ode_core::random::path::{self, Path};
use ode_core::random::{self, philox4x32};

/// The distribution function of the normal distribution, by its complementary error function.
fn normal(x: f64) -> f64 {
    // W. J. Cody's rational approximations are long; a continued fraction and a series suffice.
    let z = x.abs() / 2_f64.sqrt();
    let erf = if z < 3.0 {
        let mut term = z;
        let mut sum = z;
        for n in 1..80 {
            term *= -z * z / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    } else {
        let mut fraction = z;
        for n in (1..60).rev() {
            fraction = z + f64::from(n) * 0.5 / fraction;
        }
        1.0 - (-z * z).exp() / (fraction * std::f64::consts::PI.sqrt())
    };
    0.5 * (1.0 + erf.copysign(x))
}

/// Normal numbers of counters `0..blocks`.
fn normals<R: Real + Into<f64>>(blocks: u64) -> Vec<f64> {
    let per = if R::DOUBLE { 2 } else { 4 };
    let block = |i| {
        let lit = |word: u64| <R::Bits as Bits>::lit(word);
        let words = philox4x32::<R>([lit(i), lit(0), lit(9), lit(0)], [lit(1), lit(2)]);
        random::normals::<R>(words).map(Into::into)
    };
    (0..blocks).flat_map(|i| block(i).into_iter().take(per)).collect()
}

/// The first six moments within four standard errors, the distribution, and the tails.
fn check_normals(numbers: &[f64]) {
    let n = numbers.len() as f64;
    // The moments of orders 1 to 12.
    let exact = [0.0, 1.0, 0.0, 3.0, 0.0, 15.0, 0.0, 105.0, 0.0, 945.0, 0.0, 10395.0];
    for k in 1..=6 {
        let found = numbers.iter().map(|x| x.powi(k)).sum::<f64>() / n;
        let (mean, square) = (exact[k as usize - 1], exact[2 * k as usize - 1]);
        let error = ((square - mean * mean) / n).sqrt();
        assert!((found - mean).abs() < 4.0 * error, "moment {k}: {found}");
    }
    assert!(kolmogorov_smirnov(numbers, normal) < 1.95);
    for (bound, share) in [(2.0, 0.045500263896), (3.0, 0.002699796063), (4.0, 6.33424837e-5)] {
        let count = numbers.iter().filter(|x| x.abs() > bound).count() as f64;
        let expected = n * share;
        assert!((count - expected).abs() < 4.0 * expected.sqrt().max(1.0), "{bound}: {count}");
    }
    // Numbers of one block, and neighbours, are independent.
    for lag in 1..=4 {
        let product = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| a * b).sum::<f64>() / n;
        assert!(product.abs() < 4.0 / n.sqrt(), "lag {lag}: {product}");
        let squares = numbers.iter().zip(&numbers[lag..]);
        let squares = squares.map(|(a, b)| (a * a - 1.0) * (b * b - 1.0)).sum::<f64>() / n;
        assert!(squares.abs() < 8.0 / n.sqrt(), "lag {lag}: {squares}");
    }
}

#[test]
fn normal_numbers_are_normal() {
    check_normals(&normals::<f64>(200_000));
    check_normals(&normals::<f32>(100_000));
}

/// The ends of the words: neither a zero nor an infinity becomes a NaN.
#[test]
fn all_words_make_finite_numbers() {
    let words = [0_u64, 1, 0x1ff, 0x2000_0000, 0x3fff_ffff, 0x4000_0000, 0x8000_0000, 0xffff_ffff];
    let mut greatest = [0.0_f64; 2];
    for a in words {
        for b in words {
            let double = random::normals::<f64>([a, a, b, b]);
            let single = random::normals::<f32>([a as u32, b as u32, b as u32, a as u32]);
            assert!(double.iter().all(|x| x.is_finite()) && single.iter().all(|x| x.is_finite()));
            greatest[0] = double.iter().fold(greatest[0], |m, x| m.max(x.abs()));
            greatest[1] = single.iter().fold(greatest[1], |m, x| m.max(f64::from(x.abs())));
        }
    }
    // sqrt(2 * 53 ln 2) and sqrt(66 ln 2).
    assert!((greatest[0] - 8.5717).abs() < 1e-3 && (greatest[1] - 6.7637).abs() < 1e-3);
}

/// A step of the path with this seed.
fn step(number: u64, step: u64, levels: u32, length: f64) -> Path<f64> {
    path::path::<f64>([7, 8], [number, 0], step, levels, length)
}

/// The same step, up to a distance from its beginning.
fn up_to(path: Path<f64>, reach: f64) -> Path<f64> {
    Path { reach, ends_within: true, ..path }
}

const N: u64 = 20_000;

/// Checks that two numbers of each trajectory have this covariance, within four standard errors.
fn covariance(of: impl Fn(u64) -> [f64; 2], [a, b]: [f64; 2], expected: f64) {
    let found = (0..N).map(|i| of(i).iter().product::<f64>()).sum::<f64>() / N as f64;
    let error = ((a * b + expected * expected) / N as f64).sqrt();
    assert!((found - expected).abs() < 4.0 * error, "{found} {expected} ± {error}");
}

/// The numbers of a cell, and of its halves, are independent with the right variances.
#[test]
fn increments_and_areas_have_their_variances() {
    let cell = |i| brownian::increments::<f64, 2>(&step(i, 3, 0, 0.5), true);
    let halves = |i, k: u64| brownian::increments::<f64, 2>(&step(i, 6 + k, 1, 0.25), true);
    let all = |i| {
        let (whole, left, right) = (cell(i), halves(i, 0), halves(i, 1));
        [
            (whole[0][0], 0.5),
            (whole[0][1], 0.5),
            (whole[1][0], 0.5 / 12.0),
            (whole[1][1], 0.5 / 12.0),
            (left[0][0], 0.25),
            (left[1][0], 0.25 / 12.0),
            (right[0][0], 0.25),
            (right[1][0], 0.25 / 12.0),
            (left[0][1], 0.25),
        ]
    };
    let variance = all(0).map(|(_, variance)| variance);
    let rows: Vec<[f64; 9]> = (0..N).map(|i| all(i).map(|(number, _)| number)).collect();
    for a in 0..9 {
        covariance(|i| [rows[i as usize][a]; 2], [variance[a]; 2], variance[a]);
    }
    for [a, b] in [[0, 1], [0, 2], [2, 3], [4, 5], [4, 6], [5, 7], [4, 7], [6, 7], [4, 8]] {
        let of = |i: u64| [rows[i as usize][a], rows[i as usize][b]];
        covariance(of, [variance[a], variance[b]], 0.0);
    }
}

/// The numbers of all processes, in the order of counters, each of them once.
#[test]
fn processes_have_numbers_of_their_own() {
    fn check<R: Real<Scalar = R> + Into<f64>>() {
        let lit = |word: u64| <R::Bits as Bits>::lit(word);
        let path = path::path::<R>([lit(7), lit(8)], [lit(5), lit(1)], lit(3), 0, R::lit(1.0));
        let [w, h] = brownian::increments::<R, 5>(&path, true);
        let block = |block: u64| {
            let counter = [lit(0), lit(3), lit(5), lit(1 | 0x80_0000 | block << 24)];
            random::normals::<R>(philox4x32::<R>(counter, [lit(7), lit(8)]))
        };
        let per = if R::DOUBLE { 2 } else { 4 };
        let all = (0..5).flat_map(|k| block(k).into_iter().take(per));
        let expected: Vec<f64> = all.take(10).map(Into::into).collect();
        let found: Vec<f64> = w.into_iter().map(Into::into).collect();
        assert_eq!(found, expected[..5]);
        for (h, normal) in h.into_iter().zip(&expected[5..]) {
            assert!((h.into() - normal / 12_f64.sqrt()).abs() < 1e-6);
        }
        let alone = brownian::increments::<R, 5>(&path, false);
        assert_eq!(alone[0].map(Into::into), expected[..5]);
    }
    check::<f64>();
    check::<f32>();
}

/// Two steps are one step of twice the length (Chen's relation), at each level of the tree.
#[test]
fn paths_do_not_depend_on_the_step_size() {
    for number in 0..50 {
        for levels in 1..8 {
            let length = 1.0 / f64::from(1 << levels);
            for index in 0..1 << levels {
                let coarse = step(number, index / 2, levels - 1, 2.0 * length);
                let [[w], [h]] = brownian::increments::<f64, 1>(&coarse, true);
                let of = |k| {
                    let path = step(number, (index & !1) + k, levels, length);
                    brownian::increments::<f64, 1>(&path, true).map(|[x]| x)
                };
                let ([w0, h0], [w1, h1]) = (of(0), of(1));
                assert!((w0 + w1 - w).abs() < 1e-15);
                assert!((0.5 * (h0 + h1) + 0.25 * (w0 - w1) - h).abs() < 1e-15);
            }
        }
    }
}

/// A path at a time within a step is the path of a shorter step.
#[test]
fn paths_within_steps() {
    for number in 0..50 {
        let whole = step(number, 5, 0, 0.5);
        let mut sum = 0.0;
        for k in 0..8 {
            let part = brownian::increments::<f64, 1>(&step(number, 40 + k, 3, 0.0625), false);
            sum += part[0][0];
            let reach = 0.0625 * (k + 1) as f64;
            let within = brownian::increments::<f64, 1>(&up_to(whole, reach), true);
            assert!((within[0][0] - sum).abs() < 1e-7, "{k}: {} {sum}", within[0][0]);
        }
        // The path is continuous, and begins at zero.
        let at = |reach| brownian::increments::<f64, 1>(&up_to(whole, reach), true);
        assert_eq!(at(0.0), [[0.0], [0.0]]);
        assert!((at(0.3)[0][0] - at(0.3 + 1e-12)[0][0]).abs() < 1e-5);
        // With and without areas.
        let alone = brownian::increments::<f64, 1>(&whole, false);
        assert_eq!(alone[0], brownian::increments::<f64, 1>(&whole, true)[0]);
    }
}

/// The law at times within a step: increments, areas, and both at two times.
#[test]
fn law_within_steps() {
    let (r, s) = (0.2, 0.33);
    let at = |i, reach| brownian::increments::<f64, 1>(&up_to(step(i, 2, 0, 0.5), reach), true);
    let rows: Vec<[f64; 5]> = (0..N)
        .map(|i| {
            let ([[w], [h]], [[v], [g]]) = (at(i, r), at(i, s));
            [w, h, v, g, v - w]
        })
        .collect();
    let variances = [r, r / 12.0, s, s / 12.0, s - r];
    let of = |a: usize, b: usize| {
        let rows = &rows;
        move |i: u64| [rows[i as usize][a], rows[i as usize][b]]
    };
    for a in 0..5 {
        covariance(of(a, a), [variances[a]; 2], variances[a]);
    }
    for [a, b] in [[0, 1], [2, 3], [0, 4], [1, 4]] {
        covariance(of(a, b), [variances[a], variances[b]], 0.0);
    }
    covariance(of(0, 2), [r, s], r);
}
