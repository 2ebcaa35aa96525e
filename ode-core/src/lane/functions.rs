//! The list of the elementary functions.

/// Passes the list of the elementary functions to a macro.
///
/// Each entry has documentation, name, arguments (for a method the first is the receiver), and the
/// name in C's library, to which `f` is added for `float`.
#[doc(hidden)]
#[macro_export]
macro_rules! elementary_functions {
    ($macro:ident) => {
        $macro! {
            /// Computes `e^x`.
            exp(x) = exp;
            /// Computes the natural logarithm.
            ln(x) = log;
            /// Computes the sine.
            sin(x) = sin;
            /// Computes the cosine.
            cos(x) = cos;
            /// Computes the tangent.
            tan(x) = tan;
            /// Computes the hyperbolic tangent.
            tanh(x) = tanh;
            /// Computes `x` to the power `y`.
            powf(x, y) = pow;
            /// Computes `2^x`.
            exp2(x) = exp2;
            /// Computes `e^x - 1`, accurate near 0.
            exp_m1(x) = expm1;
            /// Computes `ln(1 + x)`, accurate near 0.
            ln_1p(x) = log1p;
            /// Computes the logarithm to base 2.
            log2(x) = log2;
            /// Computes the logarithm to base 10.
            log10(x) = log10;
            /// Computes the cube root.
            cbrt(x) = cbrt;
            /// Computes the arc sine.
            asin(x) = asin;
            /// Computes the arc cosine.
            acos(x) = acos;
            /// Computes the arc tangent.
            atan(x) = atan;
            /// Computes the hyperbolic sine.
            sinh(x) = sinh;
            /// Computes the hyperbolic cosine.
            cosh(x) = cosh;
            /// Computes the inverse hyperbolic sine.
            asinh(x) = asinh;
            /// Computes the inverse hyperbolic cosine.
            acosh(x) = acosh;
            /// Computes the inverse hyperbolic tangent.
            atanh(x) = atanh;
            /// Computes the angle of the point `(x, y)`.
            atan2(y, x) = atan2;
            /// Computes the length of the vector `(x, y)`.
            hypot(x, y) = hypot;
        }
    };
}
