//! Inverses of the circular functions.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Mask, Real};
    use crate::math;

    /// pi/4 in two parts.
    const QUARTER_PI_F64: [f64; 2] = [0.7853981633974483, 3.061616997868383e-17];
    /// As [`QUARTER_PI_F64`].
    const QUARTER_PI_F32: [f64; 2] = [0.7853981852531433, -2.1855694143368964e-08];
    /// `(atan(t) - t) / t^3` in `t^2`, for `|t| <= tan(pi/8)`; greatest error `2^-59.4` of
    /// `atan(t)`.
    const ATAN_F64: [f64; 11] = [
        -0.3333333333333319,
        0.19999999999952187,
        -0.14285714280054476,
        0.11111110776321656,
        -0.09090897551657129,
        0.07692056535977926,
        -0.06663062073716189,
        0.058475826546588144,
        -0.050379171401585626,
        0.03802915338827938,
        -0.017868263290795734,
    ];
    /// As [`ATAN_F64`]; greatest error `2^-30.4`.
    const ATAN_F32: [f64; 5] = [
        -0.33333316445350647,
        0.19998526573181152,
        -0.1424434632062912,
        0.105987548828125,
        -0.06088852137327194,
    ];
    /// `(asin(t) - t) / t^3` in `t^2`, for `|t| <= 1/2`; greatest error `2^-59.9` of `asin(t)`.
    const ASIN_F64: [f64; 13] = [
        0.1666666666666676,
        0.07499999999970866,
        0.044642857174561026,
        0.0303819427098569,
        0.022372214936256588,
        0.017351612845004024,
        0.013980811421324808,
        0.011398981433012125,
        0.01077988995523102,
        0.003707700075020705,
        0.02170446844852691,
        -0.0209950455630229,
        0.032626219259794184,
    ];
    /// As [`ASIN_F64`]; greatest error `2^-31.6`.
    const ASIN_F32: [f64; 6] = [
        0.16666659712791443,
        0.07500521838665009,
        0.04451374337077141,
        0.031832292675971985,
        0.014354109764099121,
        0.03762434422969818,
    ];

    /// Computes `(asin(t) - t) / t^3` with `z = t^2 <= 1/4`.
    fn asin_tail<R: Real>(z: R) -> R {
        let square = z * z;
        if R::DOUBLE {
            let even = R::lit(ASIN_F64[12]).mul_add(square, R::lit(ASIN_F64[10]));
            let odd = R::lit(ASIN_F64[11]).mul_add(square, R::lit(ASIN_F64[9]));
            let even = even.mul_add(square, R::lit(ASIN_F64[8]));
            let odd = odd.mul_add(square, R::lit(ASIN_F64[7]));
            let even = even.mul_add(square, R::lit(ASIN_F64[6]));
            let odd = odd.mul_add(square, R::lit(ASIN_F64[5]));
            let even = even.mul_add(square, R::lit(ASIN_F64[4]));
            let odd = odd.mul_add(square, R::lit(ASIN_F64[3]));
            let even = even.mul_add(square, R::lit(ASIN_F64[2]));
            let odd = odd.mul_add(square, R::lit(ASIN_F64[1]));
            let even = even.mul_add(square, R::lit(ASIN_F64[0]));
            odd.mul_add(z, even)
        } else {
            let even = R::lit(ASIN_F32[4]).mul_add(square, R::lit(ASIN_F32[2]));
            let odd = R::lit(ASIN_F32[5]).mul_add(square, R::lit(ASIN_F32[3]));
            let even = even.mul_add(square, R::lit(ASIN_F32[0]));
            let odd = odd.mul_add(square, R::lit(ASIN_F32[1]));
            odd.mul_add(z, even)
        }
    }

    /// Computes the arc sine.
    ///
    /// Up to 1/2 it is a polynomial, beyond that `pi/2 - 2 asin(sqrt((1 - x) / 2))`. If `x` is
    /// beyond 1, the root of a negative number gives the NaN.
    #[elementary]
    pub fn asin<R: Real>(x: R) -> R {
        let a = x.abs();
        let outer = a.gt(R::lit(0.5));
        let z = R::select(outer, a.mul_add(R::lit(-0.5), R::lit(0.5)), a * a);
        let t = R::select(outer, z.sqrt(), a);
        let rest = (t * z) * asin_tail(z);
        // pi/2 - 2 t is exact, or rounded if 2 t is small.
        let half_pi = math::lit::<R>(2.0 * QUARTER_PI_F64[0], 2.0 * QUARTER_PI_F32[0]);
        let half_pi_low = math::lit::<R>(2.0 * QUARTER_PI_F64[1], 2.0 * QUARTER_PI_F32[1]);
        let minus_two = R::lit(-2.0);
        let sum = t.mul_add(minus_two, half_pi);
        let sum_low = t.mul_add(minus_two, half_pi - sum) + half_pi_low;
        let far = sum + rest.mul_add(minus_two, sum_low);
        R::select(outer, far, t + rest).copysign(x)
    }

    /// Computes the arc cosine.
    ///
    /// Up to 1/2 it is `pi/2 - asin x`, beyond that `2 asin(sqrt((1 - x) / 2))`. For `x` below -1/2
    /// it is pi minus the arc cosine of `-x`.
    #[elementary]
    pub fn acos<R: Real>(x: R) -> R {
        let a = x.abs();
        let outer = a.gt(R::lit(0.5));
        let z = R::select(outer, a.mul_add(R::lit(-0.5), R::lit(0.5)), a * a);
        let root = z.sqrt();
        let t = R::select(outer, root + root, x);
        let rest = (t * z) * asin_tail(z);
        // t is subtracted from pi/2 or pi.
        let scale = R::select(outer, R::lit(4.0), R::lit(2.0));
        let start = scale * math::lit::<R>(QUARTER_PI_F64[0], QUARTER_PI_F32[0]);
        let start_low = scale * math::lit::<R>(QUARTER_PI_F64[1], QUARTER_PI_F32[1]);
        let difference = start - t;
        let low = ((start - difference) - t) + (start_low - rest);
        let near_one = outer & x.gt(R::lit(0.0));
        R::select(near_one, t + rest, difference + low)
    }

    /// Computes `(atan(t) - t) / t^3` with `z = t^2`, for `|t| <= tan(pi/8)`.
    fn atan_tail<R: Real>(z: R) -> R {
        let square = z * z;
        if R::DOUBLE {
            let even = R::lit(ATAN_F64[10]).mul_add(square, R::lit(ATAN_F64[8]));
            let odd = R::lit(ATAN_F64[9]).mul_add(square, R::lit(ATAN_F64[7]));
            let even = even.mul_add(square, R::lit(ATAN_F64[6]));
            let odd = odd.mul_add(square, R::lit(ATAN_F64[5]));
            let even = even.mul_add(square, R::lit(ATAN_F64[4]));
            let odd = odd.mul_add(square, R::lit(ATAN_F64[3]));
            let even = even.mul_add(square, R::lit(ATAN_F64[2]));
            let odd = odd.mul_add(square, R::lit(ATAN_F64[1]));
            let even = even.mul_add(square, R::lit(ATAN_F64[0]));
            odd.mul_add(z, even)
        } else {
            let even = R::lit(ATAN_F32[4]).mul_add(square, R::lit(ATAN_F32[2]));
            let even = even.mul_add(square, R::lit(ATAN_F32[0]));
            let odd = R::lit(ATAN_F32[3]).mul_add(square, R::lit(ATAN_F32[1]));
            odd.mul_add(z, even)
        }
    }

    /// Computes the angle of the point `(b, a)` with positive coordinates.
    ///
    /// If `mirrored`, the result is pi minus this angle.
    ///
    /// A multiple `k` of pi/4 is subtracted from the angle. The rest is at most pi/8, with the
    /// tangent `a / b`, `(a - b) / (a + b)` or `-b / a`: one division. The residual gives the
    /// rounding error of the division.
    fn angle<R: Real>(a: R, b: R, mirrored: R::Mask) -> R {
        let flat = a.le(b * R::lit(0.41421356237309503));
        let steep = b.le(a * R::lit(0.41421356237309503));
        let zero = R::lit(0.0);
        let difference = a - b;
        let sum = a + b;
        // Fast two-sums: the sum and the difference have the same larger number.
        let swap = a.lt(b);
        let larger = R::select(swap, b, a);
        let smaller = R::select(swap, a, b);
        let sum_low = (larger - sum) + smaller;
        let magnitude = larger - smaller;
        let difference_low = (larger - magnitude) - smaller;
        let difference_low = R::select(swap, -difference_low, difference_low);
        let over = R::select(flat, a, R::select(steep, -b, difference));
        let under = R::select(flat, b, R::select(steep, a, sum));
        let outer = flat | steep;
        let over_low = R::select(outer, zero, difference_low);
        let under_low = R::select(outer, zero, sum_low);
        let inverse = R::lit(1.0) / under;
        let t = over * inverse;
        let residual = (-t).mul_add(under, over) + (-t).mul_add(under_low, over_low);
        let z = t * t;
        let tail = (t * z) * atan_tail(z);
        let rest = residual.mul_add(inverse, tail);
        // pi k / 4 in two parts, reflected for a mirrored angle.
        let k = R::select(flat, zero, R::select(steep, R::lit(2.0), R::lit(1.0)));
        let k = R::select(mirrored, R::lit(4.0) - k, k);
        let t = R::select(mirrored, -t, t);
        let rest = R::select(mirrored, -rest, rest);
        let quarter = math::lit::<R>(QUARTER_PI_F64[0], QUARTER_PI_F32[0]);
        let start = k * quarter;
        let start_low = k.mul_add(quarter, -start);
        let start_low = k.mul_add(math::lit::<R>(QUARTER_PI_F64[1], QUARTER_PI_F32[1]), start_low);
        let high = start + t;
        let low = ((start - high) + t) + (start_low + rest);
        high + low
    }

    /// Computes the arc tangent.
    #[elementary]
    pub fn atan<R: Real>(x: R) -> R {
        // Beyond 2^60 (`f32`: 2^30) the result rounds to pi/2.
        let a = math::lit::<R>(1152921504606846976.0, 1073741824.0).min(x.abs());
        let one = R::lit(1.0);
        angle(a, one, <R::Mask as Mask>::splat(false)).copysign(x)
    }

    /// Computes the angle of the point `(x, y)`, from -pi to pi, with arguments in the order
    /// `y, x`.
    #[elementary]
    pub fn atan2<R: Real>(y: R, x: R) -> R {
        let a = y.abs();
        let b = x.abs();
        let greatest = R::select(a.gt(b), a, b);
        let special = !(greatest.ge(math::lit::<R>(3.1e-151, 9.1e-13))
            & greatest.le(math::lit::<R>(1e301, 1.2e30)));
        let mirrored = R::lit(1.0).copysign(x).lt(R::lit(0.0));
        let mut height = a;
        let mut width = b;
        if special.any() {
            let [scaled_a, scaled_b] = atan2_special(a, b);
            height = R::select(special, scaled_a, height);
            width = R::select(special, scaled_b, width);
        }
        angle(height, width, mirrored).copysign(y)
    }

    /// Returns `[a, b]` scaled so that the larger number is moderate.
    ///
    /// Infinite and zero numbers are replaced.
    #[cold]
    fn atan2_special<R: Real>(a: R, b: R) -> [R; 2] {
        let zero = R::lit(0.0);
        let one = R::lit(1.0);
        let infinity = math::infinity::<R>();
        let greatest = R::select(a.gt(b), a, b);
        // 2^-200 and 2^-60, or 2^600 and 2^100: the scale loses only negligible numbers.
        let down = math::lit::<R>(6.223015277861142e-61, 8.673617379884035e-19);
        let up = math::lit::<R>(4.149515568880993e180, 1.2676506002282294e30);
        let factor = R::select(greatest.gt(one), down, up);
        let scaled_a = a * factor;
        let scaled_b = b * factor;
        // (0, 0) counts as (1, 0), on the axis. An infinite number becomes 1, and a finite one
        // beside it 0. A NaN stays.
        let scaled_b = R::select(a.equals(zero) & b.equals(zero), one, scaled_b);
        let a_infinite = a.equals(infinity);
        let b_infinite = b.equals(infinity);
        let beside_b = R::select(a_infinite, one, a * zero);
        let beside_a = R::select(b_infinite, one, b * zero);
        let scaled_a = R::select(a_infinite, one, R::select(b_infinite, beside_b, scaled_a));
        let scaled_b = R::select(b_infinite, one, R::select(a_infinite, beside_a, scaled_b));
        [scaled_a, scaled_b]
    }
}
