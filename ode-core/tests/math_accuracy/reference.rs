//! What the elementary functions are measured against, in pure Rust: about 100 bits, as unevaluated
//! sums of two `f64` (Dekker 1971; Hida, Li and Bailey 2001), fast enough for millions of samples.
//!
//! It shares no reduction, polynomial or constant table with the library: logarithm by the atanh
//! series, exponential, sine and cosine by their Taylor series. `reference_against_big_floats`
//! compares it with arbitrary precision.

pub(crate) mod more;

use astro_float::{BigFloat, Consts, RoundingMode, Sign};
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::LazyLock;

/// `hi + lo`, with `|lo|` at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dd {
    pub(crate) hi: f64,
    pub(crate) lo: f64,
}

fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let t = hi - a;
    Dd { hi, lo: (a - (hi - t)) + (b - t) }
}

fn fast_two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    Dd { hi, lo: b - (hi - a) }
}

fn two_product(a: f64, b: f64) -> Dd {
    let hi = a * b;
    Dd { hi, lo: a.mul_add(b, -hi) }
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Dd {
        Dd { hi, lo: 0.0 }
    }
}

impl Add for Dd {
    type Output = Dd;
    fn add(self, other: Dd) -> Dd {
        let s = two_sum(self.hi, other.hi);
        let t = two_sum(self.lo, other.lo);
        let s = fast_two_sum(s.hi, s.lo + t.hi);
        fast_two_sum(s.hi, s.lo + t.lo)
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Dd;
    fn sub(self, other: Dd) -> Dd {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Dd;
    fn mul(self, other: Dd) -> Dd {
        let p = two_product(self.hi, other.hi);
        let cross = self.hi.mul_add(other.lo, self.lo * other.hi);
        fast_two_sum(p.hi, p.lo + cross)
    }
}

impl Div for Dd {
    type Output = Dd;
    fn div(self, other: Dd) -> Dd {
        let q = Dd::from(self.hi / other.hi);
        let rest = self - other * q;
        let q = q + Dd::from(rest.hi / other.hi);
        let rest = self - other * q;
        q + Dd::from(rest.hi / other.hi)
    }
}

/// `value * 2^exponent`: results beyond the range of `f64` too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) value: Dd,
    pub(crate) exponent: i32,
}

impl From<Dd> for Exact {
    fn from(value: Dd) -> Exact {
        Exact { value, exponent: 0 }
    }
}

/// `x 2^n`, rounded only if the result is subnormal.
pub(crate) fn scale(x: f64, n: i32) -> f64 {
    let power = |n: i32| f64::from_bits(((n + 1023) as u64) << 52);
    let n = n.clamp(-2200, 2200);
    let third = n / 3;
    x * power(third) * power(third) * power(n - 2 * third)
}

/// The exponent `e` of `|x| = m 2^e`, `1 <= m < 2`.
pub(crate) fn exponent(x: f64) -> i32 {
    let x = x.abs();
    if x == 0.0 {
        return -1075;
    }
    if x < f64::MIN_POSITIVE {
        return exponent(x * 18014398509481984.0) - 54;
    }
    (x.to_bits() >> 52) as i32 - 1023
}

const LN_2: Dd = Dd { hi: 0.6931471805599453, lo: 2.3190468138462996e-17 };
const LN_2_REST: f64 = 5.707708438416212e-34;
/// pi/2 to 212 bits.
const PI_2: [f64; 4] =
    [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50];

/// `1/k`.
static INVERSE: LazyLock<[Dd; 64]> =
    LazyLock::new(|| std::array::from_fn(|k| Dd::from(1.0) / Dd::from(k as f64)));

/// `e^r - 1` by its Taylor series, for `|r| < 0.4`.
fn expm1_series(r: Dd) -> Dd {
    let mut sum = Dd::from(1.0);
    for k in (2..=26).rev() {
        sum = Dd::from(1.0) + r * sum * INVERSE[k];
    }
    r * sum
}

/// `x - n ln 2`, where `n` has at most 11 bits.
fn minus_ln_2(x: Dd, n: f64) -> Dd {
    let first = Dd::from(x.hi) - two_product(n, LN_2.hi);
    first + (Dd::from(x.lo) - two_product(n, LN_2.lo)) - Dd::from(n * LN_2_REST)
}

pub(crate) fn exp_of(x: Dd) -> Exact {
    let n = (x.hi.clamp(-3000.0, 3000.0) / LN_2.hi).round();
    let x = if x.hi.abs() > 3000.0 { Dd::from(3000.0_f64.copysign(x.hi)) } else { x };
    Exact { value: Dd::from(1.0) + expm1_series(minus_ln_2(x, n)), exponent: n as i32 }
}

pub(crate) fn exp(x: f64) -> Exact {
    exp_of(Dd::from(x))
}

fn ln_of(x: f64) -> Dd {
    let mut e = exponent(x);
    let mut m = scale(x, -e);
    if m > 1.4 {
        m *= 0.5;
        e += 1;
    }
    let s = two_sum(m, -1.0) / two_sum(m, 1.0);
    let z = s * s;
    let mut sum = Dd::from(0.0);
    for k in (0..=24).rev() {
        sum = sum * z + INVERSE[2 * k + 1];
    }
    minus_ln_2(Dd::from(2.0) * s * sum, -f64::from(e))
}

pub(crate) fn ln(x: f64) -> Exact {
    Exact::from(ln_of(x))
}

/// `x^y` for positive `x`.
pub(crate) fn powf(x: f64, y: f64) -> Exact {
    // An exponent so large that the product would overflow gives infinity or zero anyway.
    exp_of(ln_of(x) * Dd::from(y.clamp(-1e25, 1e25)))
}

pub(crate) fn tanh(x: f64) -> Exact {
    let a = x.abs().min(50.0);
    let e = if a < 0.15 {
        expm1_series(Dd::from(2.0 * a))
    } else {
        let e = exp_of(Dd::from(2.0 * a));
        let power = scale(1.0, e.exponent);
        Dd { hi: e.value.hi * power, lo: e.value.lo * power } - Dd::from(1.0)
    };
    let t = e / (e + Dd::from(2.0));
    Exact::from(if x < 0.0 { -t } else { t })
}

/// `x = n pi/2 + r`: `n mod 4` and `r`.
fn reduce(x: f64) -> (i32, Dd) {
    if x.abs() >= 562949953421312.0 {
        return reduce_huge(x);
    }
    let n = (x / PI_2[0]).round();
    let mut r = Dd::from(x) - two_product(n, PI_2[0]);
    for part in &PI_2[1..] {
        r = r - two_product(n, *part);
    }
    (n.rem_euclid(4.0) as i32, r)
}

/// The same in arbitrary precision: `2^1024` takes 1024 bits before the point, and the wanted ones.
fn reduce_huge(x: f64) -> (i32, Dd) {
    thread_local! {
        static PI_4: (BigFloat, BigFloat) = {
            let pi = Consts::new().expect("memory").pi(PRECISION, RoundingMode::ToEven);
            let two = BigFloat::from_f64(2.0, PRECISION);
            (two.div(&pi, PRECISION, RoundingMode::ToEven), pi.div(&two, 192, RoundingMode::ToEven))
        };
    }
    const PRECISION: usize = 1472;
    PI_4.with(|(two_by_pi, half_pi)| {
        let quarters = BigFloat::from_f64(x, 64).mul(two_by_pi, PRECISION, RoundingMode::ToEven);
        let n = quarters.add(&BigFloat::from_f64(0.5, 64), PRECISION, RoundingMode::ToEven).floor();
        let rest = quarters.sub(&n, PRECISION, RoundingMode::ToEven);
        let cycle = n.rem(&BigFloat::from_f64(4.0, 64));
        let r = rest.mul(half_pi, 192, RoundingMode::ToEven);
        ((to_dd(&cycle).hi as i32).rem_euclid(4), to_dd(&r))
    })
}

/// The first bits of `x`.
fn to_dd(x: &BigFloat) -> Dd {
    let Some((words, _, sign, exponent, _)) = x.as_raw_parts() else { return Dd::from(f64::NAN) };
    // The words make a number from 1/2 to 1, the most significant one last.
    let mut sum = Dd::from(0.0);
    for (i, word) in words.iter().rev().take(3).enumerate() {
        for (half, shift) in [(word >> 32, 32), (word & 0xffff_ffff, 64)] {
            let place = -shift - 64 * i as i32;
            sum = sum + Dd::from(scale(half as f64, place));
        }
    }
    let power = scale(1.0, exponent);
    let sum = Dd { hi: sum.hi * power, lo: sum.lo * power };
    if sign == Sign::Neg { -sum } else { sum }
}

/// The Taylor series of sine (`first` = 1) or cosine (0), for `|r| < 0.8`.
fn circular_series(r: Dd, first: usize) -> Dd {
    let z = -(r * r);
    let mut sum = Dd::from(1.0);
    for k in (1..=14).rev() {
        let k = 2 * k + first;
        sum = Dd::from(1.0) + z * sum * (INVERSE[k] * INVERSE[k - 1]);
    }
    if first == 1 { r * sum } else { sum }
}

/// `[sin x, cos x]`.
fn sin_cos(x: f64) -> [Dd; 2] {
    let (quadrant, r) = reduce(x);
    let (s, c) = (circular_series(r, 1), circular_series(r, 0));
    match quadrant {
        0 => [s, c],
        1 => [c, -s],
        2 => [-s, -c],
        _ => [-c, s],
    }
}

pub(crate) fn sin(x: f64) -> Exact {
    Exact::from(sin_cos(x)[0])
}

pub(crate) fn cos(x: f64) -> Exact {
    Exact::from(sin_cos(x)[1])
}

pub(crate) fn tan(x: f64) -> Exact {
    let [s, c] = sin_cos(x);
    Exact::from(s / c)
}

/// `|result - exact|` in units in the last place of `exact` for a format of `digits` bits and least
/// exponent `least`. Infinity counts as the power of two after the greatest number.
fn ulps(result: f64, exact: Exact, digits: i32, least: i32, greatest: i32) -> f64 {
    if result.is_nan() {
        return f64::INFINITY;
    }
    let beyond = exponent(exact.value.hi) + exact.exponent > greatest;
    let overflows = beyond && (result > 0.0) == (exact.value.hi > 0.0);
    if result.is_infinite() && overflows {
        return 0.0;
    }
    let result =
        if result.is_infinite() { (1.0_f64.copysign(result), greatest + 1) } else { (result, 0) };
    let e = (exponent(exact.value.hi) + exact.exponent).clamp(least, greatest);
    // In units of 2^exact.exponent, or of 2^least where the exact result is far below that.
    let unit = exact.exponent.max(least - 200);
    let value = if unit == exact.exponent { exact.value } else { Dd::from(0.0) };
    let difference = (scale(result.0, result.1 - unit) - value.hi) - value.lo;
    scale(difference.abs(), unit - (e - digits + 1))
}

pub(crate) fn ulps_f64(result: f64, exact: Exact) -> f64 {
    ulps(result, exact, 53, -1022, 1023)
}

pub(crate) fn ulps_f32(result: f32, exact: Exact) -> f64 {
    ulps(f64::from(result), exact, 24, -126, 127)
}

/// The reference itself against arbitrary precision: 95 bits agree.
/// Bits of the big floats.
const BITS: usize = 192;

/// Whether the first `least` bits of a reference and of a big float agree.
fn agree(name: &str, x: f64, exact: Exact, big: BigFloat, least: i32) {
    let nearest = RoundingMode::ToEven;
    let part = |v: f64| BigFloat::from_f64(v, BITS);
    let mut sum = part(exact.value.hi).add(&part(exact.value.lo), BITS, nearest);
    sum.set_exponent(sum.exponent().expect("finite") + exact.exponent);
    let difference = sum.sub(&big, BITS, nearest);
    let bits = match difference.exponent() {
        Some(e) if !difference.is_zero() => big.exponent().expect("finite") - e,
        _ => BITS as i32,
    };
    assert!(bits >= least, "{name}({x:e}): {bits} bits");
}

#[test]
fn reference_against_big_floats() {
    let nearest = RoundingMode::ToEven;
    let mut consts = Consts::new().expect("memory");
    let mut random = crate::Random(10);
    let check = |name: &str, x, exact, big| agree(name, x, exact, big, 95);
    for i in 0..150 {
        let x =
            if i % 2 == 0 { random.uniform(-20.0, 20.0) } else { random.logarithmic(-30.0, 9.0) };
        let big = BigFloat::from_f64(x, BITS);
        check("exp", x, exp(x), big.exp(BITS, nearest, &mut consts));
        check("sin", x, sin(x), big.sin(BITS, nearest, &mut consts));
        check("cos", x, cos(x), big.cos(BITS, nearest, &mut consts));
        check("tan", x, tan(x), big.tan(BITS, nearest, &mut consts));
        let x = random.logarithmic(-30.0, 5.0);
        let big = BigFloat::from_f64(x, BITS);
        check("tanh", x, tanh(x), big.tanh(BITS, nearest, &mut consts));
        let x = match i % 3 {
            0 => 1.0 + random.logarithmic(-52.0, -2.0),
            1 => random.uniform(0.0, 10.0),
            _ => random.positive(),
        };
        let big = BigFloat::from_f64(x, BITS);
        check("ln", x, ln(x), big.ln(BITS, nearest, &mut consts));
        // The absolute error of the logarithm becomes relative: 85 bits would do.
        let y = random.uniform(-1.0, 1.0);
        let power = big.pow(&BigFloat::from_f64(y, BITS), BITS, nearest, &mut consts);
        check("powf", x, powf(x, y), power);
        let x = random.logarithmic(49.0, 1023.0);
        let big = BigFloat::from_f64(x, BITS);
        check("huge sin", x, sin(x), big.sin(BITS, nearest, &mut consts));
        check("huge tan", x, tan(x), big.tan(BITS, nearest, &mut consts));
    }
}
