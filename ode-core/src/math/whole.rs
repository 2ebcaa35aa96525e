//! Whole numbers as integers, and powers of two.

pub use device::*;

#[ode_macros::device(whole)]
mod device {
    use crate::lane::{Bits, Real};

    /// `2^52`.
    pub const MAX_DOUBLE: f64 = 4503599627370496.0;
    /// `2^23`.
    pub const MAX_SINGLE: f64 = 8388608.0;

    /// The exponents of one, `1023` and `127`.
    const BIAS_DOUBLE: u64 = 1023;
    const BIAS_SINGLE: u64 = 127;

    /// Returns a whole number as an integer.
    ///
    /// The number is at least 0 and below [`MAX_SINGLE`] (`f64`: [`MAX_DOUBLE`]). It is added to the
    /// power of two with a unit of one in its last place.
    pub fn to_bits<R: Real>(x: R) -> R::Bits {
        (x + unit::<R>()).to_bits().wrapping_sub(unit::<R>().to_bits())
    }

    /// Returns the inverse of [`to_bits`].
    pub fn from_bits<R: Real>(x: R::Bits) -> R {
        R::from_bits(x.wrapping_add(unit::<R>().to_bits())) - unit::<R>()
    }

    /// Returns the power of two that [`to_bits`] adds.
    fn unit<R: Real>() -> R {
        if R::DOUBLE { R::lit(MAX_DOUBLE) } else { R::lit(MAX_SINGLE) }
    }

    /// Returns the exponent of one, an integer.
    fn bias<R: Real>() -> R::Bits {
        let bias = if R::DOUBLE { BIAS_DOUBLE } else { BIAS_SINGLE };
        <R::Bits as Bits>::lit(bias)
    }

    /// Returns the largest `n` with `2^n <= x`, for a normal number `x` of at least one.
    pub fn exponent<R: Real>(x: R) -> R::Bits {
        let bits = x.to_bits();
        let shifted = if R::DOUBLE { bits.shr::<52>() } else { bits.shr::<23>() };
        shifted.wrapping_sub(bias::<R>())
    }

    /// Returns `2^-n`, for a small integer `n`.
    pub fn part<R: Real>(n: R::Bits) -> R {
        let exponent = bias::<R>().wrapping_sub(n);
        R::from_bits(if R::DOUBLE { exponent.shl::<52>() } else { exponent.shl::<23>() })
    }
}
