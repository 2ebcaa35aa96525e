//! The quantile function of the normal distribution.

#[allow(clippy::excessive_precision)]
#[ode_macros::device(normal)]
pub(super) mod device {
    use crate::lane::{Mask, Real};

    /// The numerator and the denominator for `|p - 1/2| <= 0.425`, in `0.425^2 - (p - 1/2)^2`.
    const CENTRE: [[f64; 8]; 2] = [
        [
            3.3871328727963666080e0,
            1.3314166789178437745e2,
            1.9715909503065514427e3,
            1.3731693765509461125e4,
            4.5921953931549871457e4,
            6.7265770927008700853e4,
            3.3430575583588128105e4,
            2.5090809287301226727e3,
        ],
        [
            1.0,
            4.2313330701600911252e1,
            6.8718700749205790830e2,
            5.3941960214247511077e3,
            2.1213794301586595867e4,
            3.9307895800092710610e4,
            2.8729085735721942674e4,
            5.2264952788528545610e3,
        ],
    ];
    /// For `r = sqrt(-ln(min(p, 1 - p)))` up to 5, in `r - 1.6`.
    const TAIL: [[f64; 8]; 2] = [
        [
            1.42343711074968357734e0,
            4.63033784615654529590e0,
            5.76949722146069140550e0,
            3.64784832476320460504e0,
            1.27045825245236838258e0,
            2.41780725177450611770e-1,
            2.27238449892691845833e-2,
            7.74545014278341407640e-4,
        ],
        [
            1.0,
            2.05319162663775882187e0,
            1.67638483018380384940e0,
            6.89767334985100004550e-1,
            1.48103976427480074590e-1,
            1.51986665636164571966e-2,
            5.47593808499534494600e-4,
            1.05075007164441684324e-9,
        ],
    ];
    /// For larger `r`, in `r - 5`.
    const FAR: [[f64; 8]; 2] = [
        [
            6.65790464350110377720e0,
            5.46378491116411436990e0,
            1.78482653991729133580e0,
            2.96560571828504891230e-1,
            2.65321895265761230930e-2,
            1.24266094738807843860e-3,
            2.71155556874348757815e-5,
            2.01033439929228813265e-7,
        ],
        [
            1.0,
            5.99832206555887937690e-1,
            1.36929880922735805310e-1,
            1.48753612908506148525e-2,
            7.86869131145613259100e-4,
            1.84631831751005468180e-5,
            1.42151175831644588870e-7,
            2.04426310338993978564e-15,
        ],
    ];

    /// Returns the quotient of the polynomials of [`CENTRE`].
    fn centre<R: Real>(x: R) -> R {
        let mut above = R::lit(CENTRE[0][7]);
        let mut below = R::lit(CENTRE[1][7]);
        for i in 0..7 {
            above = above.mul_add(x, R::lit(CENTRE[0][6 - i]));
            below = below.mul_add(x, R::lit(CENTRE[1][6 - i]));
        }
        above / below
    }

    /// Returns the quotient of the polynomials of [`TAIL`].
    fn tail<R: Real>(x: R) -> R {
        let mut above = R::lit(TAIL[0][7]);
        let mut below = R::lit(TAIL[1][7]);
        for i in 0..7 {
            above = above.mul_add(x, R::lit(TAIL[0][6 - i]));
            below = below.mul_add(x, R::lit(TAIL[1][6 - i]));
        }
        above / below
    }

    /// Returns the quotient of the polynomials of [`FAR`].
    fn far<R: Real>(x: R) -> R {
        let mut above = R::lit(FAR[0][7]);
        let mut below = R::lit(FAR[1][7]);
        for i in 0..7 {
            above = above.mul_add(x, R::lit(FAR[0][6 - i]));
            below = below.mul_add(x, R::lit(FAR[1][6 - i]));
        }
        above / below
    }

    /// Returns the quantile of the standard normal distribution at probability `p`.
    ///
    /// The quantile is infinite for 0 and 1, and a NaN outside.
    ///
    /// Algorithm AS 241 (PPND16) of Wichura, *The percentage points of the normal distribution*
    /// (Applied Statistics 37, 1988), with the logarithm of lanes. Exactly odd about 1/2.
    pub fn quantile<R: Real>(p: R) -> R {
        let q = p - R::lit(0.5);
        let r = q.neg_mul_add(q, R::lit(0.180625));
        let mut z = q * centre(r);
        let outside = q.abs().gt(R::lit(0.425));
        if outside.any() {
            // A NaN is not in the tail, and keeps the result of the centre, a NaN.
            let least = p.min(R::lit(1.0) - p);
            let r = (-(least.ln())).sqrt();
            let mut beyond = tail(r - R::lit(1.6));
            let is_far = r.gt(R::lit(5.0));
            if is_far.any() {
                beyond = R::select(is_far, far(r - R::lit(5.0)), beyond);
                beyond = R::select(least.equals(R::lit(0.0)), r, beyond);
            }
            z = R::select(outside, beyond.copysign(q), z);
        }
        z
    }
}
