//! Random words as numbers between 0 and 1, and integers as numbers.

#[ode_macros::device(unit)]
pub(super) mod device {
    use crate::lane::{Bits, Real};

    /// `2^52`, whose last place is 1, and `2^32`.
    const TWO_52: f64 = 4503599627370496.0;
    const TWO_32: f64 = 4294967296.0;
    /// `2^-20`.
    const PLACE: f64 = 9.5367431640625e-07;
    /// `1 - 2^-53` and `1 - 2^-24`.
    const BELOW_1_F64: f64 = 0.9999999999999999;
    const BELOW_1_F32: f64 = 0.9999999403953552;

    /// `(k + 1/2) 2^-52` where `k` is the first 52 bits of two words of 32; in `f32` `(k + 1/2)
    /// 2^-23`.
    ///
    /// Each is a number, so nothing is rounded: neither 0 nor 1 is among them, and `u` is as likely
    /// as `1 - u`.
    pub fn open_unit<R: Real>(high: R::Bits, low: R::Bits) -> R {
        if R::DOUBLE {
            let fraction = high.shl::<20>() | low.shr::<12>();
            let one = <R::Bits as Bits>::lit(0x3ff0_0000_0000_0000);
            R::from_bits(fraction | one) - R::lit(BELOW_1_F64)
        } else {
            let one = <R::Bits as Bits>::lit(0x3f80_0000);
            R::from_bits(high.shr::<9>() | one) - R::lit(BELOW_1_F32)
        }
    }

    /// `(x + 1/2) 2^-32`, where `x` is a word: the middle of its cell. Of `f64` only.
    pub fn middle<R: Real>(x: R::Bits) -> R {
        let half = <R::Bits as Bits>::lit(0x3ff0_0000_0008_0000);
        R::from_bits(x.shl::<20>() | half) - R::lit(1.0)
    }

    /// A word of 32 bits as a number. Of `f64` only.
    pub fn word<R: Real>(x: R::Bits) -> R {
        let exponent = <R::Bits as Bits>::lit(0x4330_0000_0000_0000);
        R::from_bits(x | exponent) - R::lit(TWO_52)
    }

    /// The number nearest to an integer of 64 bits. Of `f64` only.
    pub fn integer<R: Real>(x: R::Bits) -> R {
        let low = word::<R>(x & <R::Bits as Bits>::lit(0xffff_ffff));
        word::<R>(x.shr::<32>()).mul_add(R::lit(TWO_32), low)
    }

    /// A number in the interval `cell` of `n` equal ones between 0 and 1: the place in it is one of
    /// `2^20`, by a word. Of `f64` only, and of `n` up to `2^32`.
    pub fn stratum<R: Real>(cell: R::Bits, place: R::Bits, n: R) -> R {
        // Exact: there are 32 bits of a cell, and 21 of a place.
        let places = word::<R>(place.shr::<12>()) + R::lit(0.5);
        places.mul_add(R::lit(PLACE), word::<R>(cell)) / n
    }
}
