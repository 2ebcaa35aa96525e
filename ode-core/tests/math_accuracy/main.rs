//! Accuracy of the elementary functions, their special values, and equality across lane types.
//!
//! `f64` is measured against a reference of about 100 bits, `f32` against the platform's `f64`
//! functions (which are themselves measured against the reference). The table in the documentation
//! of `ode_core::math` is what the `#[ignore]`d tests print:
//!
//! ```text
//! cargo test --release -p ode-core --test math_accuracy -- --ignored --nocapture
//! ```

#![allow(clippy::excessive_precision, clippy::approx_constant)]

mod lanes;
mod more;
#[path = "../../../tests/support/random.rs"]
mod random;
mod reference;
mod special;

use ode_core::math;
use random::Random;
use reference::{Dd, Exact, ulps_f32, ulps_f64};
use std::f64::consts::FRAC_PI_2;

/// Samples of numbers.
impl Random {
    /// `±2^e`, `e` uniform in `[low, high)`.
    pub(crate) fn logarithmic(&mut self, low: f64, high: f64) -> f64 {
        let magnitude = self.uniform(low, high).exp2();
        if self.bits() & 1 == 0 { magnitude } else { -magnitude }
    }

    /// A positive finite number, uniform in its bit pattern: subnormal ones included.
    pub(crate) fn positive(&mut self) -> f64 {
        f64::from_bits(1 + self.bits() % 0x7fef_ffff_ffff_ffff)
    }

    /// A few units in the last place from `x`.
    pub(crate) fn beside(&mut self, x: f64) -> f64 {
        let x = if x == 0.0 { f64::MIN_POSITIVE } else { x };
        f64::from_bits(x.to_bits().wrapping_add(self.bits() % 9).wrapping_sub(4))
    }
}

