//! Derivatives at seams of a right-hand side: a kink, a jump, or an end of the domain.

use odes::ode_system;
use odes::system::Linearised;

/// A function at a seam.
pub(crate) struct Seam {
    /// The text of the function.
    pub(crate) function: &'static str,
    pub(crate) at: f64,
    /// The slopes on the left and on the right, NaN outside the function's domain.
    pub(crate) sides: [f64; 2],
    /// The entry of the Jacobian.
    pub(crate) derivative: f64,
    plain: fn(&[f64; 1]) -> [f64; 1],
    compiled: fn(&[f64; 1]) -> [[f64; 1]; 1],
}

macro_rules! seams {
    ($($name:ident: |$x:ident| $function:expr, at $at:expr, from $left:expr, to $right:expr, $derivative:expr;)*) => {
        $(
            #[ode_system]
            fn $name(u: &[f64; 1]) -> [f64; 1] {
                let $x = u[0];
                [$function]
            }
        )*

        pub(crate) const SEAMS: &[Seam] = &[$(Seam {
            function: stringify!($function),
            at: $at,
            sides: [$left, $right],
            derivative: $derivative,
            plain: $name::call,
            compiled: |u| $name.jacobian::<f64>(u, &[], 0.0),
        }),*];
    };
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

seams! {
    branch: |x| if x < 1.0 { 2.0 * x } else { 3.0 * x }, at 1.0, from 2.0, to 3.0, 3.0;
    joined: |x| if x > 0.0 && x < 1.0 { x } else { 1.0 }, at 1.0, from 1.0, to 0.0, 0.0;
    abs: |x| x.abs(), at 0.0, from -1.0, to 1.0, 1.0;
    min: |x| x.min(1.0), at 1.0, from 1.0, to 0.0, 0.0;
    min_of: |x| f64::min(1.0, x), at 1.0, from 1.0, to 0.0, 1.0;
    max: |x| x.max(1.0), at 1.0, from 0.0, to 1.0, 0.0;
    max_of: |x| f64::max(1.0, x), at 1.0, from 0.0, to 1.0, 1.0;
    clamp_low: |x| x.clamp(0.0, 2.0), at 0.0, from 0.0, to 1.0, 1.0;
    clamp_high: |x| x.clamp(0.0, 2.0), at 2.0, from 1.0, to 0.0, 1.0;
    signum: |x| x.signum(), at 0.0, from 0.0, to 0.0, 0.0;
    copysign: |x| x.copysign(1.0), at 0.0, from -1.0, to 1.0, 1.0;
    sign_of: |x| f64::copysign(2.0, x), at 0.0, from 0.0, to 0.0, 0.0;
    floor: |x| x.floor(), at 1.0, from 0.0, to 0.0, 0.0;
    ceil: |x| x.ceil(), at 1.0, from 0.0, to 0.0, 0.0;
    trunc: |x| x.trunc(), at 1.0, from 0.0, to 0.0, 0.0;
    round: |x| x.round(), at 0.5, from 0.0, to 0.0, 0.0;
    round_even: |x| x.round_ties_even(), at 0.5, from 0.0, to 0.0, 0.0;
    fract: |x| x.fract(), at 1.0, from 1.0, to 1.0, 1.0;
    remainder: |x| x % 2.0, at 2.0, from 1.0, to 1.0, 1.0;
    rem_euclid: |x| x.rem_euclid(2.0), at 2.0, from 1.0, to 1.0, 1.0;
    div_euclid: |x| x.div_euclid(2.0), at 2.0, from 0.0, to 0.0, 0.0;
    sqrt: |x| x.sqrt(), at 0.0, from NAN, to INF, INF;
    cbrt: |x| x.cbrt(), at 0.0, from INF, to INF, INF;
    ln: |x| x.ln(), at 0.0, from NAN, to INF, INF;
    asin: |x| x.asin(), at 1.0, from INF, to NAN, INF;
    acosh: |x| x.acosh(), at 1.0, from NAN, to INF, INF;
    hypot: |x| x.hypot(0.0), at 0.0, from -1.0, to 1.0, NAN;
    atan2: |x| x.atan2(0.0), at 0.0, from 0.0, to 0.0, NAN;
    root: |x| x.powf(0.5), at 0.0, from NAN, to INF, INF;
    square: |x| x.powf(2.0), at 0.0, from 0.0, to 0.0, 0.0;
    exponent: |x| f64::powf(0.0, x), at 1.0, from 0.0, to 0.0, NAN;
    powi: |x| x.powi(-1), at 0.0, from -INF, to -INF, -INF;
    guarded: |x| if x > 0.0 { x.sqrt() } else { 0.0 }, at 0.0, from 0.0, to INF, 0.0;
    total: |x| x.max(1e-9).sqrt(), at -1.0, from 0.0, to 0.0, 0.0;
}

/// Returns the slope of the plain function, close to `x` on the side of `h`, and not at `x` itself.
fn slope(f: impl Fn(f64) -> f64, x: f64, h: f64) -> f64 {
    (f(x + 2.0 * h) - f(x + h)) / h
}

/// Returns whether a measured slope is `expected`.
fn is_slope(measured: f64, expected: f64) -> bool {
    if expected.is_nan() {
        measured.is_nan()
    } else if expected.is_infinite() {
        measured * expected.signum() > 300.0
    } else {
        (measured - expected).abs() < 1e-4
    }
}

#[test]
fn the_sides_are_those_of_the_plain_function() {
    let h = 2.0_f64.powi(-20);
    for seam in SEAMS {
        let f = |x: f64| (seam.plain)(&[x])[0];
        let sides = [slope(f, seam.at, -h), slope(f, seam.at, h)];
        for (measured, expected) in sides.into_iter().zip(seam.sides) {
            assert!(is_slope(measured, expected), "{}: {measured}, not {expected}", seam.function);
        }
    }
}

#[test]
fn the_derivatives_are_those_of_the_table() {
    for seam in SEAMS {
        let [[derivative]] = (seam.compiled)(&[seam.at]);
        let expected = seam.derivative;
        let same = derivative == expected || derivative.is_nan() && expected.is_nan();
        assert!(same, "{}: {derivative}, not {expected}", seam.function);
    }
}

/// The rule: if both sides have a slope, the derivative is one of the slopes.
///
/// A quotient of zeros is the exception, because it hides the slope.
#[test]
fn the_derivative_is_that_of_a_side() {
    for seam in SEAMS {
        let of_a_side = seam.sides.contains(&seam.derivative);
        assert!(of_a_side || seam.derivative.is_nan(), "{}", seam.function);
    }
}
