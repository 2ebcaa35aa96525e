//! Accuracy of the functions of the modules below `ode_core::math`.

use super::{LN, PairSampler, Random, Sampler, measure, platform, sweep};
use crate::reference::{Exact, more as reference, ulps_f32, ulps_f64};
use ode_core::math;

/// Everything there is, of either sign.
const ALL: Sampler = ("all", |r| {
    let x = r.positive();
    if r.bits() & 1 == 0 { x } else { -x }
});
const SMALL: Sampler = ("small", |r| r.logarithmic(-1074.0, 4.0));
const UNIT: Sampler = ("-1 to 1", |r| r.uniform(-1.0, 1.0));

const EXP2: &[Sampler] = &[
    ("all", |r| r.uniform(-1076.0, 1024.0)),
    ("near 0", |r| r.uniform(-1.0, 1.0)),
    SMALL,
    ("halves", |r| {
        let k = r.uniform(-2148.0, 2048.0).round();
        r.beside(k / 2.0)
    }),
];
const EXP_M1: &[Sampler] = &[
    ("all", |r| r.uniform(-42.0, 709.8)),
    UNIT,
    SMALL,
    ("around the reduction", |r| r.uniform(-1.1, 2.5)),
    ("multiples of ln(2)/2", |r| {
        let k = r.uniform(-100.0, 2048.0).round();
        r.beside(k * 0.34657359027997264)
    }),
    ("overflow", |r| r.uniform(709.78, 709.79)),
];
const LN_1P: &[Sampler] = &[
    ("positive", Random::positive),
    SMALL_ABOVE_MINUS_1,
    ("-1 to 4", |r| r.uniform(-1.0, 4.0)),
    ("near -1", |r| -1.0 + r.uniform(-53.0, -1.0).exp2()),
    ("ends of the interval", |r| {
        let scale = r.uniform(-5.0, 9.0).round().exp2();
        r.beside(scale * 4.0 / 3.0) - 1.0
    }),
];
const SMALL_ABOVE_MINUS_1: Sampler = ("small", |r| r.logarithmic(-1074.0, 0.0));
const CBRT: &[Sampler] = &[
    ALL,
    ("0.5 to 8.5", |r| r.uniform(0.5, 8.5)),
    ("ends of the interval", |r| {
        let scale = r.uniform(-9.0, 9.0).round().exp2();
        r.beside(scale * 4.0 / 3.0)
    }),
    ("beside cubes", |r| {
        let y = r.uniform(1.0, 1000.0).round();
        r.beside(y * y * y)
    }),
];
const ARC: &[Sampler] = &[
    UNIT,
    ("small", |r| r.logarithmic(-1074.0, 0.0)),
    ("near 1/2", |r| r.uniform(0.45, 0.55)),
    ("near 1", |r| 1.0 - r.uniform(-54.0, -1.0).exp2()),
    ("near -1", |r| -1.0 + r.uniform(-54.0, -1.0).exp2()),
];
const ATAN: &[Sampler] = &[
    ALL,
    ("-5 to 5", |r| r.uniform(-5.0, 5.0)),
    ("moderate", |r| r.logarithmic(-20.0, 70.0)),
    ("ends of the intervals", |r| {
        let end = std::f64::consts::SQRT_2 + if r.bits() & 1 == 0 { 1.0 } else { -1.0 };
        end + r.uniform(-1e-3, 1e-3)
    }),
];
const HYPERBOLIC: &[Sampler] = &[
    ("all", |r| r.uniform(-710.48, 710.48)),
    ("-2 to 2", |r| r.uniform(-2.0, 2.0)),
    ("-40 to 40", |r| r.uniform(-40.0, 40.0)),
    SMALL,
    ("multiples of ln(2)/2", |r| {
        let k = r.uniform(-100.0, 100.0).round();
        r.beside(k * 0.34657359027997264)
    }),
    ("overflow", |r| r.uniform(710.47, 710.48)),
];
const ASINH: &[Sampler] = &[
    ALL,
    ("-2 to 2", |r| r.uniform(-2.0, 2.0)),
    ("moderate", |r| r.logarithmic(-30.0, 60.0)),
    SMALL,
];
const ACOSH: &[Sampler] = &[
    ("all", |r| 1.0 + r.positive()),
    ("1 to 4", |r| r.uniform(1.0, 4.0)),
    ("near 1", |r| 1.0 + r.uniform(-52.0, 0.0).exp2()),
    ("moderate", |r| 1.0 + r.uniform(0.0, 60.0).exp2()),
];

