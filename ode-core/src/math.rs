//! Elementary functions as lane programs: the same bits on every lane type and on a GPU.
//!
//! A library function differs from the next library's in its last bits, so a promise of equal bits
//! needs functions of our own. These are branch-free but for one test each (is any lane's argument
//! out of the ordinary?), use no table that would need a gather, and state every fused
//! multiply-add, so that a compiler finds nothing to contract.
//!
//! # Accuracy
//!
//! Greatest error found, in units in the last place of the exact result (0.5 is perfect rounding),
//! over the whole range of arguments, subnormal arguments and results included:
//!
//! | function | `f64` | `f32` | asserted |
//! |---|---|---|---|
//! | [`exp`] | 1.01 | 1.06 | 1.1 |
//! | [`ln`] | 0.85 | 0.81 | 1 |
//! | [`sin`] | 1.49 | 1.53 | 1.6 |
//! | [`cos`] | 1.55 | 1.73 | 2 |
//! | [`tan`] | 3.36 | 3.33 | 4 |
//! | [`tanh`] | 1.60 | 1.57 | 1.7 |
//! | [`powf`] | 1.01 | 0.92 | 1.5 |
//! | [`exp2`] | 1.00 | 1.10 | 1.2 |
//! | [`exp_m1`] | 1.14 | 1.01 | 1.2 |
//! | [`ln_1p`] | 0.74 | 0.96 | 1.2 |
//! | [`log2`] | 0.96 | 0.89 | 1.2 |
//! | [`log10`] | 0.87 | 0.93 | 1.2 |
//! | [`cbrt`] | 0.51 | 0.51 | 0.6 |
//! | [`hypot`] | 0.91 | 0.93 | 1.2 |
//! | [`asin`] | 1.05 | 1.06 | 1.6 |
//! | [`acos`] | 1.02 | 1.06 | 1.6 |
//! | [`atan`] | 0.82 | 0.79 | 1 |
//! | [`atan2`] | 0.80 | 0.94 | 1.2 |
//! | [`sinh`] | 0.70 | 0.89 | 1 |
//! | [`cosh`] | 0.66 | 0.69 | 1 |
//! | [`asinh`] | 1.04 | 1.15 | 1.5 |
//! | [`acosh`] | 0.80 | 0.77 | 1.5 |
//! | [`atanh`] | 0.94 | 0.92 | 1.5 |
//!
//! Special values are those of IEEE 754-2019 (9.2.1) and C99 (Annex F), signs of zeros included;
//! the sign and payload of a NaN are not defined. `tests/math_accuracy` measures all this: `f32`
//! on every bit pattern (the exhaustive run is `#[ignore]`d, a sweep of every 997th is not), `f64`
//! on samples against a reference of 100 bits.
//!
//! # Method
//!
//! Each function reduces its argument exactly or in two parts (Cody and Waite, *Software Manual for
//! the Elementary Functions*, 1980), evaluates a minimax polynomial, and reconstructs; Muller's
//! *Elementary Functions* (3rd ed., 2016) is the text for all three. The polynomials are our own:
//! `tools/minimax.py` derives them, with every constant of this module. Polynomials are evaluated as
//! two to four interleaved Horner chains, to shorten the latency at no or one operation more.

mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod root;

pub use device::*;
pub use exponential::device::{exp_m1, exp2};
pub use hyperbolic::device::{acosh, asinh, atanh, cosh, sinh};
pub use inverse::device::{acos, asin, atan, atan2};
pub(crate) use logarithm::device::ln_near_1;
pub use logarithm::device::{ln_1p, log2, log10};
pub use root::device::{cbrt, hypot};

/// All elementary functions as CUDA C++, in the order of their dependence: the text of each module
/// of this one is in `namespace math`.
#[must_use]
pub fn device_source() -> String {
    [
        DEVICE,
        exponential::device::DEVICE,
        logarithm::device::DEVICE,
        root::device::DEVICE,
        inverse::device::DEVICE,
        hyperbolic::device::DEVICE,
    ]
    .concat()
}

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
mod device {
    use crate::lane::{Bits, Mask, Real};

    // -----------------------------------------------------------------------------------------
    // What the two precisions differ in
    // -----------------------------------------------------------------------------------------

    /// A constant of either precision.
    pub(crate) fn lit<R: Real>(double: f64, single: f64) -> R {
        R::lit_of(double, single)
    }

    /// `2^52 + 2^51` and `2^23 + 2^22`: added to a number of less than a quarter of that, it rounds
    /// the number to an integer, which then stands in the low bits of the sum, in two's complement.
    pub(crate) const ROUND_F64: f64 = 6755399441055744.0;
    pub(crate) const ROUND_F32: f64 = 12582912.0;

    /// The greatest finite number, and the smallest positive normal one.
    pub(crate) const MAX_F64: f64 = 1.7976931348623157e308;
    pub(crate) const MAX_F32: f64 = 3.4028234663852886e38;
    pub(crate) const MIN_NORMAL_F64: f64 = 2.2250738585072014e-308;
    pub(crate) const MIN_NORMAL_F32: f64 = 1.1754943508222875e-38;

