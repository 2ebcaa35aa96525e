//! Functions that right-hand sides are given as a few operations, against std's of the same name.

use odes::__private::System;
use odes::ode_system;

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

/// The state that begins with these.
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
            let computed = composed::rhs(&state(x, y), &[], 0.0);
            for (i, (computed, expected)) in computed.iter().zip(expected).enumerate() {
                let same = computed.to_bits() == expected.to_bits()
                    || computed.is_nan() && expected.is_nan();
                assert!(same, "[{i}] of {x}, {y}: {computed} instead of {expected}");
            }
        }
    }
}

/// Where nothing jumps the derivative is that of the number itself, or none.
#[test]
fn derivatives() {
    let slopes = composed::jacobian(&state(0.3, -2.0), &[], 0.0).map(|row| row[0]);
    let degree = std::f64::consts::PI / 180.0;
    let expected =
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, degree, 180.0 / std::f64::consts::PI];
    assert_eq!(slopes[..11], expected);
    assert_eq!(slopes[11..], [0.0; 3]);
    assert!(composed::JACOBIAN_PATTERN.iter().all(|&(row, _)| [1, 7, 8, 9, 10].contains(&row)));
    let clamped = composed::jacobian(&state(2.5, 1.0), &[], 0.0);
    assert_eq!(clamped[8], [0.0; 14]);
}