fn accuracy(count: usize) {
    measure("exp2", 1.2, math::exp2, reference::exp2, EXP2, count);
    measure("exp_m1", 1.5, math::exp_m1, reference::exp_m1, EXP_M1, count);
    measure("ln_1p", 1.2, math::ln_1p, reference::ln_1p, LN_1P, count);
    measure("log2", 1.2, math::log2, reference::log2, LN, count);
    measure("log10", 1.2, math::log10, reference::log10, LN, count);
    measure("cbrt", 0.6, math::cbrt, reference::cbrt, CBRT, count);
    measure("asin", 1.6, math::asin, reference::asin, ARC, count);
    measure("acos", 1.6, math::acos, reference::acos, ARC, count);
    measure("atan", 1.0, math::atan, reference::atan, ATAN, count);
    measure("sinh", 1.0, math::sinh, reference::sinh, HYPERBOLIC, count);
    measure("cosh", 1.0, math::cosh, reference::cosh, HYPERBOLIC, count);
    measure("asinh", 1.5, math::asinh, reference::asinh, ASINH, count);
    measure("acosh", 1.5, math::acosh, reference::acosh, ACOSH, count);
    measure("atanh", 1.5, math::atanh, reference::atanh, ARC, count);
}

#[test]
fn f64_functions_are_accurate() {
    accuracy(10_000);
}

#[test]
#[ignore = "takes minutes"]
fn f64_functions_are_accurate_on_many_samples() {
    accuracy(500_000);
}

const PAIRS: &[PairSampler] = &[
    ("moderate", |r| (r.uniform(-4.0, 4.0), r.uniform(-4.0, 4.0))),
    ("all", |r| (r.positive(), if r.bits() & 1 == 0 { r.positive() } else { -r.positive() })),
    ("of similar size", |r| {
        let x = r.positive();
        (x, (x * r.logarithmic(-4.0, 4.0)).clamp(-f64::MAX, f64::MAX))
    }),
    ("nearly equal", |r| {
        let x = r.logarithmic(-1021.0, 1023.0);
        (x, r.beside(x))
    }),
    ("of different size", |r| {
        let x = r.logarithmic(-500.0, 500.0);
        (x, x * r.logarithmic(-60.0, 60.0))
    }),
    ("ends of the intervals", |r| {
        let x = r.logarithmic(-500.0, 500.0);
        let end = std::f64::consts::SQRT_2 + if r.bits() & 1 == 0 { 1.0 } else { -1.0 };
        (x * (end + r.uniform(-1e-3, 1e-3)), x)
    }),
    ("subnormal", |r| {
        let subnormal = |bits: u64| f64::from_bits(1 + bits % 0x000f_ffff_ffff_ffff);
        (subnormal(r.bits()), subnormal(r.bits()))
    }),
];

/// As `measure`.
fn measure_pairs(
    name: &str,
    bound: f64,
    function: fn(f64, f64) -> f64,
    exact: fn(f64, f64) -> Exact,
    count: usize,
) {
    let mut greatest = (0.0, (0.0, 0.0));
    for (kind, sample) in PAIRS {
        let mut random = Random(12);
        let mut worst = (0.0, (0.0, 0.0));
        for _ in 0..count {
            let (x, y) = sample(&mut random);
            let error = ulps_f64(function(x, y), exact(x, y));
            if error > worst.0 {
                worst = (error, (x, y));
            }
        }
        println!("f64 {name} {kind}: {:.3} ulp at {:?}", worst.0, worst.1);
        if worst.0 > greatest.0 {
            greatest = worst;
        }
    }
    println!("f64 {name}: {:.3} ulp at {:?}", greatest.0, greatest.1);
    assert!(greatest.0 <= bound, "{name}: {} ulp at {:?}", greatest.0, greatest.1);
}

fn pair_accuracy(count: usize) {
    measure_pairs("atan2", 2.0, math::atan2, reference::atan2, count);
    measure_pairs("hypot", 1.2, math::hypot, reference::hypot, count);
}

#[test]
fn f64_functions_of_two_numbers_are_accurate() {
    pair_accuracy(10_000);
}

#[test]
#[ignore = "takes minutes"]
fn f64_functions_of_two_numbers_are_accurate_on_many_samples() {
    pair_accuracy(500_000);
}

