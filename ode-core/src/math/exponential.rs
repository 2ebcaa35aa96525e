//! Exponentials with base 2, and minus 1.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::Real;
    use crate::math;

    /// `(2^r - 1) / r` for `|r| <= 1/2`; greatest error `2^-57.0` of `2^r`.
    const EXP2_F64: [f64; 11] = [
        0.6931471805599453,
        0.2402265069591011,
        0.05550410866482176,
        0.009618129107600447,
        0.001333355814652928,
        0.00015403530450548548,
        1.5252733657986275e-05,
        1.3215438054630087e-06,
        1.0178145305241845e-07,
        7.073375134942004e-09,
        4.4420291998236565e-10,
    ];
    /// As [`EXP2_F64`]; greatest error `2^-27.5`.
    const EXP2_F32: [f64; 6] = [
        0.6931471824645996,
        0.24022649228572845,
        0.05550360679626465,
        0.009618246927857399,
        0.001339153852313757,
        0.00015432083455380052,
    ];

    /// Computes `2^x`.
    ///
    /// `x = n + r` with `|r| <= 1/2`, exactly, and `2^r = 1 + r q(r)`. So powers of two are exact.
    #[elementary]
    pub fn exp2<R: Real>(x: R) -> R {
        // Beyond the bounds the result is infinite or zero.
        let low = math::lit::<R>(-1080.0, -155.0);
        let x = math::clamp(x, low, math::lit::<R>(1025.0, 129.0));
        // `scale_by_power` requires twice the exponent bias.
        let round = math::lit::<R>(math::ROUND_F64 + 2046.0, math::ROUND_F32 + 254.0);
        let shifted = x + round;
        let n = shifted - round;
        let r = x - n;
        let square = r * r;
        math::scale_by_power(
            exp2_tail(r, square).mul_add(square, r * first_of_exp2::<R>()),
            n,
            shifted,
        )
    }

    /// Returns ln 2, the first coefficient.
    fn first_of_exp2<R: Real>() -> R {
        math::lit::<R>(EXP2_F64[0], EXP2_F32[0])
    }

    /// Computes `(2^r - 1 - r ln 2) / r^2` for `|r| <= 1/2`.
    fn exp2_tail<R: Real>(r: R, square: R) -> R {
        if R::DOUBLE {
            let even = R::lit(EXP2_F64[10]).mul_add(square, R::lit(EXP2_F64[8]));
            let odd = R::lit(EXP2_F64[9]).mul_add(square, R::lit(EXP2_F64[7]));
            let even = even.mul_add(square, R::lit(EXP2_F64[6]));
            let odd = odd.mul_add(square, R::lit(EXP2_F64[5]));
            let even = even.mul_add(square, R::lit(EXP2_F64[4]));
            let odd = odd.mul_add(square, R::lit(EXP2_F64[3]));
            let even = even.mul_add(square, R::lit(EXP2_F64[2]));
            let odd = odd.mul_add(square, R::lit(EXP2_F64[1]));
            even.mul_add(r, odd)
        } else {
            let even = R::lit(EXP2_F32[4]).mul_add(square, R::lit(EXP2_F32[2]));
            let odd = R::lit(EXP2_F32[5]).mul_add(square, R::lit(EXP2_F32[3]));
            let odd = odd.mul_add(square, R::lit(EXP2_F32[1]));
            even.mul_add(r, odd)
        }
    }

    /// Computes `e^x - 1`, accurate near 0.
    ///
    /// `x = n ln 2 + r + low` as in [`math::exp`], so
    /// `e^x - 1 = (2^n - 1) + 2^n (r + (low + r^2 q(r)))`. The two large terms are added with their
    /// rounding error. All terms are halved, since `2^n` may overflow although the result does not.
    #[elementary]
    pub fn exp_m1<R: Real>(x: R) -> R {
        // Beyond the bounds the result is infinite or -1.
        let bounded = math::clamp(x, math::lit::<R>(-40.0, -20.0), math::lit::<R>(710.0, 89.0));
        // The exponent bias minus 1.
        let round = math::lit::<R>(math::ROUND_F64 + 1022.0, math::ROUND_F32 + 126.0);
        let shifted = bounded.mul_add(R::lit(math::LOG2_E), round);
        let n = shifted - round;
        let power: R = math::from_exponent::<R>(shifted.to_bits());
        let high = n.mul_add(math::lit::<R>(-math::LN_2_F64[0], -math::LN_2_F32[0]), bounded);
        let low = n * math::lit::<R>(-math::LN_2_F64[1], -math::LN_2_F32[1]);
        let r = high + low;
        let r_low = (high - r) + low;
        let square = r * r;
        let tail = math::expm1_tail(r, square).mul_add(square, r_low);
        // Dekker's fast two-sum of (2^n - 1) / 2, which is the larger one or zero, and 2^n r / 2.
        let start = power - R::lit(0.5);
        let sum = r.mul_add(power, start);
        let sum_low = r.mul_add(power, start - sum);
        let half = tail.mul_add(power, sum_low) + sum;
        // Half of a subnormal number is not exact, and -0 must stay -0.
        let tiny = x.abs().lt(math::lit::<R>(5.5e-17, 2.9e-8));
        R::select(tiny, x, half + half)
    }
}
