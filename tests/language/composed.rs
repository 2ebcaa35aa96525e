//! Functions that the compiler expands into a few operations, against std's of the same name.

use crate::random::Random;
use crate::special::special;
use odes::lane::Scalar;
use odes::ode_system;
use odes::system::{Linearised, Rhs, System};

#[ode_system]
fn composed(du: &mut [f64; 14], u: &[f64; 14], _p: &[f64; 0], _t: f64) {
    let [x, y, ..] = *u;
    du[0] = x.signum();
    du[1] = x.copysign(y);
    du[2] = x.floor();
    du[3] = x.ceil();
    du[4] = x.trunc();
    du[5] = x.round();
    du[6] = x.round_ties_even();
    du[7] = x.fract();
    du[8] = x.clamp(-1.5, 2.0);
    du[9] = x.to_radians();
    du[10] = x.to_degrees();
    du[11] = 1.0_f64.copysign(y);
    du[12] = (x + 0.5).round();
    du[13] = (-x).ceil();
}

/// Returns the state that begins with these values.
fn state(x: f64, y: f64) -> [f64; 14] {
    std::array::from_fn(|i| [x, y][i % 2])
}

#[test]
fn values_are_those_of_std() {
    let mut numbers = vec![
        0.0,
        f64::from_bits(1),
        f64::MIN_POSITIVE,
        0.49999999999999994,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.5,
        4503599627370495.5,
        4503599627370497.0,
        9007199254740993.0,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    numbers.extend(numbers.clone().iter().map(|x| -x));
    for &x in &numbers {
        for &y in &numbers {
            let mut expected = [0.0; 14];
            composed::call(&mut expected, &state(x, y), &[], 0.0);
            let computed = composed.rhs(&state(x, y), &[], 0.0);
            for (i, (computed, expected)) in computed.iter().zip(expected).enumerate() {
                let same = computed.to_bits() == expected.to_bits()
                    || computed.is_nan() && expected.is_nan();
                assert!(same, "[{i}] of {x}, {y}: {computed} instead of {expected}");
            }
        }
    }
}

/// Except at jumps, the derivative is the number's own derivative, or zero.
#[test]
fn derivatives() {
    let slopes = composed.jacobian(&state(0.3, -2.0), &[], 0.0).map(|row| row[0]);
    let degree = std::f64::consts::PI / 180.0;
    let expected =
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, degree, 180.0 / std::f64::consts::PI];
    assert_eq!(slopes[..11], expected);
    assert_eq!(slopes[11..], [0.0; 3]);
    assert!(
        composed.info().jacobian_pattern.iter().all(|&(row, _)| [1, 7, 8, 9, 10].contains(&row))
    );
    let clamped = composed.jacobian(&state(2.5, 1.0), &[], 0.0);
    assert_eq!(clamped[8], [0.0; 14]);
}

#[ode_system]
fn divided(du: &mut [f64; 4], u: &[f64; 4], _p: &[f64; 0], _t: f64) {
    let [x, y, ..] = *u;
    du[0] = x % y;
    du[1] = x.rem_euclid(y);
    du[2] = f64::div_euclid(x, y);
    du[3] = -7.5 % 2.0 + (-7.25_f64).rem_euclid(-2.0);
}

/// Compares remainders of `x` by `y` with std's, in bits.
fn check_division<T: Scalar>(x: T, y: T, expected: [T; 3]) {
    let computed = divided.rhs(&[x, y, x, y], &[], x);
    for (i, (computed, expected)) in computed.into_iter().zip(expected).enumerate() {
        let same = computed.widen().to_bits() == expected.widen().to_bits()
            || computed.is_nan() && expected.is_nan();
        assert!(same, "{} [{i}] of {x}, {y}: {computed} instead of {expected}", T::NAME);
    }
    assert_eq!(computed[3], T::lit(-0.75));
}

/// Returns whether remainders are exact for the quotient.
fn is_moderate<T: Scalar>(x: T, y: T) -> bool {
    let quotient = (x.widen() / y.widen()).abs();
    let finite = x.is_finite() && y.is_finite() && y.widen() != 0.0;
    !finite || quotient < 0.5 / T::epsilon().widen()
}

#[test]
fn remainders_are_those_of_std() {
    for x in special::<f64>() {
        for y in special::<f64>().into_iter().filter(|&y| is_moderate(x, y)) {
            check_division(x, y, [x % y, x.rem_euclid(y), x.div_euclid(y)]);
        }
    }
    for x in special::<f32>() {
        for y in special::<f32>().into_iter().filter(|&y| is_moderate(x, y)) {
            check_division(x, y, [x % y, x.rem_euclid(y), x.div_euclid(y)]);
        }
    }
    let mut random = Random(5);
    for _ in 0..20_000 {
        // Quotients of all sizes; near whole numbers they are rounded to the other side.
        let y = random.uniform(-2.0, 2.0) * random.uniform(-40.0, 40.0).exp2();
        let quotient = random.uniform(-1.0, 1.0) * random.uniform(0.0, 52.0).exp2();
        for x in [quotient * y, quotient.round() * y] {
            for x in [x.next_down(), x, x.next_up()] {
                check_division(x, y, [x % y, x.rem_euclid(y), x.div_euclid(y)]);
            }
        }
        let y = y as f32;
        let quotient = (random.uniform(-1.0, 1.0) * random.uniform(0.0, 23.0).exp2()) as f32;
        for x in [quotient * y, quotient.round() * y] {
            for x in [x.next_down(), x, x.next_up()] {
                check_division(x, y, [x % y, x.rem_euclid(y), x.div_euclid(y)]);
            }
        }
    }
}

/// The derivative with respect to `x` is one; with respect to `y` it is the whole quotient, also
/// for a zero remainder.
#[test]
fn derivatives_of_remainders() {
    for (x, y) in [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0), (-8.0, 2.0), (0.5, 3.0)] {
        let computed = divided.jacobian(&[x, y, x, y], &[], 0.0);
        let quotient: f64 = x / y;
        assert_eq!(computed[0][..2], [1.0, -quotient.trunc()], "{x} % {y}");
        assert_eq!(computed[1][..2], [1.0, -x.div_euclid(y)], "{x}, {y}");
        assert_eq!(computed[2], [0.0; 4]);
    }
    assert!(divided.info().jacobian_pattern.iter().all(|&(row, _)| row < 2));
}

#[ode_system]
fn asked(du: &mut [f64; 5], u: &[f64; 5], _p: &[f64; 0], _t: f64) {
    let x = u[0];
    let all = [
        x.is_nan(),
        x.is_finite(),
        f64::is_infinite(x),
        x.is_sign_positive(),
        x.is_sign_negative(),
    ];
    for i in 0..5 {
        du[i] = if all[i] { 1.0 } else { 0.0 };
    }
}

#[test]
fn questions_are_answered_as_by_std() {
    fn check<T: Scalar>() {
        for x in special::<T>() {
            let expected = [
                x.is_nan(),
                x.is_finite(),
                x.is_infinite(),
                x.is_sign_positive(),
                x.is_sign_negative(),
            ];
            let computed = asked.rhs(&[x; 5], &[], x);
            // The sign of a NaN is not defined.
            let count = if x.is_nan() { 3 } else { 5 };
            for i in 0..count {
                assert_eq!(computed[i] == T::lit(1.0), expected[i], "[{i}] of {x}");
            }
        }
    }
    check::<f64>();
    check::<f32>();
    assert!(asked.info().jacobian_pattern.is_empty());
}
