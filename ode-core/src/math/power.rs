//! The power.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Mask, Real};
    use crate::math;

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

    /// Computes `(atanh(s) - s - s^3/3) / s^5` with `z = s^2`.
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

    /// Computes `ln(m)/2 = atanh((m - 1) / (m + 1))` for `sqrt(1/2) <= m < sqrt 2`.
    ///
    /// The result is an unevaluated sum `[high, low]` with a relative error of about `2^-64`
    /// (`f32`: `2^-35`).
    ///
    /// The terms `s` and `s^3/3` are computed as such sums (Dekker 1971). The rest is below the
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
        let third = math::lit::<R>(THIRD_F64[0], THIRD_F32[0]);
        let tail = z * atanh_tail(z);
        let c = third + tail;
        let c_low = ((third - c) + tail) + math::lit::<R>(THIRD_F64[1], THIRD_F32[1]);
        // t = z c
        let t = z * c;
        let t_low = z.mul_add(c_low, z_low.mul_add(c, z.mul_add(c, -t)));
        // u = s t
        let u = s * t;
        let u_low = s.mul_add(t_low, s_low.mul_add(t, s.mul_add(t, -u)));
        let high = s + u;
        [high, ((s - high) + u) + (s_low + u_low)]
    }

    /// Computes `x^y`.
    ///
    /// `x^y` is `e^(y ln x)` with `ln x = 2 (k ln(2)/2 + ln(m)/2)`. The logarithm and the product
    /// are unevaluated sums of two numbers: the exponential turns the absolute error of its
    /// argument, which may be 745, into a relative error of the result.
    #[elementary]
    pub fn powf<R: Real>(x: R, y: R) -> R {
        let largest = math::lit::<R>(math::MAX_F64, math::MAX_F32);
        let special = !(math::is_ordinary(x) & y.abs().le(largest));
        let mut normal = x.abs();
        let mut bias = math::lit::<R>(math::BIASED_F64, math::BIASED_F32);
        if special.any() {
            let tiny = normal.lt(math::lit::<R>(math::MIN_NORMAL_F64, math::MIN_NORMAL_F32));
            bias = R::select(tiny, bias + math::lit::<R>(math::LIFTED_F64, math::LIFTED_F32), bias);
            normal =
                R::select(tiny, normal * math::lit::<R>(math::LIFT_F64, math::LIFT_F32), normal);
        }
        let [m, biased] = math::split_exponent(normal, math::sqrt_half::<R>());
        let k = biased - bias;
        let [half, half_low] = half_ln(m);
        // The first term is exact, and zero or larger than the second.
        let first = k * math::lit::<R>(HALF_LN_2_F64[0], HALF_LN_2_F32[0]);
        let high = first + half;
        let low = k.mul_add(math::lit::<R>(HALF_LN_2_F64[1], HALF_LN_2_F32[1]), half_low);
        let low = ((first - high) + half) + low;
        // |ln x| is 0 or at least 2^-53 (2^-24). So beyond these bounds y changes nothing: the
        // result is 1, infinite or zero. Within the bounds no product overflows.
        let twice =
            math::clamp(y + y, math::lit::<R>(-7.4e19, -1.8e10), math::lit::<R>(7.4e19, 1.8e10));
        let product = twice * high;
        let product_low = twice.mul_add(low, twice.mul_add(high, -product));
        let argument =
            math::clamp(product, math::lit::<R>(-746.0, -104.0), math::lit::<R>(710.0, 89.0));
        let within = argument.equals(product);
        let argument_low = R::select(within, product_low, R::lit(0.0));
        let mut result = math::exp_of_sum(argument, argument_low);
        if special.any() {
            result = R::select(special, powf_special(x, y, result), result);
        }
        result
    }

    /// Computes [`powf`] if `x` is not a positive normal number or `y` is not finite.
    ///
    /// `result` is `|x|^y` if both are finite and `x` is not 0.
    #[cold]
    fn powf_special<R: Real>(x: R, y: R, result: R) -> R {
        let zero = R::lit(0.0);
        let one = R::lit(1.0);
        let a = x.abs();
        // |x|^y for a zero or infinite x.
        let limit = R::select(y.gt(zero), a, one / a);
        let result = R::select(a.equals(zero) | a.equals(math::infinity::<R>()), limit, result);
        // |x|^y for an infinite y.
        let growth = R::select(a.gt(one), y, -y);
        let limit = R::select(growth.gt(zero), math::infinity::<R>(), zero);
        let limit = R::select(a.equals(one), one, limit);
        let result = R::select(y.abs().equals(math::infinity::<R>()), limit, result);
        // An odd y gives the sign of x. Infinite and all large y are even.
        let half = y * R::lit(0.5);
        let integer = y.floor().equals(y);
        let odd = integer & !(half.floor().equals(half));
        let result = R::select(odd, result.copysign(x), result);
        // A finite negative x needs an integer y.
        let undefined =
            (x.lt(zero) & a.le(math::lit::<R>(math::MAX_F64, math::MAX_F32))) & !(integer);
        let undefined = undefined | (!(x.equals(x)) | !(y.equals(y)));
        let result = R::select(undefined, math::not_a_number::<R>(), result);
        // These two hold even for a NaN.
        R::select(y.equals(zero) | x.equals(one), one, result)
    }
}
