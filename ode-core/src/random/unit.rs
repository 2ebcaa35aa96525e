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

    /// Returns `(k + 1/2) 2^-52`, or `(k + 1/2) 2^-23` in `f32`.
    ///
    /// `k` is the first 52 (or 23) bits of two words of 32. Each result is a number of the
    /// precision, so nothing is rounded. Results exclude 0 and 1, and `u` is as likely as `1 - u`.
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

    /// Returns `(x + 1/2) 2^-32` for a word `x`, the middle of its cell.
    ///
    /// Only for `f64`.
    pub fn middle<R: Real>(x: R::Bits) -> R {
        let half = <R::Bits as Bits>::lit(0x3ff0_0000_0008_0000);
        R::from_bits(x.shl::<20>() | half) - R::lit(1.0)
    }

    /// Returns a word of 32 bits as a number. Only for `f64`.
    pub fn word<R: Real>(x: R::Bits) -> R {
        let exponent = <R::Bits as Bits>::lit(0x4330_0000_0000_0000);
        R::from_bits(x | exponent) - R::lit(TWO_52)
    }

    /// Returns the number nearest to an integer of 64 bits. Only for `f64`.
    pub fn integer<R: Real>(x: R::Bits) -> R {
        let low = word::<R>(x & <R::Bits as Bits>::lit(0xffff_ffff));
        word::<R>(x.shr::<32>()).mul_add(R::lit(TWO_32), low)
    }

    /// Returns a number in interval `cell` of `n` equal intervals between 0 and 1.
    ///
    /// The word `place` selects one of `2^20` offsets in the interval. Only for `f64`, and for `n`
    /// up to `2^32`.
    pub fn stratum<R: Real>(cell: R::Bits, place: R::Bits, n: R) -> R {
        // Exact: a cell has 32 bits, and an offset 21.
        let places = word::<R>(place.shr::<12>()) + R::lit(0.5);
        places.mul_add(R::lit(PLACE), word::<R>(cell)) / n
    }
}
