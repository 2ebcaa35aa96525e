//! Random numbers for tests.

/// Random numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    /// Returns a number from -1 to 1.
    pub(crate) fn number(&mut self) -> f64 {
        self.below(1 << 40) as f64 / (1u64 << 39) as f64 - 1.0
    }
}
