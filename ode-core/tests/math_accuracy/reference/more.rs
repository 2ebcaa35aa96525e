//! The reference for the functions of the modules below `ode_core::math`: by exact identities from
//! the exponential, the logarithm, sine and cosine, and by Newton's method for inverses.

use super::{
    BITS, Dd, Exact, INVERSE, LN_2, agree, exp_of, expm1_series, exponent, ln_of, minus_ln_2,
    scale, sin_cos, two_product, two_sum,
};

fn dd(x: f64) -> Dd {
    Dd::from(x)
}

/// `x 2^n`, exact where nothing underflows.
fn scaled(x: Dd, n: i32) -> Dd {
    Dd { hi: scale(x.hi, n), lo: scale(x.lo, n) }
}

fn negate_if(negative: bool, x: Exact) -> Exact {
    if negative { Exact { value: -x.value, exponent: x.exponent } } else { x }
}

/// Below this the functions that are odd with slope 1 are `x + c x^3` to 100 bits.
const TINY: f64 = 1e-18;

/// `x + c x^power` for a tiny `x`, which may be subnormal.
fn nearly(x: f64, c: f64, power: i32) -> Exact {
    let e = exponent(x);
    let m = scale(x, -e);
    Exact { value: Dd { hi: m, lo: c * m.powi(power) * scale(1.0, e * (power - 1)) }, exponent: e }
}

/// A Newton step from the `f64` root.
fn sqrt_of(x: Dd) -> Dd {
    if x.hi == 0.0 {
        return dd(0.0);
    }
    let root = x.hi.sqrt();
    dd(root) + (x - two_product(root, root)) / dd(2.0 * root)
}

pub(crate) fn cbrt(x: f64) -> Exact {
    let third = exponent(x).div_euclid(3);
    let m = scale(x, -3 * third);
    let y = m.cbrt();
    let square = two_product(y, y);
    let y = dd(y) + (dd(m) - square * dd(y)) / (dd(3.0) * square);
    Exact { value: y, exponent: third }
}

pub(crate) fn hypot(x: f64, y: f64) -> Exact {
    let e = exponent(x).max(exponent(y));
    let (a, b) = (scale(x, -e), scale(y, -e));
    Exact { value: sqrt_of(two_product(a, a) + two_product(b, b)), exponent: e }
}

pub(crate) fn exp2(x: f64) -> Exact {
    let x = x.clamp(-3000.0, 3000.0);
    let n = x.round();
    Exact { value: dd(1.0) + expm1_series(dd(x - n) * LN_2), exponent: n as i32 }
}

pub(crate) fn exp_m1(x: f64) -> Exact {
    if x.abs() < TINY {
        return nearly(x, 0.5, 2);
    }
    if x.abs() < 0.35 {
        return Exact::from(expm1_series(dd(x)));
    }
    let e = exp_of(dd(x));
    if e.exponent < 0 {
        Exact::from(scaled(e.value, e.exponent.max(-200)) - dd(1.0))
    } else {
        Exact { value: e.value - dd(scale(1.0, -e.exponent)), exponent: e.exponent }
    }
}

/// `ln(1 + t)`.
fn ln_1p_of(t: Dd) -> Dd {
    if t.hi.abs() < 0.3 {
        return ln_series(t / (dd(2.0) + t));
    }
    ln_dd(dd(1.0) + t)
}

/// `2 atanh(s)`.
fn ln_series(s: Dd) -> Dd {
    let z = s * s;
    let mut sum = dd(0.0);
    for k in (0..=28).rev() {
        sum = sum * z + INVERSE[2 * k + 1];
    }
    dd(2.0) * s * sum
}

fn ln_dd(x: Dd) -> Dd {
    let mut e = exponent(x.hi);
    if scale(x.hi, -e) > 1.4 {
        e += 1;
    }
    let m = scaled(x, -e);
    minus_ln_2(ln_series((m - dd(1.0)) / (m + dd(1.0))), -f64::from(e))
}

pub(crate) fn ln_1p(x: f64) -> Exact {
    if x.abs() < TINY {
        return nearly(x, -0.5, 2);
    }
    Exact::from(if x.abs() < 0.3 { ln_1p_of(dd(x)) } else { ln_dd(two_sum(1.0, x)) })
}

pub(crate) fn log2(x: f64) -> Exact {
    Exact::from(ln_of(x) / LN_2)
}

pub(crate) fn log10(x: f64) -> Exact {
    Exact::from(ln_of(x) / ln_of(10.0))
}

/// The angle of `(x, y)`: from the `f64` angle, by the sine of the difference.
fn angle(y: Dd, x: Dd) -> Dd {
    let guess = y.hi.atan2(x.hi);
    let [s, c] = sin_cos(guess);
    let length = sqrt_of(x * x + y * y);
    let difference = (y * c - x * s) / length;
    dd(guess) + difference
}

pub(crate) fn atan2(y: f64, x: f64) -> Exact {
    let (ey, ex) = (exponent(y), exponent(x));
    if ex - ey > 60 && x > 0.0 {
        // The quotient to 100 bits.
        return Exact { value: dd(scale(y, -ey)) / dd(scale(x, -ex)), exponent: ey - ex };
    }
    let e = ex.max(ey);
    Exact::from(angle(dd(scale(y, -e)), dd(scale(x, -e))))
}

