//! Logarithms to other bases, and of numbers near 1.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Mask, Real};
    use crate::math;

    /// The logarithms of e to base 2 and 10, in two parts.
    const LOG2_E_F64: [f64; 2] = [1.4426950408889634, 2.0355273740931033e-17];
    /// As [`LOG2_E_F64`].
    const LOG2_E_F32: [f64; 2] = [1.4426950216293335, 1.925963033500011e-08];
    /// As [`LOG2_E_F64`].
    const LOG10_E_F64: [f64; 2] = [0.4342944819032518, 1.098319650216765e-17];
    /// As [`LOG2_E_F64`].
    const LOG10_E_F32: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-08];
    /// The logarithm of 2 to base 10 in two parts, the first so short that its product with an
    /// exponent is exact.
    const LOG10_2_F64: [f64; 2] = [0.30102999566395283, 2.8363394551044964e-14];
    /// As [`LOG10_2_F64`].
    const LOG10_2_F32: [f64; 2] = [0.30103302001953125, -3.024355464731343e-06];

    /// Computes `c ln x`, given `c` and `c ln 2` in two parts.
    ///
    /// The first part of `c ln 2` is so short that its product with an exponent is exact.
    ///
    /// `x = 2^k m` and `f = m - 1` as in [`math::ln`]. The result is
    /// `k c ln 2 + c f + c (ln(1 + f) - f)`. The first two terms are added with all their rounding
    /// errors; the last one is at most a third of them.
    fn scaled_ln<R: Real>(x: R, scale: [R; 2], scaled_ln_2: [R; 2]) -> R {
        let special = !(math::is_ordinary(x));
        let mut normal = x;
        let mut bias = math::lit::<R>(math::BIASED_F64, math::BIASED_F32);
        if special.any() {
            let tiny = x.lt(math::lit::<R>(math::MIN_NORMAL_F64, math::MIN_NORMAL_F32));
            normal = R::select(tiny, x * math::lit::<R>(math::LIFT_F64, math::LIFT_F32), x);
            bias = R::select(tiny, bias + math::lit::<R>(math::LIFTED_F64, math::LIFTED_F32), bias);
        }
        let [m, biased] = math::split_exponent(normal, math::two_thirds::<R>());
        let k = biased - bias;
        let f = m - R::lit(1.0);
        let square = f * f;
        let rest = square.mul_add(R::lit(-0.5), math::ln_tail(f, square) * (square * f));
        let product = f * scale[0];
        let product_low = f.mul_add(scale[1], f.mul_add(scale[0], -product));
        // Zero, or larger than the product: a fast two-sum.
        let first = k * scaled_ln_2[0];
        let sum = first + product;
        let sum_low = (first - sum) + product;
        let low = k.mul_add(scaled_ln_2[1], rest.mul_add(scale[0], product_low));
        let mut result = sum + (sum_low + low);
        if special.any() {
            let other = R::select(x.equals(math::infinity::<R>()), x, result);
            let other = R::select(x.equals(R::lit(0.0)), -math::infinity::<R>(), other);
            let other = R::select(x.ge(R::lit(0.0)), other, math::not_a_number::<R>());
            result = R::select(special, other, result);
        }
        result
    }

    /// Computes the logarithm to base 2, exactly for powers of two.
    #[elementary]
    pub fn log2<R: Real>(x: R) -> R {
        let scale = [
            math::lit::<R>(LOG2_E_F64[0], LOG2_E_F32[0]),
            math::lit::<R>(LOG2_E_F64[1], LOG2_E_F32[1]),
        ];
        scaled_ln(x, scale, [R::lit(1.0), R::lit(0.0)])
    }

    /// Computes the logarithm to base 10, exactly for powers of ten.
    #[elementary]
    pub fn log10<R: Real>(x: R) -> R {
        let scale = [
            math::lit::<R>(LOG10_E_F64[0], LOG10_E_F32[0]),
            math::lit::<R>(LOG10_E_F64[1], LOG10_E_F32[1]),
        ];
        let scaled_ln_2 = [
            math::lit::<R>(LOG10_2_F64[0], LOG10_2_F32[0]),
            math::lit::<R>(LOG10_2_F64[1], LOG10_2_F32[1]),
        ];
        scaled_ln(x, scale, scaled_ln_2)
    }

    /// Computes `ln((1 + t + t_low) 2^shift)`.
    ///
    /// `t > -1` is finite, `t_low` is below the last place of `t`, and `shift` is an integer.
    ///
    /// The rounding error `c` of `1 + t` is included. With `1 + t = 2^k m + c` the result is
    /// `(k + shift) ln 2 + ln(1 + f)`, and `f = (m - 1) + 2^-k c` is `t` itself for `k = 0`. The
    /// rounding error of `f` is added to the result without its factor `1 / (1 + f)`, which is near
    /// enough to 1.
    pub(crate) fn ln_near_1<R: Real>(t: R, t_low: R, shift: R) -> R {
        let one = R::lit(1.0);
        // Knuth's two-sum: either may be the larger.
        let u = one + t;
        let from_t = u - one;
        let c = ((one - (u - from_t)) + (t - from_t)) + t_low;
        let [m, biased] = math::split_exponent(u, math::two_thirds::<R>());
        let k = biased - math::lit::<R>(math::BIASED_F64, math::BIASED_F32);
        // For a large u, c does not matter, and 2^-k must not be subnormal.
        let inverse_power = math::lit::<R>(math::ROUND_F64 + 1023.0, math::ROUND_F32 + 127.0);
        let inverse_power = inverse_power - math::lit::<R>(100.0, 60.0).min(k);
        let inverse_power: R = math::from_exponent::<R>(inverse_power.to_bits());
        let f_high = m - one;
        let f_low = c * inverse_power;
        let f = f_high + f_low;
        let f_low = (f_high - f) + f_low;
        let k = k + shift;
        let square = f * f;
        let small = k.mul_add(math::lit::<R>(math::LN_LN_2_F64[1], math::LN_LN_2_F32[1]), f_low);
        let small = math::ln_tail(f, square).mul_add(square * f, small);
        let small = square.mul_add(R::lit(-0.5), small);
        k.mul_add(math::lit::<R>(math::LN_LN_2_F64[0], math::LN_LN_2_F32[0]), f + small)
    }

    /// Computes `ln(1 + x)`, accurate near 0.
    #[elementary]
    pub fn ln_1p<R: Real>(x: R) -> R {
        let minus_one = R::lit(-1.0);
        let mut result = ln_near_1(x, R::lit(0.0), R::lit(0.0));
        let special = !(x.gt(minus_one) & x.le(math::lit::<R>(math::MAX_F64, math::MAX_F32)));
        let tiny = x.abs().lt(math::lit::<R>(5.5e-17, 2.9e-8));
        result = R::select(tiny, x, result);
        if special.any() {
            let other = R::select(x.equals(math::infinity::<R>()), x, math::not_a_number::<R>());
            let other = R::select(x.equals(minus_one), -math::infinity::<R>(), other);
            result = R::select(special, other, result);
        }
        result
    }
}
