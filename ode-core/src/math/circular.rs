//! Sine, cosine and tangent.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(math)]
pub(super) mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::math;

    const ONE_BY_PI: f64 = 0.3183098861837907;
    const TWO_BY_PI: f64 = 0.6366197723675814;
    /// pi and pi/2 in three parts, each truncated rather than rounded.
    ///
    /// All parts are positive, so the products with a zero `n` are zeros of one sign, and `x = -0`
    /// keeps its sign.
    const PI_F64: [f64; 3] = [3.141592653589793, 1.224646799147353e-16, 2.1657133478438278e-32];
    const PI_F32: [f64; 3] = [3.141592502593994, 1.5099578831723193e-07, 1.078060505991553e-14];
    const HALF_PI_F64: [f64; 3] =
        [1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32];
    const HALF_PI_F32: [f64; 3] = [1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15];

    /// The bound `2^30` (`f32`: `2^17`) beyond which three parts of pi are not enough.
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

    /// Coefficients of `a` and `b` in `tan(r) = r (1 + z a(z)) / (1 + z b(z))`.
    ///
    /// `z = r^2` and `|r| <= pi/4`; greatest error `2^-55.4` of the tangent.
    const TAN_OVER_F64: [f64; 3] =
        [-0.12828262863441522, 0.002805824432920283, -7.482725263359005e-06];
    const TAN_UNDER_F64: [f64; 3] =
        [-0.46161596196774657, 0.0233444784221099, -0.00020843457127108438];
    /// As [`TAN_OVER_F64`]; greatest error `2^-25.7`.
    const TAN_OVER_F32: f64 = -0.09578122198581696;
    const TAN_UNDER_F32: [f64; 2] = [-0.42911505699157715, 0.009709460660815239];

    /// Computes the sine.
    ///
    /// `x = n pi + r` with `|r| <= pi/2`, so one polynomial suffices; the parity of `n` gives the
    /// sign. The first step of the reduction is exact, as in [`math::exp`]. If `r` is small, the
    /// second step is exact, too, and the third adds the part that matters then.
    #[elementary]
    pub fn sin<R: Real>(x: R) -> R {
        let round = math::lit::<R>(math::ROUND_F64, math::ROUND_F32);
        let mut shifted = x.mul_add(R::lit(ONE_BY_PI), round);
        let mut r = minus_multiple_of_pi(x, shifted - round);
        let large = !(x.abs().le(math::lit::<R>(LARGE_F64, LARGE_F32)));
        if large.any() {
            let turns = quarter_turns(x);
            let n = (turns[0] * R::lit(0.5)).round_even();
            r = R::select(large, from_quarter_turns(turns, n + n), r);
            shifted = R::select(large, n + round, shifted);
        }
        math::negate_if_odd(sin_of_reduced(r), shifted)
    }

    /// Computes the cosine, as the sine of the distance to an odd multiple of pi/2.
    ///
    /// For `x = (n - 1/2) pi + r` the cosine is `sin r`, negated if `n` is odd.
    ///
    /// For `|x| < 1` the first step of the reduction may round, since this costs at most half a
    /// unit if `r` is near pi/2.
    #[elementary]
    pub fn cos<R: Real>(x: R) -> R {
        let round = math::lit::<R>(math::ROUND_F64, math::ROUND_F32);
        let half = R::lit(0.5);
        let a = x.abs();
        let mut shifted = a.mul_add(R::lit(ONE_BY_PI), half) + round;
        let mut r = minus_multiple_of_pi(a, (shifted - round) - half);
        let large = !(a.le(math::lit::<R>(LARGE_F64, LARGE_F32)));
        if large.any() {
            let turns = quarter_turns(a);
            let n = turns[0].mul_add(half, half).round_even();
            r = R::select(large, from_quarter_turns(turns, (n + n) - R::lit(1.0)), r);
            shifted = R::select(large, n + round, shifted);
        }
        math::negate_if_odd(sin_of_reduced(r), shifted)
    }

    /// Computes `x - n pi`.
    fn minus_multiple_of_pi<R: Real>(x: R, n: R) -> R {
        let r = n.mul_add(math::lit::<R>(-PI_F64[0], -PI_F32[0]), x);
        let r = n.mul_add(math::lit::<R>(-PI_F64[1], -PI_F32[1]), r);
        n.mul_add(math::lit::<R>(-PI_F64[2], -PI_F32[2]), r)
    }

    /// Computes `sin(r)` for `|r| <= pi/2`, as `r + r p`.
    ///
    /// Near pi/2, `p` is -0.36, so its error counts; its two leading terms are rounded once each.
    /// (`r + r^3 q` would have one more rounding of a large number.) For `r = -0`, `p` is +0, not
    /// -0, and the sum is -0.
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

    /// Computes the tangent.
    ///
    /// `x = n pi/2 + r` with `|r| <= pi/4`. `tan r` is a quotient of polynomials. For odd `n` the
    /// result is `-1/tan r`, the inverted quotient: one division in either case.
    #[elementary]
    pub fn tan<R: Real>(x: R) -> R {
        let round = math::lit::<R>(math::ROUND_F64, math::ROUND_F32);
        let mut shifted = x.mul_add(R::lit(TWO_BY_PI), round);
        let n = shifted - round;
        let r = n.mul_add(math::lit::<R>(-HALF_PI_F64[0], -HALF_PI_F32[0]), x);
        let r = n.mul_add(math::lit::<R>(-HALF_PI_F64[1], -HALF_PI_F32[1]), r);
        let mut r = n.mul_add(math::lit::<R>(-HALF_PI_F64[2], -HALF_PI_F32[2]), r);
        let large = !(x.abs().le(math::lit::<R>(LARGE_F64, LARGE_F32)));
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

    /// Returns `[a, b]` with `tan r = a / b`, for `|r| <= pi/4`.
    ///
    /// The sign of a zero is kept as in [`sin_of_reduced`].
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

    /// 2/pi as a sum of chunks `2^-200 c_i`.
    ///
    /// Each `2^-200 c_i` is a multiple of `2^(-53 (i + 1))`. (The scale keeps the last chunks
    /// normal.)
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
    /// The bound on `x` for skipping chunk `i` is `2^54` times `2^(53 (i + 1))`.
    ///
    /// From this bound on, the product of `x` with chunk `i` is a multiple of 4, because an `x` of
    /// `2^e` is a multiple of `2^(e - 52)`. (`f32`: `2^25`, `2^24`.)
    const SKIP_F64: f64 = 18014398509481984.0;
    const SKIP_F32: f64 = 33554432.0;
    const SKIP_STEP_F64: f64 = 9007199254740992.0;
    const SKIP_STEP_F32: f64 = 16777216.0;

    /// Computes `2 x / pi` minus a multiple of 4, as an unevaluated sum of three numbers. Slow.
    ///
    /// The result is a NaN for an infinite `x`.
    ///
    /// This is the reduction of Payne and Hanek (1983) in floating point. The function needs only
    /// the bits from 2 down to `2^-158` (`f32`: `2^-71`) of the product of `x` and 2/pi. No `f64`
    /// is nearer than `2^-62` to a multiple of pi/2 (`f32`: `2^-31`; Muller, *Elementary
    /// Functions*, 11.3), so these bits determine the remainder to full accuracy. The function
    /// skips the chunks of 2/pi with products that are multiples of 4. It splits the products of
    /// the next five chunks exactly into two numbers, takes these modulo 4, exactly, and adds them
    /// with their rounding errors.
    #[cold]
    fn quarter_turns<R: Real>(x: R) -> [R; 3] {
        let chunks = leading_chunks(x.abs());
        let scaled = x * math::lit::<R>(CHUNK_SCALE_F64, CHUNK_SCALE_F32);
        let mut sum = [R::lit(0.0), R::lit(0.0), R::lit(0.0)];
        for i in 0..5 {
            let product = scaled * chunks[i];
            let error = scaled.mul_add(chunks[i], -product);
            sum = accumulate(sum, modulo_4(product));
            sum = accumulate(sum, modulo_4(error));
        }
        sum
    }

    /// Returns the five chunks that matter for `a = |x|`.
    fn leading_chunks<R: Real>(a: R) -> [R; 5] {
        let mut threshold = math::lit::<R>(SKIP_F64, SKIP_F32);
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

    /// Computes `v` minus the nearest multiple of 4, exactly.
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

    /// Computes `(turns - n) pi/2` for an integer `n` within 1 of `turns`.
    fn from_quarter_turns<R: Real>(turns: [R; 3], n: R) -> R {
        let first = turns[0] - n;
        let high = first + turns[1];
        let low = (turns[1] - (high - first)) + turns[2];
        let rest = low * math::lit::<R>(HALF_PI_F64[0], HALF_PI_F32[0]);
        let rest = high.mul_add(math::lit::<R>(HALF_PI_F64[1], HALF_PI_F32[1]), rest);
        high.mul_add(math::lit::<R>(HALF_PI_F64[0], HALF_PI_F32[0]), rest)
    }
}
