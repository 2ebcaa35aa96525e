//! Random permutations of `0..n`, as functions of the index.

/// The arguments of [`permuted`](device::permuted) that all indices share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutationKeys {
    /// The length of the permutation.
    pub n: u64,
    /// `2^left`, `2^right` and `2^(32 - right)` for halves of `left` and `right` bits.
    pub powers: [u64; 3],
    /// A word for each round.
    pub keys: [u64; 8],
}

impl PermutationKeys {
    /// Creates a permutation of `0..n`, with `n` from 1 to `2^32`.
    ///
    /// Halves of fewer than four bits mix badly, so a network of 256 numbers makes short
    /// permutations.
    #[must_use]
    pub fn new(n: u64, keys: [u64; 8]) -> Self {
        let bits = (u64::BITS - n.saturating_sub(1).leading_zeros()).clamp(8, 32);
        let (left, right) = (bits / 2, bits - bits / 2);
        PermutationKeys { n, powers: [1 << left, 1 << right, 1 << (32 - right)], keys }
    }
}

#[ode_macros::device(permutation)]
pub(super) mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::random::hash::device as hash;

    /// Permutes the integers of `left + right` bits by a Feistel network.
    ///
    /// (Luby, Rackoff, *How to construct pseudorandom permutations*, SIAM J. Comput. 17, 1988.) The
    /// sizes of its two halves may differ by a bit. `powers` are `2^left`, `2^right` and
    /// `2^(32 - right)`, with `left` and `right` from 1 to 16.
    fn network<R: Real>(x: R::Bits, powers: &[R::Bits; 3], keys: &[R::Bits; 8]) -> R::Bits {
        let one = <R::Bits as Bits>::lit(1);
        let left = powers[0].wrapping_sub(one);
        let right = powers[1].wrapping_sub(one);
        // Products replace shifts whose length is not a literal.
        let mut l = x.mul_high(powers[2]) & left;
        let mut r = x & right;
        for i in 0..4 {
            l = l ^ (hash::mixed::<R>(r ^ keys[2 * i]) & left);
            r = r ^ (hash::mixed::<R>(l ^ keys[2 * i + 1]) & right);
        }
        l.mul_low(powers[1]) | r
    }

    /// Returns the image of `index` under a random permutation of `0..n`, with `n` from 1 to
    /// `2^32`.
    ///
    /// A network permutes the least power of two that is at least `n`. While a result is not below
    /// `n`, it is permuted again, on average at most once (cycle walking; Black, Rogaway, *Ciphers
    /// with arbitrary finite domains*, CT-RSA 2002). An index that is not below `n` counts as 0,
    /// because its cycle may have no number below `n`. The other arguments are the fields of
    /// [`PermutationKeys`](super::PermutationKeys).
    pub fn permuted<R: Real>(
        index: R::Bits,
        n: R::Bits,
        powers: &[R::Bits; 3],
        keys: &[R::Bits; 8],
    ) -> R::Bits {
        let start = <R::Bits as Bits>::select(index.less_than(n), index, <R::Bits as Bits>::lit(0));
        let mut x = network::<R>(start, powers, keys);
        let mut outside = !(x.less_than(n));
        while outside.any() {
            x = <R::Bits as Bits>::select(outside, network::<R>(x, powers, keys), x);
            outside = !(x.less_than(n));
        }
        x
    }
}
