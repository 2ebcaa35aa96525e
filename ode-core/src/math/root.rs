//! The cube root and the length of a vector.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Mask, Real};
    use crate::math;

    /// The cube roots of 1/2 and 2.
    const CBRT_HALF: f64 = 0.7937005259840998;
    /// As [`CBRT_HALF`].
    const CBRT_2: f64 = 1.2599210498948732;
    /// `s^(-1/3)` for `2/3 <= s <= 4/3`; greatest relative error `2^-17.4`.
    const CBRT_F64: [f64; 6] = [
        2.0388021342541425,
        -2.688983202011341,
        3.2035030235309003,
        -2.309828127325978,
        0.9044526503914386,
        -0.14794083866593835,
    ];
    /// As [`CBRT_F64`]; greatest error `2^-11.9`.
    const CBRT_F32: [f64; 4] =
        [1.7650198936462402, -1.3907594680786133, 0.818417489528656, -0.192926824092865];

    /// Computes the cube root.
    ///
    /// `|x| = 8^q m` with `m = 2^j s`, `j` one of -1, 0, 1 and `2/3 <= s < 4/3`. A polynomial in
    /// `s` approximates `m^(-1/3)`. One step of a third-order iteration without a division improves
    /// it to `z`, and `y = m z^2` is corrected by the exact residual `m - y^3`.
    #[elementary]
    pub fn cbrt<R: Real>(x: R) -> R {
        let a = x.abs();
        let special = !(math::is_ordinary(a));
        let mut normal = a;
        let mut bias = math::lit::<R>(math::BIASED_F64, math::BIASED_F32);
        if special.any() {
            let tiny = a.lt(math::lit::<R>(math::MIN_NORMAL_F64, math::MIN_NORMAL_F32));
            normal = R::select(tiny, a * math::lit::<R>(math::LIFT_F64, math::LIFT_F32), a);
            bias = R::select(tiny, bias + math::lit::<R>(math::LIFTED_F64, math::LIFTED_F32), bias);
        }
        let [s, biased] = math::split_exponent(normal, math::two_thirds::<R>());
        let k = biased - bias;
        let third = R::lit(1.0 / 3.0);
        let round = math::lit::<R>(math::ROUND_F64 + 1023.0, math::ROUND_F32 + 127.0);
        let shifted = k.mul_add(third, round);
        let q = shifted - round;
        let j = q.mul_add(R::lit(-3.0), k);
        let power: R = math::from_exponent::<R>(shifted.to_bits());
        let above = j.gt(R::lit(0.5));
        let below = j.lt(R::lit(-0.5));
        let m = R::select(above, s + s, R::select(below, s * R::lit(0.5), s));
        let turn = R::select(below, R::lit(CBRT_2), R::lit(1.0));
        let turn = R::select(above, R::lit(CBRT_HALF), turn);
        let z = inverse_cbrt(s) * turn;
        let e = (m * z).mul_add(-(z * z), R::lit(1.0));
        let z = (z * e).mul_add(e.mul_add(R::lit(2.0 / 9.0), third), z);
        let y = (m * z) * z;
        // y^3 as an unevaluated sum; its first part is next to m.
        let square = y * y;
        let square_low = y.mul_add(y, -square);
        let cube = square * y;
        let cube_low = square_low.mul_add(y, square.mul_add(y, -cube));
        let residual = (m - cube) - cube_low;
        let y = residual.mul_add((z * z) * third, y) * power;
        let result = R::select(special & !(a.gt(R::lit(0.0)) & a.lt(math::infinity::<R>())), a, y);
        result.copysign(x)
    }

    /// Computes `s^(-1/3)` for `2/3 <= s <= 4/3`, to about 15 bits (`f32`: 10).
    fn inverse_cbrt<R: Real>(s: R) -> R {
        if R::DOUBLE {
            let square = s * s;
            let a = R::lit(CBRT_F64[1]).mul_add(s, R::lit(CBRT_F64[0]));
            let b = R::lit(CBRT_F64[3]).mul_add(s, R::lit(CBRT_F64[2]));
            let c = R::lit(CBRT_F64[5]).mul_add(s, R::lit(CBRT_F64[4]));
            c.mul_add(square, b).mul_add(square, a)
        } else {
            let a = R::lit(CBRT_F32[1]).mul_add(s, R::lit(CBRT_F32[0]));
            let b = R::lit(CBRT_F32[3]).mul_add(s, R::lit(CBRT_F32[2]));
            b.mul_add(s * s, a)
        }
    }

    /// Computes `sqrt(x^2 + y^2)`, which overflows only if the result does.
    ///
    /// There are two roundings before the root, which halves their relative errors. Numbers with
    /// squares that would overflow or lose bits are scaled.
    #[elementary]
    pub fn hypot<R: Real>(x: R, y: R) -> R {
        let x = x.abs();
        let y = y.abs();
        let swap = y.gt(x);
        let a = R::select(swap, y, x);
        let b = R::select(swap, x, y);
        // As powers of two: -450 and 500; -40 and 60.
        let special = !(a.ge(math::lit::<R>(3.4396e-136, 9.1e-13))
            & a.le(math::lit::<R>(3.2733e150, 1.15e18)));
        let mut result = a.mul_add(a, b * b).sqrt();
        if special.any() {
            result = R::select(special, hypot_special(a, b), result);
        }
        result
    }

    /// Computes [`hypot`] of magnitudes, the larger first, if it is very large or very small.
    #[cold]
    fn hypot_special<R: Real>(a: R, b: R) -> R {
        let large = a.gt(R::lit(1.0));
        // 2^600 and 2^100, and their inverses.
        let up = math::lit::<R>(4.149515568880993e180, 1.2676506002282294e30);
        let down = math::lit::<R>(2.409919865102884e-181, 7.888609052210118e-31);
        let factor = R::select(large, down, up);
        let inverse = R::select(large, up, down);
        let a_scaled = a * factor;
        let b_scaled = b * factor;
        let result = a_scaled.mul_add(a_scaled, b_scaled * b_scaled).sqrt() * inverse;
        let infinite = a.equals(math::infinity::<R>()) | b.equals(math::infinity::<R>());
        R::select(infinite, math::infinity::<R>(), result)
    }
}
