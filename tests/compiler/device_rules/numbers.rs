//! Numbers and operations on them.

use ode_macros::device;

/// A float literal is an `f64` that `lit` rounds to the lane's precision.
///
/// No operation uses another precision than the lanes'.
#[device(literals)]
pub mod literals {
    use odes::lane::{Bits, Real};

    pub const TENTH: f64 = 0.1;
    pub const MINUS: f64 = -TENTH * 3.0;
    pub const GROUPED: f64 = 1_234.567_8;
    pub const WHOLE: f64 = 3.;
    pub const POWER: f64 = 1e-3;
    pub const HEX: u64 = 0x3ff0_0000_0000_0001;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let a = x[0] * R::lit(0.1) + R::lit(TENTH) * x[1];
        let b = x[1] * R::lit(MINUS) + R::lit(GROUPED / WHOLE);
        let c = (x[2] - R::lit(1.)) * R::lit(POWER) + R::lit(2.5E2 * 1e3f64 + 7 as f64);
        let d = x[3] * R::lit_of(0.3333333333333333, 0.25) + R::lit(-0.0);
        let bits = <R::Bits as Bits>::lit(HEX) ^ d.to_bits();
        [a, b, c, R::from_bits(bits)]
    }
}

/// The literals of an `f32` constant are `f32`, not rounded `f64`.
#[device(single_constants)]
pub mod single_constants {
    use odes::lane::Real;

    pub const TENTH: f32 = 0.1;
    /// A value just above the middle of two `f32`; the middle is the nearest `f64`.
    pub const MIDDLE: f32 = 1.000_000_059_604_644_8;
    pub const TABLE: [f32; 2] = [0.7, 1.000_000_178_813_934_5];
    pub const PRODUCT: f32 = 0.1 * 0.7;
    pub const NARROWED: f32 = (0.1 * 0.7f64) as f32;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        [
            x[0] * R::lit(TENTH as f64) + R::lit(0.1f32 as f64),
            x[1] * R::lit(MIDDLE as f64),
            x[2] * R::lit(TABLE[0] as f64) + R::lit(TABLE[1] as f64),
            x[3] * R::lit(PRODUCT as f64) + R::lit(NARROWED as f64),
        ]
    }
}

/// `a * b + c` is rounded twice, and `mul_add` once.
#[device(rounding)]
pub mod rounding {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        [a * b + c * d, a.mul_add(b, c * d), a * b - c, d / a * b]
    }
}

/// Every method of a lane number, as an overload of the prelude.
#[device(methods)]
pub mod methods {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        let rounded = a.round_even() + b.floor() * c.sqrt();
        let signs = a.abs().copysign(b).mul_add(c, d);
        // Positive and finite, as the approximate logarithm requires.
        let positive = d.abs().max(R::lit(1e-3)).min(R::lit(1e3));
        let logarithm = positive.bits_to_single();
        let back = R::single_to_bits(logarithm);
        let single = a.to_single() * b.to_single();
        let greater = R::single_mask(a.gt(b));
        let single = <R::Single as Real>::select(greater, single, logarithm);
        [rounded, signs, back, R::from_single(single)]
    }
}

/// Reciprocals, also of zeros and infinities.
#[device(reciprocals)]
pub mod reciprocals {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        [a.reciprocal(), (b * c).reciprocal(), (c - c).reciprocal(), (d / (b - b)).reciprocal()]
    }
}

/// The elementary functions are lane programs of the module `math`.
#[device(elementary)]
pub mod elementary {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        [a.exp() + b.ln(), b.sin() * c.cos(), c.tan() - d.tanh(), d.abs().powf(a)]
    }
}

/// Comparisons are false for a NaN, and their negations are not the opposite comparisons.
#[device(comparisons)]
pub mod comparisons {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        let yes = R::lit(1.0);
        let no = R::lit(0.0);
        [
            R::select(a.lt(b), yes, no) + R::select(!a.ge(b), R::lit(2.0), no),
            R::select(b.le(c), yes, no) + R::select(!b.gt(c), R::lit(2.0), no),
            R::select(c.gt(d), yes, no) + R::select(!c.le(d), R::lit(2.0), no),
            R::select(d.equals(d), yes, no) + R::select(a.ge(d), R::lit(2.0), no),
        ]
    }
}

/// `min`, `max`, `at_most`, `at_least`: the result if an argument is a NaN or both are zeros.
#[device(extremes)]
pub mod extremes {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let [a, b, c, d] = *x;
        // If an argument is a NaN, the result is not defined.
        let number = a.min(R::lit(1e30)).max_magnitude(R::lit(-0.75));
        [a.min(b), c.max(d), b.at_most(R::lit(1.5)) + c.at_least(R::lit(-2.0)), number]
    }
}

/// `0 * x` may be a NaN, or a zero with a sign.
///
/// Both sides omit the product if an `if` omits it, and compute it otherwise.
#[device(zero_coefficients)]
pub mod zero_coefficients {
    use odes::lane::Real;

    pub const WEIGHTS: [[f64; 4]; 2] = [[0.5, 0.0, -1.5, 0.0], [-0.0, 0.25, 0.0, 3.0]];

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut without = [R::lit(-0.0); 2];
        let mut with = [R::lit(-0.0); 2];
        for row in 0..2 {
            for i in 0..4 {
                with[row] = x[i].mul_add(R::lit(WEIGHTS[row][i]), with[row]);
                if WEIGHTS[row][i] != 0.0 {
                    without[row] = x[i].mul_add(R::lit(WEIGHTS[row][i]), without[row]);
                }
            }
        }
        [without[0], without[1], with[0], with[1]]
    }
}