fn f32_pair_accuracy(count: usize) {
    let mut random = Random(13);
    let mut worst = [(0.0, (0.0, 0.0)); 2];
    for i in 0..count {
        let any = |bits: u64| f32::from_bits((bits >> 32) as u32);
        let x = match i % 3 {
            0 => random.uniform(-4.0, 4.0) as f32,
            _ => any(random.bits()),
        };
        let y = match i % 4 {
            0 => random.uniform(-4.0, 4.0) as f32,
            1 => x * random.logarithmic(-3.0, 3.0) as f32,
            2 => random.beside(f64::from(x)) as f32 * (1.0 + f32::EPSILON),
            _ => any(random.bits()),
        };
        if !(x.is_finite() && y.is_finite()) {
            continue;
        }
        let (a, b) = (f64::from(x), f64::from(y));
        let results = [(math::atan2(x, y), a.atan2(b)), (math::hypot(x, y), a.hypot(b))];
        for ((result, exact), worst) in results.into_iter().zip(&mut worst) {
            let error = ulps_f32(result, platform(exact));
            if error > worst.0 {
                *worst = (error, (x, y));
            }
        }
    }
    println!("f32 atan2, hypot: {worst:?}");
    assert!(worst[0].0 <= 2.0 && worst[1].0 <= 1.2, "atan2, hypot: {worst:?}");
}

#[test]
fn f32_functions_of_two_numbers_are_accurate() {
    f32_pair_accuracy(1_000_000);
}

#[test]
#[ignore = "takes minutes"]
fn f32_functions_of_two_numbers_are_accurate_on_many_samples() {
    f32_pair_accuracy(100_000_000);
}

super::sweeps! {
    exp2: 1.2, 1_u64 << 32;
    exp_m1: 1.5, 1_u64 << 32;
    ln_1p: 1.2, 1_u64 << 32;
    log2: 1.2, 1_u64 << 32;
    log10: 1.2, 1_u64 << 32;
    cbrt: 0.6, 1_u64 << 31;
    asin: 1.6, 1_u64 << 31;
    acos: 1.6, 1_u64 << 32;
    atan: 1.0, 1_u64 << 31;
    sinh: 1.0, 1_u64 << 31;
    cosh: 1.0, 1_u64 << 31;
    asinh: 1.5, 1_u64 << 31;
    acosh: 1.5, 1_u64 << 32;
    atanh: 1.5, 1_u64 << 31;
}

/// As `platform_functions_are_good_enough_for_f32`.
#[test]
fn platform_functions_are_good_enough() {
    let mut random = Random(14);
    for _ in 0..3_000 {
        let any = f64::from(f32::from_bits(random.bits() as u32));
        let unit = f64::from(random.uniform(-1.0, 1.0) as f32);
        let small = f64::from(random.uniform(-80.0, 80.0) as f32);
        let positive = f64::from(f32::from_bits(1 + (random.bits() % 0x7f7f_ffff) as u32));
        let other = f64::from(random.logarithmic(-120.0, 120.0) as f32);
        let mut errors = vec![
            ulps_f64(small.exp2(), reference::exp2(small)),
            ulps_f64(small.exp_m1(), reference::exp_m1(small)),
            ulps_f64(unit.exp_m1(), reference::exp_m1(unit)),
            ulps_f64(small.sinh(), reference::sinh(small)),
            ulps_f64(small.cosh(), reference::cosh(small)),
            ulps_f64(positive.ln_1p(), reference::ln_1p(positive)),
            ulps_f64(unit.ln_1p(), reference::ln_1p(unit)),
            ulps_f64(positive.log2(), reference::log2(positive)),
            ulps_f64(positive.log10(), reference::log10(positive)),
            ulps_f64(unit.asin(), reference::asin(unit)),
            ulps_f64(unit.acos(), reference::acos(unit)),
            ulps_f64(unit.atanh(), reference::atanh(unit)),
        ];
        let above = f64::from((1.0 + positive) as f32);
        if above > 1.0 {
            errors.push(ulps_f64(above.acosh(), reference::acosh(above)));
        }
        if any.is_finite() {
            errors.push(ulps_f64(any.cbrt(), reference::cbrt(any)));
            errors.push(ulps_f64(any.atan(), reference::atan(any)));
            errors.push(ulps_f64(any.asinh(), reference::asinh(any)));
            errors.push(ulps_f64(any.atan2(other), reference::atan2(any, other)));
            errors.push(ulps_f64(any.hypot(other), reference::hypot(any, other)));
        }
        assert!(
            errors.iter().all(|e| *e < 1e5),
            "{any:e} {unit:e} {small:e} {positive:e}: {errors:?}"
        );
    }
}
