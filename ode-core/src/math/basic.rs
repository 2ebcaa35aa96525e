//! Shared functions, and exponential, hyperbolic tangent and logarithm.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Bits, Mask, Real};

    // -----------------------------------------------------------------------------------------
    // Differences between the two precisions
    // -----------------------------------------------------------------------------------------

    /// Returns a constant of the precision of `R`.
    pub(crate) fn lit<R: Real>(double: f64, single: f64) -> R {
        R::lit_of(double, single)
    }

    /// `2^52 + 2^51` and `2^23 + 2^22`, which round a number to an integer.
    ///
    /// The sum with a number below a quarter of the constant is rounded to an integer. The low bits
    /// of the sum then contain the integer, in two's complement.
    pub(crate) const ROUND_F64: f64 = 6755399441055744.0;
    pub(crate) const ROUND_F32: f64 = 12582912.0;

    /// The greatest finite number, and the smallest positive normal one.
    pub(crate) const MAX_F64: f64 = 1.7976931348623157e308;
    pub(crate) const MAX_F32: f64 = 3.4028234663852886e38;
    pub(crate) const MIN_NORMAL_F64: f64 = 2.2250738585072014e-308;
    pub(crate) const MIN_NORMAL_F32: f64 = 1.1754943508222875e-38;

    /// Returns infinity.
    pub fn infinity<R: Real>() -> R {
        if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(0x7ff0_0000_0000_0000))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(0x7f80_0000))
        }
    }

    /// Returns a NaN.
    pub fn not_a_number<R: Real>() -> R {
        if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(0x7ff8_0000_0000_0000))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(0x7fc0_0000))
        }
    }

    /// Returns the number with the low bits of `shifted` as its sign and exponent fields.
    pub(crate) fn from_exponent<R: Real>(shifted: R::Bits) -> R {
        if R::DOUBLE {
            R::from_bits(shifted.shl::<52>())
        } else {
            R::from_bits(shifted.shl::<23>())
        }
    }

    /// Returns `x`, negated if the lowest bit of `shifted` is set.
    pub(crate) fn negate_if_odd<R: Real>(x: R, shifted: R) -> R {
        if R::DOUBLE {
            R::from_bits(x.to_bits() ^ shifted.to_bits().shl::<63>())
        } else {
            R::from_bits(x.to_bits() ^ shifted.to_bits().shl::<31>())
        }
    }

    /// Clamps `x`; a NaN stays a NaN by the order of arguments, unlike in [`Real::at_most`].
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

    /// Computes `(e^r - 1 - r) / r^2` for `|r| <= ln(2)/2`.
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

    /// Computes `e^(x + x_low)`.
    ///
    /// `x_low` is at most a few units in the last place of `x`, and `x` is within the bounds to
    /// which [`exp`] clamps its argument.
    ///
    /// `x = n ln 2 + r` with `|r| <= ln(2)/2` (or slightly more, if the quotient was rounded to the
    /// other side). The first step of the reduction is exact: a fused multiply-add rounds only the
    /// difference, which is representable. Then `e^r = 1 + (r + r^2 q(r))`.
    ///
    /// `2^n` itself may overflow or be subnormal although the result does not, so it is applied as
    /// two factors. The second factor rounds only if the result is subnormal.
    pub(crate) fn exp_of_sum<R: Real>(x: R, x_low: R) -> R {
        // The sum also contains twice the exponent bias, which cancels below.
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

    /// Computes `(1 + w) 2^n`, for `shifted = n + ROUND + 2 bias`.
    pub(crate) fn scale_by_power<R: Real>(w: R, n: R, shifted: R) -> R {
        let round = lit::<R>(ROUND_F64 + 1023.0, ROUND_F32 + 127.0);
        let half = n.mul_add(R::lit(0.5), round).to_bits();
        let first: R = from_exponent::<R>(half);
        let second: R = from_exponent::<R>(shifted.to_bits().wrapping_sub(half));
        w.mul_add(first, first) * second
    }

    /// Computes `e^x`.
    #[elementary]
    pub fn exp<R: Real>(x: R) -> R {
        // As `exp_of_sum` without the low part. Beyond the bounds the result is infinite or zero.
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

    /// Computes `(e^r - 1 - r) / r^2` for `|r| <= ln(2)/2`, for uses in which the 1 cancels.
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

    /// Computes the hyperbolic tangent, as `E / (E + 2)` with `E = e^(2 |x|) - 1`.
    ///
    /// `2 |x| = n ln 2 + r + low` as in [`exp`], so `E = (2^n - 1) + 2^n (r + (low + r^2 q(r)))`.
    /// The two large terms are added with their rounding error. The rounding error of `E + 2` is
    /// corrected after the division; without this correction the error is 2.3 units.
    #[elementary]
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

    /// Computes `(ln(1 + f) - f + f^2/2) / f^3` for `|f| <= 1/3`.
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

    /// Returns `[m, k + BIASED]` with `x = 2^k m` and `start <= m < 2 start`.
    ///
    /// `x` is positive and normal, and `start` is the bit pattern of a number between 1/2 and 1.
    ///
    /// The function moves the pattern by the distance from `start` to 1. The exponent field then
    /// counts intervals from `start` instead of intervals from 1, and the bits below it are `m`'s
    /// distance from `start`.
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

    /// Returns the bit pattern of 2/3.
    pub(crate) fn two_thirds<R: Real>() -> R::Bits {
        if R::DOUBLE {
            <R::Bits as Bits>::lit(0x3fe5_5555_5555_5555)
        } else {
            <R::Bits as Bits>::lit(0x3f2a_aaab)
        }
    }

    /// Returns the bit pattern of the square root of 1/2.
    pub(crate) fn sqrt_half<R: Real>() -> R::Bits {
        if R::DOUBLE {
            <R::Bits as Bits>::lit(0x3fe6_a09e_667f_3bcd)
        } else {
            <R::Bits as Bits>::lit(0x3f35_04f3)
        }
    }

    /// Returns whether `x` is positive, normal and finite.
    pub(crate) fn is_ordinary<R: Real>(x: R) -> R::Mask {
        x.ge(lit::<R>(MIN_NORMAL_F64, MIN_NORMAL_F32)) & x.le(lit::<R>(MAX_F64, MAX_F32))
    }

    /// Computes the natural logarithm.
    ///
    /// `ln x = k ln 2 + ln m` with `x = 2^k m`, `2/3 <= m < 4/3`, and `ln m = f - f^2/2 + f^3 p(f)`
    /// with `f = m - 1`, which is exact. With the quotient `f / (2 + f)` as variable the polynomial
    /// would have 7 terms instead of 20 (`f32`: 3 instead of 9). But an IEEE division costs as much
    /// as this saves on a CPU, and on a GPU it is also a branch.
    #[elementary]
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
            // Otherwise the result is right for subnormal numbers and, by chance, for nothing else.
            let other = R::select(x.equals(infinity::<R>()), x, result);
            let other = R::select(x.equals(R::lit(0.0)), -infinity::<R>(), other);
            let other = R::select(x.ge(R::lit(0.0)), other, not_a_number::<R>());
            result = R::select(special, other, result);
        }
        result
    }
}
