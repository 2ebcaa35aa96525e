//! A hash of words.

#[ode_macros::device(hash)]
pub(super) mod device {
    use crate::lane::{Bits, Real};

    /// Returns a hash of a word of 32 bits, a permutation of these words.
    ///
    /// The hash is the last part of MurmurHash3 (Appleby, 2011).
    pub(crate) fn mixed<R: Real>(word: R::Bits) -> R::Bits {
        let x = (word ^ word.shr::<16>()).mul_low(<R::Bits as Bits>::lit(0x85eb_ca6b));
        let x = (x ^ x.shr::<13>()).mul_low(<R::Bits as Bits>::lit(0xc2b2_ae35));
        x ^ x.shr::<16>()
    }
}
