//! Philox4x32-10, a generator without a state.

#[ode_macros::device(philox)]
pub(super) mod device {
    use crate::lane::{Bits, Real};

    /// Returns four random words of 32 bits, a function of a counter and a key.
    ///
    /// Philox4x32-10 of Salmon, Moraes, Dror, Shaw, *Parallel random numbers: as easy as 1, 2, 3*
    /// (SC 2011). Words are the lower 32 bits of `R::Bits`. If there are upper bits, they must be
    /// zero in the arguments, and are zero in the result.
    pub fn philox4x32<R: Real>(counter: [R::Bits; 4], key: [R::Bits; 2]) -> [R::Bits; 4] {
        let words = <R::Bits as Bits>::lit(0xffff_ffff);
        let [mut c0, mut c1, mut c2, mut c3] = counter;
        let [mut k0, mut k1] = key;
        for _round in 0..10 {
            let first = <R::Bits as Bits>::lit(0xd251_1f53);
            let second = <R::Bits as Bits>::lit(0xcd9e_8d57);
            // Products read lower words only, so a carry of a key into upper words has no effect.
            let from_c0 = c0.mul_high(first);
            let low = c0.mul_low(first);
            c0 = (c2.mul_high(second) ^ c1) ^ k0;
            c1 = c2.mul_low(second);
            c2 = (from_c0 ^ c3) ^ k1;
            c3 = low;
            k0 = k0.wrapping_add(<R::Bits as Bits>::lit(0x9e37_79b9));
            k1 = k1.wrapping_add(<R::Bits as Bits>::lit(0xbb67_ae85));
        }
        [c0 & words, c1, c2 & words, c3]
    }
}