pub(crate) fn atan(x: f64) -> Exact {
    atan2(x, 1.0)
}

/// `sqrt(1 - x^2)`.
fn complement(x: f64) -> Dd {
    sqrt_of(two_sum(1.0, x) * two_sum(1.0, -x))
}

pub(crate) fn asin(x: f64) -> Exact {
    if x.abs() < TINY {
        return nearly(x, 1.0 / 6.0, 3);
    }
    Exact::from(angle(dd(x), complement(x)))
}

pub(crate) fn acos(x: f64) -> Exact {
    Exact::from(angle(complement(x), dd(x)))
}

pub(crate) fn sinh(x: f64) -> Exact {
    let a = x.abs();
    if a < TINY {
        return nearly(x, 1.0 / 6.0, 3);
    }
    let result = if a < 0.35 {
        let e = expm1_series(dd(a));
        Exact { value: e + e / (e + dd(1.0)), exponent: -1 }
    } else {
        let e = exp_of(dd(a));
        let inverse = dd(scale(1.0, -2 * e.exponent)) / e.value;
        Exact { value: e.value - inverse, exponent: e.exponent - 1 }
    };
    negate_if(x < 0.0, result)
}

pub(crate) fn cosh(x: f64) -> Exact {
    let e = exp_of(dd(x.abs()));
    let inverse = dd(scale(1.0, -2 * e.exponent)) / e.value;
    Exact { value: e.value + inverse, exponent: e.exponent - 1 }
}

pub(crate) fn asinh(x: f64) -> Exact {
    let a = x.abs();
    if a < TINY {
        return nearly(x, -1.0 / 6.0, 3);
    }
    let result = if a > 1e40 {
        ln_of(a) + LN_2
    } else {
        let square = two_product(a, a);
        ln_1p_of(dd(a) + square / (dd(1.0) + sqrt_of(dd(1.0) + square)))
    };
    negate_if(x < 0.0, Exact::from(result))
}

pub(crate) fn acosh(x: f64) -> Exact {
    if x > 1e40 {
        return Exact::from(ln_of(x) + LN_2);
    }
    let y = two_sum(x, -1.0);
    Exact::from(ln_1p_of(y + sqrt_of(y * (y + dd(2.0)))))
}

pub(crate) fn atanh(x: f64) -> Exact {
    let a = x.abs();
    if a < TINY {
        return nearly(x, 1.0 / 3.0, 3);
    }
    let twice = ln_1p_of(dd(2.0 * a) / two_sum(1.0, -a));
    negate_if(x < 0.0, Exact { value: twice, exponent: -1 })
}

/// As `reference_against_big_floats`.
#[test]
fn more_references_against_big_floats() {
    use astro_float::{BigFloat, Consts, RoundingMode};
    let nearest = RoundingMode::ToEven;
    let mut consts = Consts::new().expect("memory");
    let mut random = crate::Random(11);
    let part = |v: f64| BigFloat::from_f64(v, BITS);
    let check = |name: &str, x, exact, big| agree(name, x, exact, big, 92);
    let one = part(1.0);
    let length = |a: f64, b: f64| {
        let sum = part(a).mul(&part(a), 256, nearest).add(
            &part(b).mul(&part(b), 256, nearest),
            256,
            nearest,
        );
        sum.sqrt(BITS, nearest)
    };
    for _ in 0..100 {
        let x = random.positive();
        check("cbrt", x, cbrt(x), part(x).cbrt(BITS, nearest));
        check("log2", x, log2(x), part(x).log2(BITS, nearest, &mut consts));
        check("log10", x, log10(x), part(x).log10(BITS, nearest, &mut consts));
        let x = random.uniform(-100.0, 100.0);
        let two = part(2.0);
        check("exp2", x, exp2(x), two.pow(&part(x), BITS, nearest, &mut consts));
        let (x, y) = (random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0));
        check("hypot", x, hypot(x, y), length(x, y));
        for x in [random.uniform(-5.0, 5.0), random.logarithmic(-30.0, 6.0)] {
            let e = part(x).exp(256, nearest, &mut consts).sub(&one, BITS, nearest);
            check("exp_m1", x, exp_m1(x), e);
            check("sinh", x, sinh(x), part(x).sinh(BITS, nearest, &mut consts));
            check("cosh", x, cosh(x), part(x).cosh(BITS, nearest, &mut consts));
            check("asinh", x, asinh(x), part(x).asinh(BITS, nearest, &mut consts));
            check("atan", x, atan(x), part(x).atan(BITS, nearest, &mut consts));
            let x = x.abs();
            let more = part(x).add(&one, 256, nearest).ln(256, nearest, &mut consts);
            check("ln_1p", x, ln_1p(x), more);
            if 1.0 + x > 1.0 {
                let x = 1.0 + x;
                check("acosh", x, acosh(x), part(x).acosh(BITS, nearest, &mut consts));
            }
        }
        for x in [random.uniform(-1.0, 1.0), random.logarithmic(-30.0, 0.0)] {
            check("asin", x, asin(x), part(x).asin(BITS, nearest, &mut consts));
            check("acos", x, acos(x), part(x).acos(BITS, nearest, &mut consts));
            check("atanh", x, atanh(x), part(x).atanh(BITS, nearest, &mut consts));
        }
    }
}
