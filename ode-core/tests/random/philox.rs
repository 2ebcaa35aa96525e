//! The generator against Random123's known answers, and its numbers against their distribution.

use crate::{evenness, kolmogorov_smirnov, uniform};
use ode_core::lane::{Bits, Real};
use ode_core::random;

/// `philox4x32 10` of Random123's `tests/kat_vectors`: counter, key, words.
const KNOWN: [([u64; 4], [u64; 2], [u64; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([0xffff_ffff; 4], [0xffff_ffff; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

#[test]
fn known_answers() {
    fn check<R: Real>() {
        for (counter, key, words) in KNOWN {
            let lit = |word: u64| <R::Bits as Bits>::lit(word);
            let computed = random::philox4x32::<R>(counter.map(lit), key.map(lit));
            assert_eq!(computed.map(|word| word.lane(0)), words);
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn uniform_numbers_are_between_0_and_1() {
    let ends = [0, 0xffff_ffff].map(|word| random::open_unit::<f64>(word, word));
    assert_eq!(ends, [(-53_f64).exp2(), 1.0 - (-53_f64).exp2()]);
    let ends = [0, 0xffff_ffff].map(|word| random::open_unit::<f32>(word, word));
    assert_eq!(ends, [(-24_f32).exp2(), 1.0 - (-24_f32).exp2()]);
    // The opposite bits make 1 minus the number, exactly.
    let words = [0x1234_5678, 0x9abc_def0];
    let [u, v] = [words, words.map(|word| !word & 0xffff_ffff)]
        .map(|[high, low]| random::open_unit::<f64>(high, low));
    assert_eq!(
        u,
        f64::from(0x1234_5678_u32) / 2_f64.powi(32)
            + 0x9abcd as f64 / 2_f64.powi(52)
            + (-53_f64).exp2()
    );
    assert_eq!(u + v, 1.0);
    assert_eq!(random::middle::<f64>(3), 3.5 / 2_f64.powi(32));
    // Cells of an interval are left neither at their ends nor by rounding.
    for n in [1.0, 3.0, 1e6, 2_f64.powi(32)] {
        let last = random::stratum::<f64>(n as u64 - 1, 0xffff_ffff, n);
        assert!(last < 1.0 && last * n > n - 1.0, "{last}");
        assert_eq!(random::stratum::<f64>(0, 0, n), (-21_f64).exp2() / n);
    }
    for i in [0, 1, 0xffff_ffff, 1 << 32, (1 << 53) + 1, (1 << 53) + 3, u64::MAX] {
        assert_eq!(random::integer::<f64>(i), i as f64);
    }
}

/// Of each, the mean and the variance within four standard errors, and the whole distribution.
#[test]
fn uniform_numbers_are_uniform_and_independent() {
    let n: u64 = 100_000;
    let root = (n as f64).sqrt();
    let mut last: Option<Vec<f64>> = None;
    for (key, quantity) in
        [([1, 0], 0), ([1, 0], 1), ([1, 0], 0x8000_0000), ([2, 0], 0), ([1, 1], 0)]
    {
        let numbers = uniform(key, quantity, n);
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let square = numbers.iter().map(|u| (u - 0.5).powi(2)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0_f64).sqrt() / root, "{mean}");
        // The variance of (u - 1/2)^2 is 1/180.
        assert!((square - 1.0 / 12.0).abs() < 4.0 * (1.0 / 180.0_f64).sqrt() / root, "{square}");
        assert!(kolmogorov_smirnov(&numbers, |u| u) < 1.95);
        // Neighbours in pairs, in 16 by 16 cells.
        let mut cells = vec![0; 256];
        for pair in numbers.chunks_exact(2) {
            cells[(pair[0] * 16.0) as usize * 16 + (pair[1] * 16.0) as usize] += 1;
        }
        assert!(evenness(&cells).abs() < 3.5);
        if let Some(other) = last.replace(numbers.clone()) {
            let mut cells = vec![0; 256];
            for (u, v) in numbers.iter().zip(&other) {
                cells[(u * 16.0) as usize * 16 + (v * 16.0) as usize] += 1;
            }
            assert!(evenness(&cells).abs() < 3.5);
        }
    }
}
