//! Random numbers.

// Not every program uses all of it.
#![allow(dead_code)]

/// A stream of random numbers, the same in every run.
///
/// The generator is SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators").
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

/// The increment of the state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Creates the stream of `Random(0)` without its first `count` numbers.
    pub(crate) fn after(count: u64) -> Self {
        Random(count.wrapping_mul(STEP))
    }

    /// Returns the next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number that is uniform in `low..high`.
    pub(crate) fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}
