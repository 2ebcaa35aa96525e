//! Numbers with special rules in functions.

use odes::lane::Scalar;

/// Zeros, infinities, a NaN, the ends of the range, a subnormal, and some ordinary numbers.
pub(crate) fn special<T: Scalar>() -> [T; 17] {
    [
        T::lit(0.0),
        T::lit(-0.0),
        T::lit(1.0),
        T::lit(-1.0),
        T::lit(0.5),
        T::lit(2.5),
        T::lit(-3.5),
        T::lit(1e-3),
        T::lit(1e10),
        T::lit(-1e30),
        T::infinity(),
        T::neg_infinity(),
        T::nan(),
        T::max_value(),
        T::min_positive_value(),
        T::min_positive_value() * T::lit(0.25),
        T::epsilon(),
    ]
}
