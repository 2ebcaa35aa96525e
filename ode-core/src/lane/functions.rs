//! The list of the elementary functions.

/// Hands the list of the elementary functions to a macro: documentation, name, arguments (of a
/// method the first is the receiver), and the name in C's library, to which `f` is added for
/// `float`.
#[doc(hidden)]
#[macro_export]
macro_rules! elementary_functions {
    ($macro:ident) => {
        $macro! {
            /// `e` to this power.
            exp(x) = exp;
            /// Natural logarithm.
            ln(x) = log;
            /// Sine.
            sin(x) = sin;
            /// Cosine.
            cos(x) = cos;
            /// Tangent.
            tan(x) = tan;
            /// Hyperbolic tangent.
            tanh(x) = tanh;
            /// `x` to the power `y`.
            powf(x, y) = pow;
            /// 2 to this power.
            exp2(x) = exp2;
            /// `e` to this power, less 1.
            exp_m1(x) = expm1;
            /// Natural logarithm of 1 more than this.
            ln_1p(x) = log1p;
            /// Logarithm to base 2.
            log2(x) = log2;
            /// Logarithm to base 10.
            log10(x) = log10;
            /// Cube root.
            cbrt(x) = cbrt;
            /// Arc sine.
            asin(x) = asin;
            /// Arc cosine.
            acos(x) = acos;
            /// Arc tangent.
            atan(x) = atan;
            /// Hyperbolic sine.
            sinh(x) = sinh;
            /// Hyperbolic cosine.
            cosh(x) = cosh;
            /// Inverse hyperbolic sine.
            asinh(x) = asinh;
            /// Inverse hyperbolic cosine.
            acosh(x) = acosh;
            /// Inverse hyperbolic tangent.
            atanh(x) = atanh;
            /// The angle of the point `(x, y)`.
            atan2(y, x) = atan2;
            /// The length of the vector `(x, y)`.
            hypot(x, y) = hypot;
        }
    };
}
