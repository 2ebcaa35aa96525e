//! Normal numbers from random words, by the transformation of Box and Muller.

#[allow(clippy::approx_constant, clippy::excessive_precision)]
#[ode_macros::device(gauss)]
pub(super) mod device {
    use crate::lane::{Bits, Real};

    /// `sin(π y / 2) / y` in `y^2`, for `|y| <= 1/2`; greatest error `2^-58`.
    const SIN_F64: [f64; 7] = [
        1.5707963267948966,
        -0.6459640975062443,
        0.07969262624603957,
        -0.0046817541322826135,
        0.00016044115029326713,
        -3.5986417605249245e-06,
        5.6337218589765205e-08,
    ];
    /// As [`SIN_F64`]; greatest error `2^-28`.
    const SIN_F32: [f64; 4] =
        [1.5707963705062866, -0.6459634900093079, 0.07968003302812576, -0.00460165785625577];
    /// `cos(π y / 2)` in `y^2`, for `|y| <= 1/2`; greatest error `2^-64`.
    const COS_F64: [f64; 8] = [
        1.0,
        -1.2337005501361697,
        0.2536695079010466,
        -0.020863480763308007,
        0.0009192602741468109,
        -2.5202036558459402e-05,
        4.710603589004215e-07,
        -6.3205582615385175e-09,
    ];
    /// As [`COS_F64`]; greatest error `2^-34`.
    const COS_F32: [f64; 5] = [
        1.0,
        -1.2337005138397217,
        0.2536691725254059,
        -0.020859936252236366,
        0.0009033628739416599,
    ];

    /// `1 - 2^-10`, `2^-23`, `1 - 2^-53` and `1 - 2^-24`.
    const BELOW_1: f64 = 0.9990234375;
    const PLACE: f64 = 1.1920928955078125e-07;
    const BELOW_1_F64: f64 = 0.9999999999999999;
    const BELOW_1_F32: f64 = 0.9999999403953552;

    /// Returns `sin(π y / 2)` and `cos(π y / 2)` for `|y| <= 1/2`.
    fn sin_cos<R: Real>(y: R) -> [R; 2] {
        let square = y * y;
        if R::DOUBLE {
            let mut sin = R::lit(SIN_F64[6]);
            for i in 0..6 {
                sin = sin.mul_add(square, R::lit(SIN_F64[5 - i]));
            }
            let mut cos = R::lit(COS_F64[7]);
            for i in 0..7 {
                cos = cos.mul_add(square, R::lit(COS_F64[6 - i]));
            }
            [sin * y, cos]
        } else {
            let mut sin = R::lit(SIN_F32[3]);
            for i in 0..3 {
                sin = sin.mul_add(square, R::lit(SIN_F32[2 - i]));
            }
            let mut cos = R::lit(COS_F32[4]);
            for i in 0..4 {
                cos = cos.mul_add(square, R::lit(COS_F32[3 - i]));
            }
            [sin * y, cos]
        }
    }

    /// Returns `x 2^-32 + 2^-33` for a word `x`, rounded to `f32`.
    ///
    /// The result is at least `2^-33`, so normal numbers reach 6.76.
    fn positive_unit<R: Real>(x: R::Bits) -> R {
        let one = <R::Bits as Bits>::lit(0x3f80_0000);
        let high = R::from_bits(x.shr::<9>() | one) - R::lit(1.0);
        let low = (x & <R::Bits as Bits>::lit(0x1ff)).shl::<14>();
        let low = R::from_bits(low | one) - R::lit(BELOW_1);
        low.mul_add(R::lit(PLACE), high)
    }

    /// Returns two independent normal numbers of mean 0 and variance 1.
    ///
    /// `x` has the words of the radius, and `y` the words of the angle. In `f32` only the first
    /// word of each counts. The first bit of the angle is a sign, and the second one an exchange,
    /// so the other bits select an angle in an eighth of the circle on either side of an axis. No
    /// angle is reduced.
    ///
    /// G. E. P. Box, M. E. Muller, *A note on the generation of random normal deviates* (Annals of
    /// Mathematical Statistics 29, 1958).
    fn pair<R: Real>(x: [R::Bits; 2], y: [R::Bits; 2]) -> [R; 2] {
        let sign = y[0] & <R::Bits as Bits>::lit(0x8000_0000);
        let swap = y[0] & <R::Bits as Bits>::lit(0x4000_0000);
        let swap = swap.equals(<R::Bits as Bits>::lit(0));
        if R::DOUBLE {
            let one = <R::Bits as Bits>::lit(0x3ff0_0000_0000_0000);
            let below = R::lit(BELOW_1_F64);
            let unit = R::from_bits(x[0].shl::<20>() | x[1].shr::<12>() | one) - below;
            let high = (y[0] & <R::Bits as Bits>::lit(0x3fff_ffff)).shl::<22>();
            let angle = (R::from_bits(high | y[1].shr::<10>() | one) - below) - R::lit(0.5);
            rotated::<R>(unit, angle, sign.shl::<32>(), swap)
        } else {
            let one = <R::Bits as Bits>::lit(0x3f80_0000);
            let unit = positive_unit::<R>(x[0]);
            let angle = R::from_bits(y[0].shl::<2>().shr::<9>() | one) - R::lit(BELOW_1_F32);
            rotated::<R>(unit, angle - R::lit(0.5), sign, swap)
        }
    }

    /// Returns the point at `angle` quarters of a turn from an axis.
    ///
    /// Its square distance from the origin is `-2 ln(unit)`.
    fn rotated<R: Real>(unit: R, angle: R, sign: R::Bits, swap: R::Mask) -> [R; 2] {
        let radius = (unit.ln() * R::lit(-2.0)).sqrt();
        let [sin, cos] = sin_cos(angle);
        let cos = R::from_bits(cos.to_bits() ^ sign);
        let x = R::select(swap, sin, cos);
        let y = R::select(swap, cos, sin);
        [radius * x, radius * y]
    }

    /// Returns the normal numbers of four random words: four in `f32`, two in `f64`.
    ///
    /// In `f64`, the last two are copies.
    pub fn normals<R: Real>(words: [R::Bits; 4]) -> [R; 4] {
        let [a, b, c, d] = words;
        if R::DOUBLE {
            let [x, y] = pair::<R>([a, b], [c, d]);
            [x, y, x, y]
        } else {
            let [x, y] = pair::<R>([a, a], [b, b]);
            let [z, w] = pair::<R>([c, c], [d, d]);
            [x, y, z, w]
        }
    }
}
