//! Special values one by one, and properties that hold exactly.

mod more;

use crate::Random;
use ode_core::math;

macro_rules! special_values {
    ($module:ident, $float:ident) => {
        pub(super) mod $module {
            use super::*;

            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const MAX: $float = $float::MAX;
            const NORMAL: $float = $float::MIN_POSITIVE;
            /// The smallest subnormal number.
            const TINY: $float = $float::from_bits(1);

            /// Equal bits, or both NaN.
            #[track_caller]
            pub(in crate::special) fn same(actual: $float, expected: $float) {
                let equal = actual.to_bits() == expected.to_bits();
                let nan = actual.is_nan() && expected.is_nan();
                assert!(equal || nan, "{actual:e} instead of {expected:e}");
            }

            #[test]
            fn exp() {
                same(math::exp(0.0 as $float), 1.0);
                same(math::exp(-0.0 as $float), 1.0);
                same(math::exp(TINY), 1.0);
                same(math::exp(-TINY), 1.0);
                same(math::exp(INF), INF);
                same(math::exp(-INF), 0.0);
                same(math::exp(MAX), INF);
                same(math::exp(-MAX), 0.0);
                same(math::exp(NAN), NAN);
                same(math::exp(-NAN), NAN);
            }

            #[test]
            fn ln() {
                same(math::ln(1.0 as $float), 0.0);
                same(math::ln(0.0 as $float), -INF);
                same(math::ln(-0.0 as $float), -INF);
                same(math::ln(INF), INF);
                same(math::ln(-INF), NAN);
                same(math::ln(-1.0 as $float), NAN);
                same(math::ln(-TINY), NAN);
                same(math::ln(-MAX), NAN);
                same(math::ln(NAN), NAN);
                same(math::ln(TINY), (TINY as f64).ln() as $float);
                same(math::ln(MAX), (MAX as f64).ln() as $float);
            }

            #[test]
            fn tanh() {
                same(math::tanh(0.0 as $float), 0.0);
                same(math::tanh(-0.0 as $float), -0.0);
                same(math::tanh(TINY), TINY);
                same(math::tanh(-TINY), -TINY);
                same(math::tanh(NORMAL), NORMAL);
                same(math::tanh(30.0 as $float), 1.0);
                same(math::tanh(MAX), 1.0);
                same(math::tanh(INF), 1.0);
                same(math::tanh(-INF), -1.0);
                same(math::tanh(NAN), NAN);
            }

            #[test]
            fn sine_cosine_tangent() {
                same(math::sin(0.0 as $float), 0.0);
                same(math::sin(-0.0 as $float), -0.0);
                same(math::sin(TINY), TINY);
                same(math::sin(-TINY), -TINY);
                same(math::sin(-NORMAL), -NORMAL);
                same(math::sin(INF), NAN);
                same(math::sin(-INF), NAN);
                same(math::sin(NAN), NAN);
                same(math::cos(0.0 as $float), 1.0);
                same(math::cos(-0.0 as $float), 1.0);
                same(math::cos(TINY), 1.0);
                same(math::cos(INF), NAN);
                same(math::cos(-INF), NAN);
                same(math::cos(NAN), NAN);
                same(math::tan(0.0 as $float), 0.0);
                same(math::tan(-0.0 as $float), -0.0);
                same(math::tan(TINY), TINY);
                same(math::tan(-NORMAL), -NORMAL);
                same(math::tan(INF), NAN);
                same(math::tan(-INF), NAN);
                same(math::tan(NAN), NAN);
            }

            /// IEEE 754-2019, 9.2.1; C99, F.9.4.4.
            #[test]
            fn powf() {
                let everything = [
                    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 2.5, -2.5, TINY, -TINY,
                    NORMAL, -NORMAL, MAX, -MAX, INF, -INF, NAN,
                ];
                for x in everything {
                    same(math::powf(x, 0.0), 1.0);
                    same(math::powf(x, -0.0), 1.0);
                    same(math::powf(1.0, x), 1.0);
                    if x != 0.0 {
                        same(math::powf(NAN, x), NAN);
                    }
                    if x != 1.0 {
                        same(math::powf(x, NAN), NAN);
                    }
                }
                // Zeros.
                for odd in [1.0, 3.0, 1001.0] {
                    same(math::powf(0.0, -odd), INF);
                    same(math::powf(-0.0, -odd), -INF);
                    same(math::powf(0.0, odd), 0.0);
                    same(math::powf(-0.0, odd), -0.0);
                    same(math::powf(-INF, -odd), -0.0);
                    same(math::powf(-INF, odd), -INF);
                    same(math::powf(INF, -odd), 0.0);
                    same(math::powf(INF, odd), INF);
                }
                for other in [2.0, 4.0, 0.5, 2.5, TINY, MAX, INF] {
                    same(math::powf(0.0, -other), INF);
                    same(math::powf(-0.0, -other), INF);
                    same(math::powf(0.0, other), 0.0);
                    same(math::powf(-0.0, other), 0.0);
                    same(math::powf(-INF, -other), 0.0);
                    same(math::powf(-INF, other), INF);
                    same(math::powf(INF, -other), 0.0);
                    same(math::powf(INF, other), INF);
                }
                // Infinite exponents.
                same(math::powf(-1.0, INF), 1.0);
                same(math::powf(-1.0, -INF), 1.0);
                for above in [1.5, 2.0, MAX, INF, 1.0 + $float::EPSILON] {
                    for x in [above, -above] {
                        same(math::powf(x, INF), INF);
                        same(math::powf(x, -INF), 0.0);
                        same(math::powf(1.0 / x, INF), 0.0);
                        same(math::powf(1.0 / x, -INF), INF);
                    }
                }
                // Negative bases.
                same(math::powf(-2.0, 3.0), -8.0);
                same(math::powf(-2.0, -3.0), -0.125);
                same(math::powf(-2.0, 4.0), 16.0);
                same(math::powf(-TINY, 1.0), -TINY);
                same(math::powf(-MAX, 1.0), -MAX);
                same(math::powf(-1.0, MAX), 1.0);
                same(math::powf(-1.0, 1.0 / $float::EPSILON + 1.0), -1.0);
                same(math::powf(-2.0, 1001.0), -((2.0_f64).powi(1001) as $float));
                same(math::powf(-3.0, 10001.0), -INF);
                same(math::powf(-3.0, -10001.0), -0.0);
                for fraction in [0.5, -0.5, 2.5, -1.25, TINY] {
                    for x in [-1.0, -2.0, -TINY, -MAX, -0.5] {
                        same(math::powf(x, fraction), NAN);
                    }
                }
                // Huge and tiny exponents.
                same(math::powf(1.0 + $float::EPSILON, MAX), INF);
                same(math::powf(1.0 + $float::EPSILON, -MAX), 0.0);
                same(math::powf(1.0 - $float::EPSILON, MAX), 0.0);
                same(math::powf(MAX, TINY), 1.0);
                same(math::powf(TINY, TINY), 1.0);
                // Edges of the range.
                same(math::powf(TINY, 1.0), TINY);
                same(math::powf(MAX, 1.0), MAX);
                same(math::powf(NORMAL, 1.0), NORMAL);
                same(math::powf(MAX, -1.0), 1.0 / MAX);
                same(math::powf(TINY, -1.0), INF);
            }

            /// Where `x^y` is a number of the format, it is the result.
            #[test]
            fn exact_powers_are_exact() {
                for base in 2..200_u64 {
                    let mut power = 1_u64;
                    for exponent in 0.. {
                        let x = base as $float;
                        same(math::powf(x, exponent as $float), power as $float);
                        let sign = if exponent % 2 == 1 { -1.0 } else { 1.0 };
                        same(math::powf(-x, exponent as $float), sign * power as $float);
                        power = match power.checked_mul(base) {
                            Some(p) if p < 1 << $float::MANTISSA_DIGITS => p,
                            _ => break,
                        };
                    }
                }
                for n in $float::MIN_EXP - $float::MANTISSA_DIGITS as i32..$float::MAX_EXP {
                    let expected = (2.0 as $float).powi(n / 2) * (2.0 as $float).powi(n - n / 2);
                    same(math::powf(2.0, n as $float), expected);
                    same(math::powf(0.5, -n as $float), expected);
                }
            }

            #[test]
            fn symmetries_are_exact() {
                let mut random = Random(5);
                for _ in 0..100_000 {
                    let x = random.logarithmic(-100.0, 100.0) as $float;
                    same(math::sin(-x), -math::sin(x));
                    same(math::tan(-x), -math::tan(x));
                    same(math::tanh(-x), -math::tanh(x));
                    same(math::cos(-x), math::cos(x));
                }
            }
        }
    };
}
special_values!(double, f64);
special_values!(single, f32);

