//! Hyperbolic functions and their inverses.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::Real;
    use crate::math;

    /// `(sinh(r) - r) / r^3` in `r^2`, for `|r| <= ln(2)/2`; greatest error `2^-61.7` of `sinh(r)`.
    const SINH_F64: [f64; 5] = [
        0.16666666666666677,
        0.008333333333321376,
        0.00019841269886867194,
        2.755724337640121e-06,
        2.5109355073504713e-08,
    ];
    /// As [`SINH_F64`]; greatest error `2^-34.3`.
    const SINH_F32: [f64; 3] = [0.1666666716337204, 0.00833317544311285, 0.00019974088354501873];
    /// `(cosh(r) - 1) / r^2` in `r^2`, for `|r| <= ln(2)/2`; greatest error `2^-70.0` of
    /// `cosh(r) - 1`.
    const COSH_F64: [f64; 6] = [
        0.5,
        0.041666666666666685,
        0.0013888888888873264,
        2.480158734928169e-05,
        2.755725171849611e-07,
        2.0921810646209596e-09,
    ];
    /// As [`COSH_F64`]; greatest error `2^-33.3`.
    const COSH_F32: [f64; 3] = [0.5, 0.041666459292173386, 0.0013935451861470938];

    /// Computes `(sinh(r) - r) / r^3` with `z = r^2`, for `|r| <= ln(2)/2`.
    fn sinh_tail<R: Real>(z: R) -> R {
        if R::DOUBLE {
            let square = z * z;
            let even = R::lit(SINH_F64[4]).mul_add(square, R::lit(SINH_F64[2]));
            let odd = R::lit(SINH_F64[3]).mul_add(square, R::lit(SINH_F64[1]));
            let even = even.mul_add(square, R::lit(SINH_F64[0]));
            odd.mul_add(z, even)
        } else {
            let tail = R::lit(SINH_F32[2]).mul_add(z, R::lit(SINH_F32[1]));
            tail.mul_add(z, R::lit(SINH_F32[0]))
        }
    }

    /// Computes `(cosh(r) - 1) / r^2` with `z = r^2`, for `|r| <= ln(2)/2`.
    fn cosh_tail<R: Real>(z: R) -> R {
        if R::DOUBLE {
            let square = z * z;
            let even = R::lit(COSH_F64[4]).mul_add(square, R::lit(COSH_F64[2]));
            let odd = R::lit(COSH_F64[5]).mul_add(square, R::lit(COSH_F64[3]));
            let even = even.mul_add(square, R::lit(COSH_F64[0]));
            let odd = odd.mul_add(square, R::lit(COSH_F64[1]));
            odd.mul_add(z, even)
        } else {
            let tail = R::lit(COSH_F32[2]).mul_add(z, R::lit(COSH_F32[1]));
            tail.mul_add(z, R::lit(COSH_F32[0]))
        }
    }

    /// Returns `[sinh(a) / 2, cosh(a) / 2]` for `a >= 0`.
    ///
    /// With `a = n ln 2 + r` as in [`math::exp`], both are sums of products of functions of
    /// `n ln 2` and of `r`. The functions of `n ln 2` are powers of two and their inverses, the
    /// functions of `r` are polynomials: no division is needed. The two large terms are added with
    /// their rounding error. The results are halved because `2^n` may overflow although the result
    /// does not.
    fn half_sinh_cosh<R: Real>(a: R) -> [R; 2] {
        // Beyond the bounds the result is infinite.
        let a = math::lit::<R>(710.5, 89.5).min(a);
        let round = math::lit::<R>(math::ROUND_F64, math::ROUND_F32);
        let n = a.mul_add(R::lit(math::LOG2_E), round) - round;
        // The exponent bias minus 2. Beyond 2^64 the inverse does not matter.
        let bias = math::lit::<R>(math::ROUND_F64 + 1021.0, math::ROUND_F32 + 125.0);
        let power: R = math::from_exponent::<R>((bias + n).to_bits());
        let inverse: R = math::from_exponent::<R>((bias - R::lit(64.0).min(n)).to_bits());
        let sine = power - inverse;
        let cosine = power + inverse;
        // The rounding errors of both matter only at the least n for which they occur.
        let sine_low = (power - sine) - inverse;
        let cosine_low = (power - cosine) + inverse;
        let first = n.mul_add(math::lit::<R>(-math::LN_2_F64[0], -math::LN_2_F32[0]), a);
        let second = n * math::lit::<R>(-math::LN_2_F64[1], -math::LN_2_F32[1]);
        let r = first + second;
        let r_low = (first - r) + second;
        let z = r * r;
        let sine_of_r = (r * z).mul_add(sinh_tail(z), r_low);
        let cosine_of_r = z * cosh_tail(z);
        // cosine r + sine, and sine r + cosine; fast two-sums.
        let high = r.mul_add(cosine, sine);
        let high_low = r.mul_add(cosine, sine - high) + sine_low;
        let rest = cosine_of_r.mul_add(sine, sine_of_r.mul_add(cosine, high_low));
        let sinh = high + rest;
        let high = r.mul_add(sine, cosine);
        let high_low = r.mul_add(sine, cosine - high) + cosine_low;
        let rest = cosine_of_r.mul_add(cosine, sine_of_r.mul_add(sine, high_low));
        [sinh, high + rest]
    }

    /// Computes the hyperbolic sine.
    #[elementary]
    pub fn sinh<R: Real>(x: R) -> R {
        let a = x.abs();
        let half = half_sinh_cosh(a)[0];
        // Half of a subnormal number is not exact.
        let tiny = a.lt(math::lit::<R>(1.4e-9, 2.9e-5));
        R::select(tiny, a, half + half).copysign(x)
    }

    /// Computes the hyperbolic cosine.
    #[elementary]
    pub fn cosh<R: Real>(x: R) -> R {
        let half = half_sinh_cosh(x.abs())[1];
        half + half
    }

    /// Computes the inverse hyperbolic sine, as `ln(1 + (a + a^2 / (1 + sqrt(a^2 + 1))))`.
    ///
    /// For large `a` the result is `ln(a) + ln(2)`.
    #[elementary]
    pub fn asinh<R: Real>(x: R) -> R {
        let a = x.abs();
        let large = a.gt(math::lit::<R>(36028797018963968.0, 67108864.0));
        let one = R::lit(1.0);
        let square = a * a;
        let quotient = square / (one + (square + one).sqrt());
        let zero = R::lit(0.0);
        let quotient = R::select(large, zero, quotient);
        let t = a + quotient;
        let t_low = (a - t) + quotient;
        let result = math::ln_near_1(t, t_low, R::select(large, one, zero));
        let finite = a.le(math::lit::<R>(math::MAX_F64, math::MAX_F32));
        R::select(finite, result, a).copysign(x)
    }

    /// Computes the inverse hyperbolic cosine, as `ln(1 + (y + sqrt(y (y + 2))))` with `y = x - 1`.
    ///
    /// For large `x` the result is `ln(x) + ln(2)`. The residual corrects the root, which is the
    /// result near 1.
    #[elementary]
    pub fn acosh<R: Real>(x: R) -> R {
        let zero = R::lit(0.0);
        let one = R::lit(1.0);
        let large = x.gt(math::lit::<R>(36028797018963968.0, 67108864.0));
        let y = x - one;
        let twice = y + y;
        let product = y.mul_add(y, twice);
        let product_low = y.mul_add(y, twice - product);
        let root = product.sqrt();
        let residual = (-root).mul_add(root, product) + product_low;
        // At 1 the root is zero, and so is the residual.
        let least = math::lit::<R>(math::MIN_NORMAL_F64, math::MIN_NORMAL_F32);
        let root_low = residual / (root + root).max(least);
        let root = R::select(large, one, root);
        let root_low = R::select(large, zero, root_low);
        // The larger of the two first, for a fast two-sum.
        let t = y + root;
        let t_low = R::select(y.gt(root), (y - t) + root, (root - t) + y) + root_low;
        let result = math::ln_near_1(t, t_low, R::select(large, one, zero));
        let infinity = math::infinity::<R>();
        let special = !(x.ge(one) & x.lt(infinity));
        let other = R::select(x.equals(infinity), x, math::not_a_number::<R>());
        R::select(special, other, result)
    }

    /// Computes the inverse hyperbolic tangent, as `ln(1 + 2 a / (1 - a)) / 2`.
    ///
    /// The quotient includes its rounding error.
    #[elementary]
    pub fn atanh<R: Real>(x: R) -> R {
        let one = R::lit(1.0);
        let zero = R::lit(0.0);
        let a = x.abs();
        let twice = a + a;
        let under = one - a;
        let under_low = (one - under) - a;
        let inverse = one / under;
        let t = twice * inverse;
        let residual = (-t).mul_add(under_low, (-t).mul_add(under, twice));
        let result = math::ln_near_1(t, residual * inverse, zero) * R::lit(0.5);
        let other = R::select(a.equals(one), math::infinity::<R>(), math::not_a_number::<R>());
        R::select(a.lt(one), result, other).copysign(x)
    }
}
