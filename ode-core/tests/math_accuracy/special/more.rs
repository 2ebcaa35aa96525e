//! Special values of the functions of the modules below `ode_core::math`: IEEE 754-2019, 9.2.1, and
//! C99, F.9.

use crate::Random;
use ode_core::math;

macro_rules! special_values {
    ($module:ident, $float:ident) => {
        mod $module {
            use super::*;
            use crate::special::$module::same;
            use std::$float::consts::{FRAC_PI_2, FRAC_PI_4, PI};

            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const MAX: $float = $float::MAX;
            const NORMAL: $float = $float::MIN_POSITIVE;
            /// The smallest subnormal number.
            const TINY: $float = $float::from_bits(1);
            const EPSILON: $float = $float::EPSILON;

            /// Odd, with slope 1 at 0: what is small is itself.
            fn odd_near_0(function: fn($float) -> $float) {
                for x in [0.0, TINY, NORMAL, 7.0 * TINY, NORMAL - TINY, EPSILON * EPSILON] {
                    same(function(x), x);
                    same(function(-x), -x);
                }
                same(function(NAN), NAN);
                same(function(-NAN), NAN);
            }

            #[test]
            fn exponentials() {
                same(math::exp2(0.0 as $float), 1.0);
                same(math::exp2(-0.0 as $float), 1.0);
                same(math::exp2(TINY), 1.0);
                same(math::exp2(INF), INF);
                same(math::exp2(-INF), 0.0);
                same(math::exp2(MAX), INF);
                same(math::exp2(-MAX), 0.0);
                same(math::exp2(NAN), NAN);
                let least = $float::MIN_EXP - $float::MANTISSA_DIGITS as i32;
                for n in least..$float::MAX_EXP {
                    let expected = (2.0 as $float).powi(n / 2) * (2.0 as $float).powi(n - n / 2);
                    same(math::exp2(n as $float), expected);
                    if n >= $float::MIN_EXP {
                        same(math::log2(expected), n as $float);
                    }
                }
                same(math::log2(TINY), least as $float);
                same(math::exp2($float::MAX_EXP as $float), INF);
                same(math::exp2((least - 1) as $float), 0.0);

                odd_near_0(math::exp_m1);
                same(math::exp_m1(INF), INF);
                same(math::exp_m1(MAX), INF);
                same(math::exp_m1(-INF), -1.0);
                same(math::exp_m1(-MAX), -1.0);
            }

            #[test]
            fn logarithms() {
                odd_near_0(math::ln_1p);
                same(math::ln_1p(-1.0 as $float), -INF);
                same(math::ln_1p(-1.0 - EPSILON), NAN);
                same(math::ln_1p(-MAX), NAN);
                same(math::ln_1p(-INF), NAN);
                same(math::ln_1p(INF), INF);
                same(math::ln_1p(MAX), math::ln(MAX));
                for function in [math::log2, math::log10] {
                    same(function(1.0), 0.0);
                    same(function(0.0), -INF);
                    same(function(-0.0), -INF);
                    same(function(INF), INF);
                    same(function(-INF), NAN);
                    same(function(-TINY), NAN);
                    same(function(-1.0), NAN);
                    same(function(NAN), NAN);
                }
                same(math::log2(MAX), $float::MAX_EXP as $float);
                for n in 0..$float::MAX_10_EXP {
                    let power: $float = format!("1e{n}").parse().unwrap();
                    // Only these are exact.
                    if (power as f64) == (10.0_f64).powi(n) && n < 11 {
                        same(math::log10(power), n as $float);
                    }
                }
            }

            #[test]
            fn roots() {
                odd_near_0(|x| if x.abs() < 1e-3 && x != 0.0 { x } else { math::cbrt(x) });
                same(math::cbrt(INF), INF);
                same(math::cbrt(-INF), -INF);
                for n in 0..200 {
                    let n = n as $float;
                    same(math::cbrt(n * n * n), n);
                    same(math::cbrt(-(n * n * n)), -n);
                    same(math::hypot(3.0 * n, -4.0 * n), 5.0 * n);
                }
                for x in [0.0, -0.0, TINY, -NORMAL, 1.0, -MAX, INF, -INF, NAN] {
                    same(math::hypot(x, 0.0), x.abs());
                    same(math::hypot(-0.0, x), x.abs());
                    same(math::hypot(x, INF), INF);
                    same(math::hypot(x, -INF), INF);
                    same(math::hypot(INF, x), INF);
                    if x.abs() != INF {
                        same(math::hypot(x, NAN), NAN);
                        same(math::hypot(NAN, x), NAN);
                    }
                }
                same(math::hypot(MAX, MAX), INF);
                same(math::hypot(MAX, TINY), MAX);
                same(math::hypot(3.0 * TINY, 4.0 * TINY), 5.0 * TINY);
            }

            #[test]
            fn inverse_circular() {
                odd_near_0(math::asin);
                odd_near_0(math::atan);
                same(math::asin(1.0 as $float), FRAC_PI_2);
                same(math::asin(-1.0 as $float), -FRAC_PI_2);
                same(math::acos(1.0 as $float), 0.0);
                same(math::acos(-1.0 as $float), PI);
                same(math::acos(0.0 as $float), FRAC_PI_2);
                same(math::acos(-0.0 as $float), FRAC_PI_2);
                same(math::acos(TINY), FRAC_PI_2);
                for x in [1.0 + EPSILON, 2.0, MAX, INF, NAN] {
                    same(math::asin(x), NAN);
                    same(math::asin(-x), NAN);
                    same(math::acos(x), NAN);
                    same(math::acos(-x), NAN);
                }
                same(math::atan(1.0 as $float), FRAC_PI_4);
                same(math::atan(MAX), FRAC_PI_2);
                same(math::atan(INF), FRAC_PI_2);
                same(math::atan(-INF), -FRAC_PI_2);
            }

            #[test]
            fn atan2() {
                for (y, sign) in [(0.0 as $float, 1.0), (-0.0, -1.0)] {
                    for x in [0.0, TINY, NORMAL, 1.0, MAX, INF] {
                        same(math::atan2(y, x), y);
                        same(math::atan2(y, -x), PI * sign);
                        if x > 0.0 {
                            same(math::atan2(x * sign, y), FRAC_PI_2 * sign);
                            same(math::atan2(x * sign, -y), FRAC_PI_2 * sign);
                        }
                    }
                    for finite in [0.0, TINY, 1.0, MAX] {
                        same(math::atan2(finite.copysign(y), INF), y);
                        same(math::atan2(finite.copysign(y), -INF), PI * sign);
                        same(math::atan2(INF * sign, finite), FRAC_PI_2 * sign);
                        same(math::atan2(INF * sign, -finite), FRAC_PI_2 * sign);
                    }
                    same(math::atan2(INF * sign, INF), FRAC_PI_4 * sign);
                    same(
                        math::atan2(INF * sign, -INF),
                        (0.75 * std::f64::consts::PI) as $float * sign,
                    );
                }
                for x in [0.0, -1.0, TINY, MAX, INF, -INF, NAN] {
                    same(math::atan2(x, NAN), NAN);
                    same(math::atan2(NAN, x), NAN);
                }
                for x in [TINY, NORMAL, 1.0, MAX] {
                    same(math::atan2(x, x), FRAC_PI_4);
                    same(math::atan2(-x, x), -FRAC_PI_4);
                }
                same(math::atan2(TINY, MAX), 0.0);
                same(math::atan2(-TINY, MAX), -0.0);
                same(math::atan2(MAX, TINY), FRAC_PI_2);
                same(math::atan2(TINY, -MAX), PI);
                same(math::atan2(TINY, 1.0), TINY);
            }

            #[test]
            fn hyperbolic() {
                odd_near_0(math::sinh);
                odd_near_0(math::asinh);
                odd_near_0(math::atanh);
                for x in [INF, -INF] {
                    same(math::sinh(x), x);
                    same(math::asinh(x), x);
                    same(math::cosh(x), INF);
                }
                same(math::sinh(MAX), INF);
                same(math::cosh(-MAX), INF);
                same(math::cosh(NAN), NAN);
                for x in [0.0, -0.0, TINY, EPSILON] {
                    same(math::cosh(x), 1.0);
                }
                same(math::acosh(1.0 as $float), 0.0);
                same(math::acosh(INF), INF);
                for x in [1.0 - EPSILON, 0.0, -1.0, -2.0, -MAX, -INF, NAN] {
                    same(math::acosh(x), NAN);
                }
                same(math::atanh(1.0 as $float), INF);
                same(math::atanh(-1.0 as $float), -INF);
                for x in [1.0 + EPSILON, 2.0, MAX, INF, NAN] {
                    same(math::atanh(x), NAN);
                    same(math::atanh(-x), NAN);
                }
                // Where the result is large, a unit may be a small part of it.
                let close = |a: $float, b: f64| assert!((f64::from(a) / b - 1.0).abs() < 1e-6);
                close(math::asinh(MAX), f64::from(MAX).ln() + std::f64::consts::LN_2);
                close(math::acosh(MAX), f64::from(MAX).ln() + std::f64::consts::LN_2);
            }

            #[test]
            fn symmetries_are_exact() {
                let mut random = Random(15);
                for _ in 0..100_000 {
                    let x = random.logarithmic(-100.0, 100.0) as $float;
                    let y = random.logarithmic(-100.0, 100.0) as $float;
                    same(math::cbrt(-x), -math::cbrt(x));
                    same(math::asin(-x), -math::asin(x));
                    same(math::atan(-x), -math::atan(x));
                    same(math::sinh(-x), -math::sinh(x));
                    same(math::cosh(-x), math::cosh(x));
                    same(math::asinh(-x), -math::asinh(x));
                    same(math::atanh(-x), -math::atanh(x));
                    same(math::atan2(-y, x), -math::atan2(y, x));
                    same(math::hypot(-x, y), math::hypot(x, y));
                    same(math::hypot(y, x), math::hypot(x, y));
                    // Powers of two move the exponent and nothing else.
                    same(math::cbrt(x * 8.0), math::cbrt(x) * 2.0);
                    same(math::hypot(x * 4.0, y * 4.0), math::hypot(x, y) * 4.0);
                    same(math::atan2(y * 4.0, x * 4.0), math::atan2(y, x));
                }
            }
        }
    };
}
special_values!(double, f64);
special_values!(single, f32);
