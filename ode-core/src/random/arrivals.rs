//! Random numbers of the candidates of a Poisson process, as functions of their number.
//!
//! The times of random jumps are found by them. The counter of
//! [Philox](super::philox4x32) has four words:
//!
//! * the number of the candidate, counted from the beginning of the trajectory;
//! * zero for the gap and the level, one for the number of the action;
//! * the lower 32 bits of the number of the path, as for [Brownian paths](super::brownian);
//! * its next 16 bits, then 8 bits of purpose, then 8 bits with the index of the jump. No Brownian
//!   path has this purpose.
//!
//! The key is the seed.

pub use device::*;

#[ode_macros::device(arrivals)]
mod device {
    use crate::lane::{Bits, Real};
    use crate::random::gauss::device as gauss;
    use crate::random::philox::device as philox;
    use crate::random::unit::device as unit;

    /// The purpose of numbers in the fourth word of a counter.
    const OF_JUMPS: u64 = 0x82_0000;

    /// Returns the random words of a candidate; `block` is the second word of the counter.
    fn words<R: Real>(
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
        block: R::Bits,
    ) -> [R::Bits; 4] {
        let purpose = jump.shl::<24>() | <R::Bits as Bits>::lit(OF_JUMPS);
        philox::philox4x32::<R>([candidate, block, path[0], path[1] | purpose], seed)
    }

    /// Returns the gap after a candidate of the jump with index `jump`, and the level of the candidate.
    ///
    /// The gap is exponential with mean 1. The level is uniform between 0 and 1.
    #[called]
    pub fn gap_and_level<R: Real>(
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    ) -> [R; 2] {
        let [a, b, c, d] = words::<R>(seed, path, jump, candidate, <R::Bits as Bits>::lit(0));
        [-(unit::open_unit::<R>(a, b).ln()), unit::open_unit::<R>(c, d)]
    }

    /// Returns the number of the action of a candidate, uniform between 0 and 1.
    #[called]
    pub fn uniform<R: Real>(
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    ) -> R {
        let [a, b, _c, _d] = words::<R>(seed, path, jump, candidate, <R::Bits as Bits>::lit(1));
        unit::open_unit::<R>(a, b)
    }

    /// Returns the number of the action of a candidate, normal of mean 0 and variance 1.
    #[called]
    pub fn normal<R: Real>(
        seed: [R::Bits; 2],
        path: [R::Bits; 2],
        jump: R::Bits,
        candidate: R::Bits,
    ) -> R {
        let words = words::<R>(seed, path, jump, candidate, <R::Bits as Bits>::lit(1));
        gauss::normals::<R>(words)[0]
    }
}

#[cfg(test)]
mod tests {
    use super::{gap_and_level, normal, uniform};
    use crate::random::{open_unit, philox4x32};

    const SEED: [u64; 2] = [7, 8];
    const PATH: [u64; 2] = [0xffff_fff0, 5];

    /// The numbers are those of the documented counter.
    #[test]
    fn numbers_are_functions_of_the_counter() {
        let words = philox4x32::<f64>([21, 0, PATH[0], PATH[1] | 0x0382_0000], SEED);
        let [gap, level] = gap_and_level::<f64>(SEED, PATH, 3, 21);
        assert_eq!(gap, -open_unit::<f64>(words[0], words[1]).ln());
        assert_eq!(level, open_unit::<f64>(words[2], words[3]));
        let words = philox4x32::<f64>([21, 1, PATH[0], PATH[1] | 0x0382_0000], SEED);
        assert_eq!(uniform::<f64>(SEED, PATH, 3, 21), open_unit::<f64>(words[0], words[1]));
    }

    /// Each jump, candidate and path has other numbers, with the right moments.
    #[test]
    fn numbers_have_their_laws() {
        const N: u64 = 40_000;
        let mean = |number: &dyn Fn(u64, u64) -> f64, expected: f64, sd: f64| {
            for jump in 0..2 {
                let sum: f64 = (0..N).map(|i| number(jump, i)).sum();
                let error = (sum / N as f64 - expected).abs();
                assert!(error < 4.0 * sd / (N as f64).sqrt(), "{jump} {expected} {error}");
            }
        };
        mean(&|j, i| gap_and_level::<f64>(SEED, PATH, j, i)[0], 1.0, 1.0);
        mean(&|j, i| gap_and_level::<f64>(SEED, PATH, j, i)[0].powi(2), 2.0, 20.0_f64.sqrt());
        mean(&|j, i| gap_and_level::<f64>(SEED, PATH, j, i)[1], 0.5, (1.0 / 12.0_f64).sqrt());
        mean(&|j, i| uniform::<f64>(SEED, [i, 0], j, 9), 0.5, (1.0 / 12.0_f64).sqrt());
        mean(&|j, i| normal::<f64>(SEED, [i, 0], j, 9), 0.0, 1.0);
        mean(&|j, i| normal::<f64>(SEED, PATH, j, i).powi(2), 1.0, 2.0_f64.sqrt());
        // Gaps of neighbours, and of two jumps, are independent.
        let gap = |j, i| gap_and_level::<f64>(SEED, PATH, j, i)[0] - 1.0;
        mean(&|j, i| gap(j, i) * gap(j, i + 1), 0.0, 1.0);
        mean(&|j, i| gap(j, i) * gap(j + 1, i), 0.0, 1.0);
        let single = |i: u32| {
            let seed = SEED.map(|word| word as u32);
            f64::from(gap_and_level::<f32>(seed, [3, 0], 1, i)[0])
        };
        mean(&|_, i| single(i as u32), 1.0, 1.0);
    }
}