    /// Infinity.
    pub fn infinity<R: Real>() -> R {
        if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(0x7ff0_0000_0000_0000))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(0x7f80_0000))
        }
    }

    /// Not a number.
    pub fn not_a_number<R: Real>() -> R {
        if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(0x7ff8_0000_0000_0000))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(0x7fc0_0000))
        }
    }

    /// The number whose sign and exponent fields are the low bits of `shifted`.
    pub(crate) fn from_exponent<R: Real>(shifted: R::Bits) -> R {
        if R::DOUBLE {
            R::from_bits(shifted.shl::<52>())
        } else {
            R::from_bits(shifted.shl::<23>())
        }
    }

    /// `x`, negated where the lowest bit of `shifted` is set.
    fn negate_if_odd<R: Real>(x: R, shifted: R) -> R {
        if R::DOUBLE {
            R::from_bits(x.to_bits() ^ shifted.to_bits().shl::<63>())
        } else {
            R::from_bits(x.to_bits() ^ shifted.to_bits().shl::<31>())
        }
    }

    /// `x` clamped, or `x` if it is a NaN: unlike [`Real::at_most`], these argument orders keep it.
    pub(crate) fn clamp<R: Real>(x: R, low: R, high: R) -> R {
        low.max(high.min(x))
    }

    // -----------------------------------------------------------------------------------------
    // Exponential
    // -----------------------------------------------------------------------------------------

    pub(crate) const LOG2_E: f64 = 1.4426950408889634;
    /// ln 2 in two parts.
    pub(crate) const LN_2_F64: [f64; 2] = [0.6931471805599453, 2.3190468138462996e-17];
    pub(crate) const LN_2_F32: [f64; 2] = [0.6931471824645996, -1.9046542121259336e-09];

    /// `(e^r - 1 - r) / r^2` for `|r| <= ln(2)/2`; greatest error `2^-57.4` of `e^r`.
    const EXP_F64: [f64; 10] = [
        0.5000000000000011,
        0.16666666666666435,
        0.04166666666652579,
        0.008333333333475816,
        0.001388888894485103,
        0.00019841269554938986,
        2.480149177879416e-05,
        2.7557536874809963e-06,
        2.7630741631455396e-07,
        2.5017718267168696e-08,
    ];
    /// As [`EXP_F64`]; greatest error `2^-28.2`.
    const EXP_F32: [f64; 5] = [
        0.4999999403953552,
        0.16666516661643982,
        0.04166810214519501,
        0.00836916547268629,
        0.0013838005252182484,
    ];

    /// `(e^r - 1 - r) / r^2` for `|r| <= ln(2)/2`.
    fn exp_tail<R: Real>(r: R, square: R) -> R {
        if R::DOUBLE {
            let even = R::lit(EXP_F64[8]).mul_add(square, R::lit(EXP_F64[6]));
            let odd = R::lit(EXP_F64[9]).mul_add(square, R::lit(EXP_F64[7]));
            let even = even.mul_add(square, R::lit(EXP_F64[4]));
            let odd = odd.mul_add(square, R::lit(EXP_F64[5]));
            let even = even.mul_add(square, R::lit(EXP_F64[2]));
            let odd = odd.mul_add(square, R::lit(EXP_F64[3]));
            let even = even.mul_add(square, R::lit(EXP_F64[0]));
            let odd = odd.mul_add(square, R::lit(EXP_F64[1]));
            odd.mul_add(r, even)
        } else {
            let even = R::lit(EXP_F32[4]).mul_add(square, R::lit(EXP_F32[2]));
            let odd = R::lit(EXP_F32[3]).mul_add(square, R::lit(EXP_F32[1]));
            let even = even.mul_add(square, R::lit(EXP_F32[0]));
            odd.mul_add(r, even)
        }
    }

    /// `e^(x + x_low)`, where `x_low` is at most a few units in the last place of `x`, and `x` is
    /// within the bounds that [`exp`] clamps it to.
    ///
    /// `x = n ln 2 + r` with `|r| <= ln(2)/2` (and a little, where the quotient was rounded to the
    /// other side). The first step of the reduction is exact: a fused multiply-add rounds only the
    /// difference, and that fits a number. Then `e^r = 1 + (r + r^2 q(r))`.
    ///
    /// `2^n` itself may overflow or be subnormal where the result is neither, so it is applied as
    /// two factors. The second rounds only into a subnormal result.
    fn exp_of_sum<R: Real>(x: R, x_low: R) -> R {
        // Twice the exponent bias is added too: it cancels below.
        let round = lit::<R>(ROUND_F64 + 2046.0, ROUND_F32 + 254.0);
        let shifted = x.mul_add(R::lit(LOG2_E), round);
        let n = shifted - round;
        let high = n.mul_add(lit::<R>(-LN_2_F64[0], -LN_2_F32[0]), x);
        let low = n.mul_add(lit::<R>(-LN_2_F64[1], -LN_2_F32[1]), x_low);
        let r = high + low;
        let r_low = (high - r) + low;
        let square = r * r;
        let w = r + exp_tail(r, square).mul_add(square, r_low);
        scale_by_power(w, n, shifted)
    }

    /// `(1 + w) 2^n`, where `shifted` is `n + ROUND + 2 bias`.
    pub(crate) fn scale_by_power<R: Real>(w: R, n: R, shifted: R) -> R {
        let round = lit::<R>(ROUND_F64 + 1023.0, ROUND_F32 + 127.0);
        let half = n.mul_add(R::lit(0.5), round).to_bits();
        let first: R = from_exponent::<R>(half);
        let second: R = from_exponent::<R>(shifted.to_bits().wrapping_sub(half));
        w.mul_add(first, first) * second
    }

    /// `e^x`.
    pub fn exp<R: Real>(x: R) -> R {
        // As exp_of_sum without the low part. Beyond the bounds the result is infinite or zero.
        let x = clamp(x, lit::<R>(-746.0, -104.0), lit::<R>(710.0, 89.0));
        let round = lit::<R>(ROUND_F64 + 2046.0, ROUND_F32 + 254.0);
        let shifted = x.mul_add(R::lit(LOG2_E), round);
        let n = shifted - round;
        let r = n.mul_add(lit::<R>(-LN_2_F64[0], -LN_2_F32[0]), x);
        let r = n.mul_add(lit::<R>(-LN_2_F64[1], -LN_2_F32[1]), r);
        let square = r * r;
        scale_by_power(exp_tail(r, square).mul_add(square, r), n, shifted)
    }

    // -----------------------------------------------------------------------------------------
    // Hyperbolic tangent
    // -----------------------------------------------------------------------------------------

    /// As [`EXP_F64`], but greatest error `2^-56.3` of `e^r - 1`.
    const EXPM1_F64: [f64; 11] = [
        0.5,
        0.16666666666666677,
        0.04166666666666661,
        0.008333333333321199,
        0.0013888888888785016,
        0.00019841269888354207,
        2.480158805234697e-05,
        2.755724220692414e-06,
        2.7556430841874553e-07,
        2.5109407878920956e-08,
        2.116346131688477e-09,
    ];
    /// As [`EXPM1_F64`]; greatest error `2^-31.0`.
    const EXPM1_F32: [f64; 6] = [
        0.5,
        0.1666666567325592,
        0.04166646674275398,
        0.008333642967045307,
        0.001393504673615098,
        0.00019664544379338622,
    ];

    /// `(e^r - 1 - r) / r^2` for `|r| <= ln(2)/2`, for use where the 1 cancels.
    pub(crate) fn expm1_tail<R: Real>(r: R, square: R) -> R {
        if R::DOUBLE {
            let even = R::lit(EXPM1_F64[10]).mul_add(square, R::lit(EXPM1_F64[8]));
            let odd = R::lit(EXPM1_F64[9]).mul_add(square, R::lit(EXPM1_F64[7]));
            let even = even.mul_add(square, R::lit(EXPM1_F64[6]));
            let odd = odd.mul_add(square, R::lit(EXPM1_F64[5]));
            let even = even.mul_add(square, R::lit(EXPM1_F64[4]));
            let odd = odd.mul_add(square, R::lit(EXPM1_F64[3]));
            let even = even.mul_add(square, R::lit(EXPM1_F64[2]));
            let odd = odd.mul_add(square, R::lit(EXPM1_F64[1]));
            let even = even.mul_add(square, R::lit(EXPM1_F64[0]));
            odd.mul_add(r, even)
        } else {
            let even = R::lit(EXPM1_F32[4]).mul_add(square, R::lit(EXPM1_F32[2]));
            let odd = R::lit(EXPM1_F32[5]).mul_add(square, R::lit(EXPM1_F32[3]));
            let even = even.mul_add(square, R::lit(EXPM1_F32[0]));
            let odd = odd.mul_add(square, R::lit(EXPM1_F32[1]));
            odd.mul_add(r, even)
        }
    }

    /// The hyperbolic tangent, as `E / (E + 2)` with `E = e^(2 |x|) - 1`.
    ///
    /// `2 |x| = n ln 2 + r + low` as in [`exp`], so `E = (2^n - 1) + 2^n (r + (low + r^2 q(r)))`.
    /// The two large terms are added with their rounding error, and the rounding error of `E + 2`
    /// is put right after the division: otherwise the result is off by 2.3 units.
    pub fn tanh<R: Real>(x: R) -> R {
        // Beyond 22 (`f32`: 10) the result rounds to 1.
        let twice = lit::<R>(44.0, 20.0).min(x.abs() + x.abs());
        let round = lit::<R>(ROUND_F64 + 1023.0, ROUND_F32 + 127.0);
        let shifted = twice.mul_add(R::lit(LOG2_E), round);
        let n = shifted - round;
        let power: R = from_exponent::<R>(shifted.to_bits());
        let r = n.mul_add(lit::<R>(-LN_2_F64[0], -LN_2_F32[0]), twice);
        let low = n * lit::<R>(-LN_2_F64[1], -LN_2_F32[1]);
        let square = r * r;
        let tail = expm1_tail(r, square).mul_add(square, low);
        // Dekker's fast two-sum of 2^n - 1, which is the larger or zero, and 2^n r.
        let power_minus_1 = power - R::lit(1.0);
        let sum = r.mul_add(power, power_minus_1);
        let sum_low = r.mul_add(power, power_minus_1 - sum);
        let e = sum + tail.mul_add(power, sum_low);
        let under = e + R::lit(2.0);
        let under_low = (R::lit(2.0) - under) + e;
        let inverse = R::lit(1.0) / under;
        let quotient = e * inverse;
        let minus = -quotient;
        let rest = minus.mul_add(under_low, minus.mul_add(under, e));
        rest.mul_add(inverse, quotient).copysign(x)
    }

    // -----------------------------------------------------------------------------------------
    // Logarithm
    // -----------------------------------------------------------------------------------------

    /// `2^54` and `2^25`: factors that make every subnormal number normal; and their exponents.
    pub(crate) const LIFT_F64: f64 = 18014398509481984.0;
    pub(crate) const LIFT_F32: f64 = 33554432.0;
    pub(crate) const LIFTED_F64: f64 = 54.0;
    pub(crate) const LIFTED_F32: f64 = 25.0;

    /// ln 2 in two parts, the first so short that its product with an exponent is exact.
    pub(crate) const LN_LN_2_F64: [f64; 2] = [0.6931471805598903, 5.497923018708371e-14];
    pub(crate) const LN_LN_2_F32: [f64; 2] = [0.693145751953125, 1.428606765330187e-06];

    /// `(ln(1 + f) - f + f^2/2) / f^3` for `|f| <= 1/3`; greatest error `2^-56.1` of `ln(1 + f)`.
    const LN_F64: [f64; 20] = [
        0.3333333333333317,
        -0.24999999999999423,
        0.20000000000073379,
        -0.16666666666850147,
        0.14285714274480812,
        -0.12499999977704049,
        0.11111111954852326,
        -0.10000001416805519,
        0.09090872907840443,
        -0.08333279876842793,
        0.07693261655513017,
        -0.0714412984759127,
        0.06650707855607882,
        -0.06230419696522688,
        0.06051419609073221,
        -0.05748851703727749,
        0.041766924308546796,
        -0.038313845202724635,
        0.08497665188423459,
        -0.08348325381115672,
    ];
    /// As [`LN_F64`]; greatest error `2^-29.9`.
    const LN_F32: [f64; 9] = [
        0.3333333432674408,
        -0.24999810755252838,
        0.1999976485967636,
        -0.166800856590271,
        0.14298953115940094,
        -0.12187859416007996,
        0.10822029411792755,
        -0.12883076071739197,
        0.11727214604616165,
    ];

    /// `(ln(1 + f) - f + f^2/2) / f^3` for `|f| <= 1/3`.
    pub(crate) fn ln_tail<R: Real>(f: R, square: R) -> R {
        if R::DOUBLE {
            let fourth = square * square;
            let a = R::lit(LN_F64[16]).mul_add(fourth, R::lit(LN_F64[12]));
            let b = R::lit(LN_F64[17]).mul_add(fourth, R::lit(LN_F64[13]));
            let c = R::lit(LN_F64[18]).mul_add(fourth, R::lit(LN_F64[14]));
            let d = R::lit(LN_F64[19]).mul_add(fourth, R::lit(LN_F64[15]));
            let a = a.mul_add(fourth, R::lit(LN_F64[8]));
            let b = b.mul_add(fourth, R::lit(LN_F64[9]));
            let c = c.mul_add(fourth, R::lit(LN_F64[10]));
            let d = d.mul_add(fourth, R::lit(LN_F64[11]));
            let a = a.mul_add(fourth, R::lit(LN_F64[4]));
            let b = b.mul_add(fourth, R::lit(LN_F64[5]));
            let c = c.mul_add(fourth, R::lit(LN_F64[6]));
            let d = d.mul_add(fourth, R::lit(LN_F64[7]));
            let a = a.mul_add(fourth, R::lit(LN_F64[0]));
            let b = b.mul_add(fourth, R::lit(LN_F64[1]));
            let c = c.mul_add(fourth, R::lit(LN_F64[2]));
            let d = d.mul_add(fourth, R::lit(LN_F64[3]));
            d.mul_add(f, c).mul_add(square, b.mul_add(f, a))
        } else {
            let even = R::lit(LN_F32[8]).mul_add(square, R::lit(LN_F32[6]));
            let odd = R::lit(LN_F32[7]).mul_add(square, R::lit(LN_F32[5]));
            let even = even.mul_add(square, R::lit(LN_F32[4]));
            let odd = odd.mul_add(square, R::lit(LN_F32[3]));
            let even = even.mul_add(square, R::lit(LN_F32[2]));
            let odd = odd.mul_add(square, R::lit(LN_F32[1]));
            let even = even.mul_add(square, R::lit(LN_F32[0]));
            odd.mul_add(f, even)
        }
    }

    /// `2^52` plus the exponent bias, `2^23` plus the exponent bias: see [`split_exponent`].
    pub(crate) const BIASED_F64: f64 = 4503599627371519.0;
    pub(crate) const BIASED_F32: f64 = 8388735.0;

    /// `[m, k + BIASED]` with `x = 2^k m` and `start <= m < 2 start`, for a positive normal `x` and
    /// the bit pattern `start` of a number between 1/2 and 1.
    ///
    /// Moves the pattern by the distance from `start` to 1. The exponent field then counts
    /// intervals from `start` instead of intervals from 1, and the bits below it are `m`'s distance
    /// from `start`.
    pub(crate) fn split_exponent<R: Real>(x: R, start: R::Bits) -> [R; 2] {
        if R::DOUBLE {
            let one = <R::Bits as Bits>::lit(0x3ff0_0000_0000_0000);
            let moved = x.to_bits().wrapping_add(one.wrapping_sub(start));
            let distance = moved & <R::Bits as Bits>::lit(0x000f_ffff_ffff_ffff);
            // The exponent field as the low bits of 2^52.
            let biased = moved.shr::<52>() | <R::Bits as Bits>::lit(0x4330_0000_0000_0000);
            [R::from_bits(start.wrapping_add(distance)), R::from_bits(biased)]
        } else {
            let one = <R::Bits as Bits>::lit(0x3f80_0000);
            let moved = x.to_bits().wrapping_add(one.wrapping_sub(start));
            let distance = moved & <R::Bits as Bits>::lit(0x007f_ffff);
            let biased = moved.shr::<23>() | <R::Bits as Bits>::lit(0x4b00_0000);
            [R::from_bits(start.wrapping_add(distance)), R::from_bits(biased)]
        }
    }

    /// The bit pattern of 2/3.
    pub(crate) fn two_thirds<R: Real>() -> R::Bits {
        if R::DOUBLE {
            <R::Bits as Bits>::lit(0x3fe5_5555_5555_5555)
        } else {
            <R::Bits as Bits>::lit(0x3f2a_aaab)
        }
    }

    /// The bit pattern of the square root of 1/2.
    fn sqrt_half<R: Real>() -> R::Bits {
        if R::DOUBLE {
            <R::Bits as Bits>::lit(0x3fe6_a09e_667f_3bcd)
        } else {
            <R::Bits as Bits>::lit(0x3f35_04f3)
        }
    }

    /// Whether `x` is positive, normal and finite.
    pub(crate) fn is_ordinary<R: Real>(x: R) -> R::Mask {
        x.ge(lit::<R>(MIN_NORMAL_F64, MIN_NORMAL_F32)) & x.le(lit::<R>(MAX_F64, MAX_F32))
    }

    /// The natural logarithm.
    ///
    /// `ln x = k ln 2 + ln m` with `x = 2^k m`, `2/3 <= m < 4/3`, and
    /// `ln m = f - f^2/2 + f^3 p(f)` with `f = m - 1`, which is exact. With the quotient
    /// `f / (2 + f)` as variable the polynomial would have 7 terms instead of 20 (`f32`: 3 instead
    /// of 9); but an IEEE division costs as much as the difference on a CPU, and on a GPU it is a
    /// branch as well.
    pub fn ln<R: Real>(x: R) -> R {
        let special = !(is_ordinary(x));
        let mut normal = x;
        let mut bias = lit::<R>(BIASED_F64, BIASED_F32);
        if special.any() {
            let tiny = x.lt(lit::<R>(MIN_NORMAL_F64, MIN_NORMAL_F32));
            normal = R::select(tiny, x * lit::<R>(LIFT_F64, LIFT_F32), x);
            bias = R::select(tiny, bias + lit::<R>(LIFTED_F64, LIFTED_F32), bias);
        }
        let [m, biased] = split_exponent(normal, two_thirds::<R>());
        let k = biased - bias;
        let f = m - R::lit(1.0);
        let square = f * f;
        let small = k * lit::<R>(LN_LN_2_F64[1], LN_LN_2_F32[1]);
        let small = ln_tail(f, square).mul_add(square * f, small);
        let small = square.mul_add(R::lit(-0.5), small);
        let mut result = k.mul_add(lit::<R>(LN_LN_2_F64[0], LN_LN_2_F32[0]), f + small);
        if special.any() {
            // What is left is right for subnormal numbers and, by chance, for nothing else.
            let other = R::select(x.equals(infinity::<R>()), x, result);
            let other = R::select(x.equals(R::lit(0.0)), -infinity::<R>(), other);
            let other = R::select(x.ge(R::lit(0.0)), other, not_a_number::<R>());
            result = R::select(special, other, result);
        }
        result
    }

    // -----------------------------------------------------------------------------------------
    // Power
    // -----------------------------------------------------------------------------------------

    /// `ln(2)/2` in two parts, the first so short that its product with an exponent is exact.
    const HALF_LN_2_F64: [f64; 2] = [0.34657359027994517, 2.7489615093541856e-14];
    const HALF_LN_2_F32: [f64; 2] = [0.3465728759765625, 7.143033826750935e-07];
    /// 1/3 in two parts.
    const THIRD_F64: [f64; 2] = [0.3333333333333333, 1.850371707708594e-17];
    const THIRD_F32: [f64; 2] = [0.3333333432674408, -9.934107758624577e-09];

    /// `(atanh(s) - s - s^3/3) / s^5` in `s^2`, for `|s| <= (sqrt 2 - 1)^2`; greatest error
    /// `2^-66.3` of `atanh(s)`.
    const ATANH_F64: [f64; 7] = [
        0.20000000000001128,
        0.14285714285049636,
        0.1111111126001465,
        0.09090892176832373,
        0.07693379063109157,
        0.06628397735481315,
        0.0659828394860465,
    ];
    /// As [`ATANH_F64`]; greatest error `2^-36.8`.
    const ATANH_F32: [f64; 3] = [0.20000076293945312, 0.14273542165756226, 0.11709950119256973];

    /// `(atanh(s) - s - s^3/3) / s^5` with `z = s^2`.
    fn atanh_tail<R: Real>(z: R) -> R {
        if R::DOUBLE {
            let square = z * z;
            let even = R::lit(ATANH_F64[6]).mul_add(square, R::lit(ATANH_F64[4]));
            let odd = R::lit(ATANH_F64[5]).mul_add(square, R::lit(ATANH_F64[3]));
            let even = even.mul_add(square, R::lit(ATANH_F64[2]));
            let odd = odd.mul_add(square, R::lit(ATANH_F64[1]));
            let even = even.mul_add(square, R::lit(ATANH_F64[0]));
            odd.mul_add(z, even)
        } else {
            let tail = R::lit(ATANH_F32[2]).mul_add(z, R::lit(ATANH_F32[1]));
            tail.mul_add(z, R::lit(ATANH_F32[0]))
        }
    }

    /// `ln(m)/2 = atanh((m - 1) / (m + 1))` for `sqrt(1/2) <= m < sqrt 2`, as an unevaluated sum
    /// `[high, low]` that is good to about `2^-64` (`f32`: `2^-35`) of it.
    ///
    /// The terms `s` and `s^3/3` are carried as such sums (Dekker 1971), the rest is below the
    /// rounding error of their first parts.
    fn half_ln<R: Real>(m: R) -> [R; 2] {
        // s = f / g
        let f = m - R::lit(1.0);
        let g = m + R::lit(1.0);
        let g_low = m - (g - R::lit(1.0));
        let inverse = R::lit(1.0) / g;
        let s = f * inverse;
        let s_low = (-s).mul_add(g_low, (-s).mul_add(g, f)) * inverse;
        // z = s^2
        let z = s * s;
        let z_low = (s + s).mul_add(s_low, s.mul_add(s, -z));
        // c = 1/3 + z tail(z)
        let third = lit::<R>(THIRD_F64[0], THIRD_F32[0]);
        let tail = z * atanh_tail(z);
        let c = third + tail;
        let c_low = ((third - c) + tail) + lit::<R>(THIRD_F64[1], THIRD_F32[1]);
        // t = z c
        let t = z * c;
        let t_low = z.mul_add(c_low, z_low.mul_add(c, z.mul_add(c, -t)));
        // u = s t
        let u = s * t;
        let u_low = s.mul_add(t_low, s_low.mul_add(t, s.mul_add(t, -u)));
        let high = s + u;
        [high, ((s - high) + u) + (s_low + u_low)]
    }

    /// `x^y`.
    ///
    /// `e^(y ln x)` with `ln x = 2 (k ln(2)/2 + ln(m)/2)` and the product as unevaluated sums of
    /// two numbers: the exponential makes the absolute error of its argument, which may be 745, a
    /// relative error of the result.
    pub fn powf<R: Real>(x: R, y: R) -> R {
        let largest = lit::<R>(MAX_F64, MAX_F32);
        let special = !(is_ordinary(x) & y.abs().le(largest));
        let mut normal = x.abs();
        let mut bias = lit::<R>(BIASED_F64, BIASED_F32);
        if special.any() {
            let tiny = normal.lt(lit::<R>(MIN_NORMAL_F64, MIN_NORMAL_F32));
            bias = R::select(tiny, bias + lit::<R>(LIFTED_F64, LIFTED_F32), bias);
            normal = R::select(tiny, normal * lit::<R>(LIFT_F64, LIFT_F32), normal);
        }
        let [m, biased] = split_exponent(normal, sqrt_half::<R>());
        let k = biased - bias;
        let [half, half_low] = half_ln(m);
        // The first term is exact, and zero or larger than the second.
        let first = k * lit::<R>(HALF_LN_2_F64[0], HALF_LN_2_F32[0]);
        let high = first + half;
        let low = k.mul_add(lit::<R>(HALF_LN_2_F64[1], HALF_LN_2_F32[1]), half_low);
        let low = ((first - high) + half) + low;
        // |ln x| is 0 or at least 2^-53 (2^-24). So beyond these bounds y changes nothing: the
        // result is 1, infinite or zero. Within them, no product overflows.
        let twice = clamp(y + y, lit::<R>(-7.4e19, -1.8e10), lit::<R>(7.4e19, 1.8e10));
        let product = twice * high;
        let product_low = twice.mul_add(low, twice.mul_add(high, -product));
        let argument = clamp(product, lit::<R>(-746.0, -104.0), lit::<R>(710.0, 89.0));
        let within = argument.equals(product);
        let argument_low = R::select(within, product_low, R::lit(0.0));
        let mut result = exp_of_sum(argument, argument_low);
        if special.any() {
            result = R::select(special, powf_special(x, y, result), result);
        }
        result
    }

    /// [`powf`] where `x` is not a positive normal number or `y` is not finite; `result` is `|x|^y`
    /// where both are finite and `x` is not 0.
    #[cold]
    #[inline(never)]
    fn powf_special<R: Real>(x: R, y: R, result: R) -> R {
        let zero = R::lit(0.0);
        let one = R::lit(1.0);
        let a = x.abs();
        // |x|^y for an x that is 0 or infinite.
        let limit = R::select(y.gt(zero), a, one / a);
        let result = R::select(a.equals(zero) | a.equals(infinity::<R>()), limit, result);
        // |x|^y for an infinite y.
        let growth = R::select(a.gt(one), y, -y);
        let limit = R::select(growth.gt(zero), infinity::<R>(), zero);
        let limit = R::select(a.equals(one), one, limit);
        let result = R::select(y.abs().equals(infinity::<R>()), limit, result);
        // The sign is that of x if y is odd. Infinite and all large y are even.
        let half = y * R::lit(0.5);
        let integer = y.floor().equals(y);
        let odd = integer & !(half.floor().equals(half));
        let result = R::select(odd, result.copysign(x), result);
        // A finite negative x needs an integer y.
        let undefined = (x.lt(zero) & a.le(lit::<R>(MAX_F64, MAX_F32))) & !(integer);
        let undefined = undefined | (!(x.equals(x)) | !(y.equals(y)));
        let result = R::select(undefined, not_a_number::<R>(), result);
        // These two hold even for a NaN.
        R::select(y.equals(zero) | x.equals(one), one, result)
    }

    // -----------------------------------------------------------------------------------------
    // Sine, cosine, tangent
    // -----------------------------------------------------------------------------------------

    const ONE_BY_PI: f64 = 0.3183098861837907;
    const TWO_BY_PI: f64 = 0.6366197723675814;
    /// pi and pi/2 in three parts, each cut rather than rounded: all are positive, so that the
    /// products with a zero `n` are zeros of one sign, and `x = -0` keeps its own.
    const PI_F64: [f64; 3] = [3.141592653589793, 1.224646799147353e-16, 2.1657133478438278e-32];
    const PI_F32: [f64; 3] = [3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14];
    const HALF_PI_F64: [f64; 3] =
        [1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32];
    const HALF_PI_F32: [f64; 3] = [1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15];

    /// Beyond `2^30` (`f32`: `2^17`), three parts of pi are not enough.
    const LARGE_F64: f64 = 1073741824.0;
    const LARGE_F32: f64 = 131072.0;

    /// `(sin(r) - r) / r^3` in `r^2`, for `|r| <= pi/2`; greatest error `2^-61.5` of the sine.
    const SIN_F64: [f64; 8] = [
        -0.16666666666666666,
        0.008333333333333207,
        -0.0001984126984121248,
        2.755731921157005e-06,
        -2.5052106904556535e-08,
        1.6058941013439743e-10,
        -7.643019766479589e-13,
        2.7214246236558945e-15,
    ];
    /// As [`SIN_F64`]; greatest error `2^-31.0`.
    const SIN_F32: [f64; 5] = [
        -0.1666666716337204,
        0.008333350531756878,
        -0.00019843093468807638,
        2.7627061172097456e-06,
        -2.5503284817318672e-08,
    ];

    /// `tan(r) = r (1 + z a(z)) / (1 + z b(z))` with `z = r^2`, for `|r| <= pi/4`: the coefficients
    /// of `a` and `b`; greatest error `2^-55.4` of the tangent.
    const TAN_OVER_F64: [f64; 3] =
        [-0.12828262863441522, 0.002805824432920283, -7.482725263359005e-06];
    const TAN_UNDER_F64: [f64; 3] =
        [-0.46161596196774657, 0.0233444784221099, -0.00020843457127108438];
    /// As [`TAN_OVER_F64`]; greatest error `2^-25.7`.
    const TAN_OVER_F32: f64 = -0.09578122198581696;
    const TAN_UNDER_F32: [f64; 2] = [-0.42911505699157715, 0.009709460660815239];

    /// The sine.
    ///
    /// `x = n pi + r` with `|r| <= pi/2`, so that one polynomial serves, and its sign is the parity
    /// of `n`. The first step of the reduction is exact, as in [`exp`]; where `r` is small the
    /// second is exact, too, and the third adds what matters then.
    pub fn sin<R: Real>(x: R) -> R {
        let round = lit::<R>(ROUND_F64, ROUND_F32);
        let mut shifted = x.mul_add(R::lit(ONE_BY_PI), round);
        let mut r = minus_multiple_of_pi(x, shifted - round);
        let large = !(x.abs().le(lit::<R>(LARGE_F64, LARGE_F32)));
        if large.any() {
            let turns = quarter_turns(x);
            let n = (turns[0] * R::lit(0.5)).round_even();
            r = R::select(large, from_quarter_turns(turns, n + n), r);
            shifted = R::select(large, n + round, shifted);
        }
        negate_if_odd(sin_of_reduced(r), shifted)
    }

    /// The cosine, as the sine of the distance to the nearest odd multiple of pi/2: of
    /// `x = (n - 1/2) pi + r` it is `sin r`, negated if `n` is odd.
    ///
    /// For `|x| < 1` the first step of the reduction may round, for that costs at most half a unit
    /// where `r` is near pi/2.
    pub fn cos<R: Real>(x: R) -> R {
        let round = lit::<R>(ROUND_F64, ROUND_F32);
        let half = R::lit(0.5);
        let a = x.abs();
        let mut shifted = a.mul_add(R::lit(ONE_BY_PI), half) + round;
        let mut r = minus_multiple_of_pi(a, (shifted - round) - half);
        let large = !(a.le(lit::<R>(LARGE_F64, LARGE_F32)));
        if large.any() {
            let turns = quarter_turns(a);
            let n = turns[0].mul_add(half, half).round_even();
            r = R::select(large, from_quarter_turns(turns, (n + n) - R::lit(1.0)), r);
            shifted = R::select(large, n + round, shifted);
        }
        negate_if_odd(sin_of_reduced(r), shifted)
    }

    /// `x - n pi`.
    fn minus_multiple_of_pi<R: Real>(x: R, n: R) -> R {
        let r = n.mul_add(lit::<R>(-PI_F64[0], -PI_F32[0]), x);
        let r = n.mul_add(lit::<R>(-PI_F64[1], -PI_F32[1]), r);
        n.mul_add(lit::<R>(-PI_F64[2], -PI_F32[2]), r)
    }

    /// `sin(r)` for `|r| <= pi/2`, as `r + r p`.
    ///
    /// Near pi/2, `p` is -0.36, so its error counts; its two leading terms are rounded once each.
    /// (`r + r^3 q` has one rounding of a large number more.) For `r = -0`, `p` is +0, not -0, and
    /// the sum is -0.
    fn sin_of_reduced<R: Real>(r: R) -> R {
        let square = r * r;
        let fourth = square * square;
        if R::DOUBLE {
            let even = R::lit(SIN_F64[7]).mul_add(fourth, R::lit(SIN_F64[5]));
            let odd = R::lit(SIN_F64[6]).mul_add(fourth, R::lit(SIN_F64[4]));
            let even = even.mul_add(fourth, R::lit(SIN_F64[3]));
            let odd = odd.mul_add(fourth, R::lit(SIN_F64[2]));
            let even = even.mul_add(fourth, R::lit(SIN_F64[1]));
            let tail = odd.mul_add(square, even);
            let p = square.mul_add(R::lit(SIN_F64[0]), tail * fourth);
            r.mul_add(p, r)
        } else {
            let even = R::lit(SIN_F32[3]).mul_add(fourth, R::lit(SIN_F32[1]));
            let odd = R::lit(SIN_F32[4]).mul_add(fourth, R::lit(SIN_F32[2]));
            let tail = odd.mul_add(square, even);
            let p = square.mul_add(R::lit(SIN_F32[0]), tail * fourth);
            r.mul_add(p, r)
        }
    }

    /// The tangent.
    ///
    /// `x = n pi/2 + r` with `|r| <= pi/4`; `tan r` is one quotient of polynomials, and `-1/tan r`,
    /// for odd `n`, is the quotient turned over: one division in either case.
    pub fn tan<R: Real>(x: R) -> R {
        let round = lit::<R>(ROUND_F64, ROUND_F32);
        let mut shifted = x.mul_add(R::lit(TWO_BY_PI), round);
        let n = shifted - round;
        let r = n.mul_add(lit::<R>(-HALF_PI_F64[0], -HALF_PI_F32[0]), x);
        let r = n.mul_add(lit::<R>(-HALF_PI_F64[1], -HALF_PI_F32[1]), r);
        let mut r = n.mul_add(lit::<R>(-HALF_PI_F64[2], -HALF_PI_F32[2]), r);
        let large = !(x.abs().le(lit::<R>(LARGE_F64, LARGE_F32)));
        if large.any() {
            let turns = quarter_turns(x);
            let n = turns[0].round_even();
            r = R::select(large, from_quarter_turns(turns, n), r);
            shifted = R::select(large, n + round, shifted);
        }
        let [over, under] = tan_quotient(r);
        let one = <R::Bits as Bits>::lit(1);
        let odd = (shifted.to_bits() & one).equals(one);
        R::select(odd, -under, over) / R::select(odd, over, under)
    }

    /// `[a, b]` with `tan r = a / b`, for `|r| <= pi/4`. The sign of a zero is kept as in
    /// [`sin_of_reduced`].
    fn tan_quotient<R: Real>(r: R) -> [R; 2] {
        let square = r * r;
        if R::DOUBLE {
            let fourth = square * square;
            let tail = R::lit(TAN_OVER_F64[2]).mul_add(square, R::lit(TAN_OVER_F64[1]));
            let over = square.mul_add(R::lit(TAN_OVER_F64[0]), tail * fourth);
            let tail = R::lit(TAN_UNDER_F64[2]).mul_add(square, R::lit(TAN_UNDER_F64[1]));
            let under = square.mul_add(R::lit(TAN_UNDER_F64[0]), tail * fourth);
            [r.mul_add(over, r), under + R::lit(1.0)]
        } else {
            let over = square.mul_add(R::lit(TAN_OVER_F32), R::lit(0.0));
            let under = R::lit(TAN_UNDER_F32[1]).mul_add(square, R::lit(TAN_UNDER_F32[0]));
            [r.mul_add(over, r), under.mul_add(square, R::lit(1.0))]
        }
    }

    // -----------------------------------------------------------------------------------------
    // Reduction of large arguments
    // -----------------------------------------------------------------------------------------

    /// 2/pi, cut into chunks: the sum of `2^-200 c_i`, where `2^-200 c_i` is a multiple of
    /// `2^(-53 (i + 1))`. (The scale keeps the last ones normal.)
    const CHUNKS_F64: [f64; 23] = [
        1.0230085319449648e+60,
        -6.324482842004551e+43,
        -3.4457367704158914e+27,
        -840680062465.6821,
        5.602062062373285e-05,
        7.71447463765119e-21,
        1.8472517870813878e-38,
        -1.4498440864845434e-52,
        6.035183207346655e-69,
        -1.4503011983454252e-84,
        -1.1321868909558687e-100,
        -1.0921396716564699e-116,
        1.624180225205116e-132,
        1.966448195593011e-148,
        -3.435114692821145e-164,
        2.7356739367952825e-180,
        4.2410521266334654e-196,
        -8.62139179150335e-213,
        -3.057513358291714e-228,
        -3.3223721636844355e-245,
        -4.615691126614405e-260,
        5.542313502515737e-276,
        -3.2524318976129185e-292,
    ];
    /// As [`CHUNKS_F64`], with `2^-80` and multiples of `2^(-24 (i + 1))`.
    const CHUNKS_F32: [f64; 9] = [
        7.696260490440552e+23,
        3.1048301402914816e+16,
        355073024.0,
        39.343048095703125,
        -6.433419912355021e-07,
        -2.243290731125669e-13,
        -2.2531378834875854e-20,
        8.527713496815467e-28,
        -1.2654472193090399e-36,
    ];
    /// `2^-200`, `2^-80`.
    const CHUNK_SCALE_F64: f64 = 6.223015277861142e-61;
    const CHUNK_SCALE_F32: f64 = 8.271806125530277e-25;
    /// Of an `x` of `2^54` times `2^(53 (i + 1))` or more, the product with chunk `i` is a multiple
    /// of 4, because an `x` of `2^e` is a multiple of `2^(e - 52)`. (`f32`: `2^25`, `2^24`.)
    const SKIP_F64: f64 = 18014398509481984.0;
    const SKIP_F32: f64 = 33554432.0;
    const SKIP_STEP_F64: f64 = 9007199254740992.0;
    const SKIP_STEP_F32: f64 = 16777216.0;

    /// `2 x / pi` less a multiple of 4, as an unevaluated sum of three numbers. NaN for an infinite
    /// `x`. Slow.
    ///
    /// The reduction of Payne and Hanek (1983) in floating point. Of the product of `x` and 2/pi
    /// only the bits from 2 down to `2^-158` (`f32`: `2^-71`) are wanted; no `f64` is nearer than
    /// `2^-62` to a multiple of pi/2 (`f32`: `2^-31`; Muller, *Elementary Functions*, 11.3), so
    /// these determine the remainder to full accuracy. The chunks of 2/pi whose products with `x`
    /// are multiples of 4 are skipped; those of the next five are split exactly into two numbers,
    /// taken modulo 4, exactly, and added with their rounding errors.
    #[cold]
    #[inline(never)]
    fn quarter_turns<R: Real>(x: R) -> [R; 3] {
        let chunks = leading_chunks(x.abs());
        let scaled = x * lit::<R>(CHUNK_SCALE_F64, CHUNK_SCALE_F32);
        let mut sum = [R::lit(0.0), R::lit(0.0), R::lit(0.0)];
        for i in 0..5 {
            let product = scaled * chunks[i];
            let error = scaled.mul_add(chunks[i], -product);
            sum = accumulate(sum, modulo_4(product));
            sum = accumulate(sum, modulo_4(error));
        }
        sum
    }

    /// The five chunks that matter for `a = |x|`.
    fn leading_chunks<R: Real>(a: R) -> [R; 5] {
        let mut threshold = lit::<R>(SKIP_F64, SKIP_F32);
        if R::DOUBLE {
            let mut chunks = [
                R::lit(CHUNKS_F64[0]),
                R::lit(CHUNKS_F64[1]),
                R::lit(CHUNKS_F64[2]),
                R::lit(CHUNKS_F64[3]),
                R::lit(CHUNKS_F64[4]),
            ];
            for i in 0..18 {
                threshold = threshold * R::lit(SKIP_STEP_F64);
                let skip = a.ge(threshold);
                for j in 0..5 {
                    chunks[j] = R::select(skip, R::lit(CHUNKS_F64[i + j + 1]), chunks[j]);
                }
            }
            chunks
        } else {
            let mut chunks = [
                R::lit(CHUNKS_F32[0]),
                R::lit(CHUNKS_F32[1]),
                R::lit(CHUNKS_F32[2]),
                R::lit(CHUNKS_F32[3]),
                R::lit(CHUNKS_F32[4]),
            ];
            for i in 0..4 {
                threshold = threshold * R::lit(SKIP_STEP_F32);
                let skip = a.ge(threshold);
                for j in 0..5 {
                    chunks[j] = R::select(skip, R::lit(CHUNKS_F32[i + j + 1]), chunks[j]);
                }
            }
            chunks
        }
    }

    /// `v` less the nearest multiple of 4; exact.
    fn modulo_4<R: Real>(v: R) -> R {
        (v * R::lit(0.25)).round_even().mul_add(R::lit(-4.0), v)
    }

    /// Adds `term` to the unevaluated sum `sum` (Knuth's two-sum, twice).
    fn accumulate<R: Real>(sum: [R; 3], term: R) -> [R; 3] {
        let a = sum[0] + term;
        let b = a - sum[0];
        let error = (sum[0] - (a - b)) + (term - b);
        let c = sum[1] + error;
        let d = c - sum[1];
        let rest = (sum[1] - (c - d)) + (error - d);
        [a, c, sum[2] + rest]
    }

    /// `(turns - n) pi/2` for an integer `n` within 1 of `turns`.
    fn from_quarter_turns<R: Real>(turns: [R; 3], n: R) -> R {
        let first = turns[0] - n;
        let high = first + turns[1];
        let low = (turns[1] - (high - first)) + turns[2];
        let rest = low * lit::<R>(HALF_PI_F64[0], HALF_PI_F32[0]);
        let rest = high.mul_add(lit::<R>(HALF_PI_F64[1], HALF_PI_F32[1]), rest);
        high.mul_add(lit::<R>(HALF_PI_F64[0], HALF_PI_F32[0]), rest)
    }
}