/// The first argument past which a result is infinite, subnormal or zero, and the last before.
#[test]
fn overflow_and_underflow_begin_where_they_should() {
    let next = |x: f64| f64::from_bits(x.to_bits() + 1);
    let last = 709.782712893384_f64;
    assert!(math::exp(last).is_finite() && math::exp(next(last)).is_infinite());
    let last = -745.1332191019411_f64;
    assert!(math::exp(last) > 0.0);
    double::same(math::exp(next(last)), 0.0);
    let next = |x: f32| f32::from_bits(x.to_bits() + 1);
    let last = 88.72283_f32;
    assert!(math::exp(last).is_finite() && math::exp(next(last)).is_infinite());
    let last = -103.972076_f32;
    assert!(math::exp(last) > 0.0);
    single::same(math::exp(next(last)), 0.0);
    // Halves of the smallest number tie to even.
    double::same(math::powf(2.0, -1074.0), f64::from_bits(1));
    double::same(math::powf(2.0, -1075.0), 0.0);
    double::same(math::powf(2.0, 1024.0), f64::INFINITY);
    single::same(math::powf(2.0, -149.0), f32::from_bits(1));
    single::same(math::powf(2.0, -150.0), 0.0);
    single::same(math::powf(2.0, 128.0), f32::INFINITY);
}

/// Published hard cases of the reduction, and a few constants.
#[test]
fn known_values() {
    // The f64 nearest to a multiple of pi/2 (Muller, Elementary Functions, 3rd ed., 11.3.2).
    let x = 6381956970095103.0 * 797_f64.exp2();
    assert!((math::cos(x) / -4.6871659242546276e-19 - 1.0).abs() < 4e-16);
    double::same(math::sin(x).abs(), 1.0);
    // Its like in f32.
    let x = 16367173.0 * 72_f32.exp2();
    assert!((math::cos(x) / -1.6147698e-9 - 1.0).abs() < 2e-7);
    single::same(math::sin(x), 1.0);
    // sin(10^22), the test of Ng, "Good to the last bit" (1992).
    assert!((math::sin(1e22_f64) / -0.8522008497671888 - 1.0).abs() < 4e-16);
    assert!((math::cos(1e22_f64) / 0.5232147853951389 - 1.0).abs() < 4e-16);
    // An f64 next to pi: its sine is the error of its rounding.
    assert!((math::sin(std::f64::consts::PI) / 1.2246467991473532e-16 - 1.0).abs() < 4e-16);
    assert!((math::tan(std::f64::consts::FRAC_PI_2) / 1.633123935319537e16 - 1.0).abs() < 8e-16);
    double::same(math::ln(2.0), std::f64::consts::LN_2);
}