/// Arguments of one kind.
type Sampler = (&'static str, fn(&mut Random) -> f64);

/// The greatest error of `function` over `count` arguments of each kind; asserts the bound.
fn measure(
    name: &str,
    bound: f64,
    function: fn(f64) -> f64,
    exact: fn(f64) -> Exact,
    samplers: &[Sampler],
    count: usize,
) {
    let mut greatest = (0.0, 0.0);
    for (kind, sample) in samplers {
        let mut random = Random(1);
        let mut worst = (0.0, 0.0);
        for _ in 0..count {
            let x = sample(&mut random);
            let error = ulps_f64(function(x), exact(x));
            if error > worst.0 {
                worst = (error, x);
            }
        }
        println!("f64 {name} {kind}: {:.3} ulp at {:e}", worst.0, worst.1);
        if worst.0 > greatest.0 {
            greatest = worst;
        }
    }
    println!("f64 {name}: {:.3} ulp at {:e}", greatest.0, greatest.1);
    assert!(greatest.0 <= bound, "{name}: {} ulp at {:e}", greatest.0, greatest.1);
}

const EXP: &[Sampler] = &[
    ("all", |r| r.uniform(-746.0, 710.0)),
    ("near 0", |r| r.uniform(-1.0, 1.0)),
    ("small", |r| r.logarithmic(-1074.0, 4.0)),
    ("subnormal results", |r| r.uniform(-745.2, -708.0)),
    ("overflow", |r| r.uniform(709.78, 709.79)),
    ("multiples of ln(2)/2", |r| {
        let k = r.uniform(-2048.0, 2048.0).round();
        r.beside(k * 0.34657359027997264)
    }),
];

const LN: &[Sampler] = &[
    ("all", Random::positive),
    ("0.5 to 2", |r| r.uniform(0.5, 2.0)),
    ("near 1", |r| 1.0 + r.logarithmic(-52.0, -3.0)),
    ("subnormal", |r| f64::from_bits(1 + r.bits() % 0x000f_ffff_ffff_ffff)),
    ("ends of the interval", |r| {
        let scale = r.uniform(-9.0, 9.0).round().exp2();
        r.beside(scale * 4.0 / 3.0)
    }),
];

const TANH: &[Sampler] = &[
    ("-1 to 1", |r| r.uniform(-1.0, 1.0)),
    ("-22 to 22", |r| r.uniform(-22.0, 22.0)),
    ("around the first reduction", |r| r.uniform(0.1, 0.2)),
    ("all", |r| r.logarithmic(-1074.0, 6.0)),
];

const CIRCULAR: &[Sampler] = &[
    ("one turn", |r| r.uniform(-7.0, 7.0)),
    ("quarter turn", |r| r.uniform(-1.6, 1.6)),
    ("thousands of turns", |r| r.uniform(-1e5, 1e5)),
    ("small", |r| r.logarithmic(-1074.0, 0.0)),
    ("to 2^30", |r| r.logarithmic(0.0, 30.0)),
    ("around 2^30", |r| r.logarithmic(29.9, 30.1)),
    ("multiples of pi/2", |r| {
        let k = r.logarithmic(0.0, 31.0).round();
        r.beside(k * FRAC_PI_2)
    }),
    ("multiples of pi/4", |r| {
        let k = r.logarithmic(0.0, 31.0).round();
        r.beside(k * FRAC_PI_2 / 2.0)
    }),
];

/// Arguments whose reduction goes through arbitrary precision in the reference: slower.
const CIRCULAR_HUGE: &[Sampler] = &[
    ("all", Random::positive),
    ("huge", |r| -r.uniform(49.0, 1023.9).exp2()),
    ("powers of 2", |r| r.uniform(49.0, 1024.0).floor().exp2()),
    ("the f64 nearest to a multiple of pi/2", |_| 6381956970095103.0 * 797_f64.exp2()),
];

fn accuracy(count: usize) {
    measure("exp", 1.1, math::exp, reference::exp, EXP, count);
    measure("ln", 1.0, math::ln, reference::ln, LN, count);
    measure("tanh", 1.7, math::tanh, reference::tanh, TANH, count);
    measure("sin", 1.6, math::sin, reference::sin, CIRCULAR, count);
    measure("cos", 2.0, math::cos, reference::cos, CIRCULAR, count);
    measure("tan", 4.0, math::tan, reference::tan, CIRCULAR, count);
    measure("sin", 1.6, math::sin, reference::sin, CIRCULAR_HUGE, count / 40);
    measure("cos", 2.0, math::cos, reference::cos, CIRCULAR_HUGE, count / 40);
    measure("tan", 4.0, math::tan, reference::tan, CIRCULAR_HUGE, count / 40);
}

#[test]
fn f64_functions_are_accurate() {
    accuracy(20_000);
}

#[test]
#[ignore = "takes minutes"]
fn f64_functions_are_accurate_on_many_samples() {
    accuracy(1_000_000);
}

/// Pairs `x, y` of one kind.
type PairSampler = (&'static str, fn(&mut Random) -> (f64, f64));

const POWF: &[PairSampler] = &[
    ("moderate", |r| (r.uniform(0.0, 4.0), r.uniform(-5.0, 5.0))),
    ("all x", |r| (r.positive(), r.logarithmic(-20.0, 12.0))),
    ("all results", |r| {
        let x = r.positive();
        (x, r.uniform(-745.2, 709.79) / x.ln())
    }),
    ("x near 1", |r| {
        let x = 1.0 + r.logarithmic(-52.0, -2.0);
        (x, r.uniform(-745.2, 709.79) / x.ln())
    }),
    ("x from 0.5 to 2", |r| {
        let x = r.uniform(0.5, 2.0);
        (x, r.uniform(-745.2, 709.79) / x.ln())
    }),
    ("x at the ends of the interval", |r| {
        let scale = r.uniform(-9.0, 9.0).round().exp2();
        let x = r.beside(scale * std::f64::consts::SQRT_2);
        (x, r.uniform(-745.2, 709.79) / x.ln())
    }),
    ("subnormal results", |r| {
        let x = r.positive();
        (x, r.uniform(-745.2, -708.0) / x.ln())
    }),
    ("subnormal x", |r| {
        let x = f64::from_bits(1 + r.bits() % 0x000f_ffff_ffff_ffff);
        (x, r.uniform(-1.05, 1.05))
    }),
    ("integer y", |r| (r.uniform(0.0, 10.0), r.uniform(-100.0, 100.0).round())),
    ("huge y", |r| (r.positive(), r.logarithmic(12.0, 1023.0))),
];

fn powf_accuracy(count: usize) {
    let mut greatest = (0.0, (0.0, 0.0));
    for (kind, sample) in POWF {
        let mut random = Random(2);
        let mut worst = (0.0, (0.0, 0.0));
        for _ in 0..count {
            let (x, y) = sample(&mut random);
            let error = ulps_f64(math::powf(x, y), reference::powf(x, y));
            if error > worst.0 {
                worst = (error, (x, y));
            }
        }
        println!("f64 powf {kind}: {:.3} ulp at {:?}", worst.0, worst.1);
        if worst.0 > greatest.0 {
            greatest = worst;
        }
    }
    println!("f64 powf: {:.3} ulp at {:?}", greatest.0, greatest.1);
    assert!(greatest.0 <= 1.5, "{} ulp at {:?}", greatest.0, greatest.1);
}

#[test]
fn f64_powf_is_accurate() {
    powf_accuracy(20_000);
}

#[test]
#[ignore = "takes minutes"]
fn f64_powf_is_accurate_on_many_samples() {
    powf_accuracy(1_000_000);
}

/// An `f64` function of the platform as an exact result.
fn platform(value: f64) -> Exact {
    Exact::from(Dd::from(value))
}

/// The greatest error over arguments of the given bit patterns; asserts the bound, and that exactly
/// the right results are infinite or NaN.
fn sweep(
    name: &str,
    bound: f64,
    function: fn(f32) -> f32,
    exact: fn(f64) -> f64,
    patterns: std::iter::StepBy<std::ops::Range<u64>>,
) {
    // What rounds correctly is not measured: the greatest error is always of something that does
    // not.
    let mut worst = (0.5, 0.0_f32);
    for bits in patterns {
        let x = f32::from_bits(bits as u32);
        let (result, expected) = (function(x), exact(f64::from(x)));
        if expected.is_nan() {
            assert!(result.is_nan(), "{name}({x:e}) is {result:e}");
        } else if expected.is_infinite() {
            assert_eq!(f64::from(result), expected, "{name}({x:e})");
        } else if result != expected as f32 {
            let error = ulps_f32(result, platform(expected));
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    println!("f32 {name}: {:.3} ulp at {:e}", worst.0, worst.1);
    assert!(worst.0 <= bound, "{name}: {} ulp at {:e}", worst.0, worst.1);
}

/// Sweeps of one function: every 997th bit pattern, and, ignored, every one.
///
/// Half of them suffice where the function is even or odd to the last bit, which
/// `symmetries_are_exact` tests.
macro_rules! sweeps {
    ($($function:ident: $bound:literal, $patterns:expr;)*) => {
        mod f32_functions_are_accurate {
            use super::*;
            $(#[test]
            fn $function() {
                let patterns = (0..$patterns).step_by(997);
                sweep(stringify!($function), $bound, math::$function, f64::$function, patterns);
            })*
        }
        mod f32_functions_are_accurate_for_every_argument {
            use super::*;
            $(#[test]
            #[ignore = "takes minutes"]
            fn $function() {
                let patterns = (0..$patterns).step_by(1);
                sweep(stringify!($function), $bound, math::$function, f64::$function, patterns);
            })*
        }
    };
}
use sweeps;
sweeps! {
    exp: 1.1, 1_u64 << 32;
    ln: 1.0, 1_u64 << 32;
    tanh: 1.7, 1_u64 << 31;
    sin: 1.6, 1_u64 << 31;
    cos: 2.0, 1_u64 << 31;
    tan: 4.0, 1_u64 << 31;
}

fn f32_powf_accuracy(count: usize) {
    let mut random = Random(3);
    let mut worst = (0.0, (0.0, 0.0));
    for i in 0..count {
        let x = match i % 4 {
            0 => 1.0 + random.logarithmic(-23.0, -1.0) as f32,
            1 => random.uniform(0.0, 4.0) as f32,
            _ => f32::from_bits(1 + (random.bits() % 0x7f7f_ffff) as u32),
        };
        let y = match i % 3 {
            0 => random.logarithmic(-20.0, 30.0) as f32,
            _ => (random.uniform(-104.0, 89.0) / f64::from(x).ln()) as f32,
        };
        let exact = f64::from(x).powf(f64::from(y));
        let result = math::powf(x, y);
        if exact.is_infinite() {
            assert_eq!(result, f32::INFINITY, "{x:e}, {y:e}");
            continue;
        }
        let error = ulps_f32(result, platform(exact));
        if error > worst.0 {
            worst = (error, (x, y));
        }
    }
    println!("f32 powf: {:.3} ulp at {:?}", worst.0, worst.1);
    assert!(worst.0 <= 1.5, "{} ulp at {:?}", worst.0, worst.1);
}

#[test]
fn f32_powf_is_accurate() {
    f32_powf_accuracy(1_000_000);
}

#[test]
#[ignore = "takes minutes"]
fn f32_powf_is_accurate_on_many_samples() {
    f32_powf_accuracy(100_000_000);
}

/// The platform's `f64` functions are the reference for `f32`: a unit of `f64` is `2^-29` of one
/// of `f32`, so that even a poor library will do; but a wrong one would not.
#[test]
fn platform_functions_are_good_enough_for_f32() {
    let mut random = Random(4);
    for _ in 0..3_000 {
        let x = f64::from(f32::from_bits(random.bits() as u32));
        let small = random.uniform(-100.0, 88.0);
        let positive = f64::from(f32::from_bits(1 + (random.bits() % 0x7f7f_ffff) as u32));
        let y = f64::from(random.uniform(-87.0, 88.0) as f32) / positive.ln();
        let mut errors = vec![
            ulps_f64(small.exp(), reference::exp(small)),
            ulps_f64(small.tanh(), reference::tanh(small)),
            ulps_f64(positive.ln(), reference::ln(positive)),
            ulps_f64(positive.powf(y), reference::powf(positive, y)),
        ];
        if x.is_finite() {
            errors.push(ulps_f64(x.sin(), reference::sin(x)));
            errors.push(ulps_f64(x.cos(), reference::cos(x)));
            errors.push(ulps_f64(x.tan(), reference::tan(x)));
        }
        assert!(errors.iter().all(|e| *e < 1e4), "{x:e} {small:e} {positive:e} {y:e}: {errors:?}");
    }
}
