//! Tables in right-hand sides, against the plain functions and other libraries' values.

use crate::random::Random;
use crate::special::special;
use crate::systems::tables::{COARSE, WIND};
use odes::__private::System;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::system::{Linearised, Rhs};

/// Every kind of table at one position, and at a row of positions.
#[ode_system]
fn looked_up(du: &mut [f64; 6], u: &[f64; 6], p: &[f64; 3], _t: f64) {
    const INSIDE: [f64; 5] = [0.0, 2.0, -1.0, 0.5, 3.0];
    let x = u[0];
    du[0] = interp_linear(&WIND, x);
    du[1] = interp_cubic(&WIND, x);
    du[2] = interp_linear(&INSIDE, x);
    du[3] = interp_cubic(&INSIDE, x);
    du[4] = interp_linear(p, x);
    du[5] = interp_cubic(p, x);
}

fn same<T: Scalar>(a: T, b: T) -> bool {
    a.widen().to_bits() == b.widen().to_bits() || a.is_nan() && b.is_nan()
}

/// Returns positions on, between and beside the entries, and special values.
fn positions() -> Vec<f64> {
    let mut random = Random(11);
    let mut all: Vec<f64> = special::<f64>().into();
    all.extend((-4..40).map(|k| f64::from(k) * 0.25));
    let beside = |k: i32| [f64::from(k).next_down(), f64::from(k).next_up()];
    all.extend((0..8).flat_map(beside));
    all.extend((0..500).map(|_| random.uniform(-1.0, 8.0)));
    all
}

const ENTRIES: [f64; 3] = [0.7, -1.3, 0.4];

#[test]
fn values_are_those_of_the_plain_functions() {
    for x in positions() {
        let mut expected = [0.0; 6];
        looked_up::call(&mut expected, &[x; 6], &ENTRIES, 0.0);
        let computed = looked_up.rhs(&[x; 6], &ENTRIES, 0.0);
        for i in 0..6 {
            assert!(same(computed[i], expected[i]), "[{i}] at {x}: {computed:?} {expected:?}");
        }
        // In f32 the result is computed from the entries in f32.
        let single = looked_up.rhs(&[x as f32; 6], &ENTRIES.map(|p| p as f32), 0.0);
        let table = WIND.map(|w| w as f32);
        let linear = interp_linear(&table, x as f32);
        assert!(same(single[0], linear), "at {x}: {} {linear}", single[0]);
        let cubic = interp_cubic(&table, x as f32);
        // Entries beyond the ends are rounded once in the compiled function, and twice in the plain
        // one.
        let error = (single[1] - cubic).abs();
        assert!(error < 1e-6 || single[1].is_nan() && cubic.is_nan(), "{x}: {error}");
    }
}

/// Interpolations at uneven abscissae, of constants and of parameters.
#[ode_system]
fn between(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 10], _t: f64) {
    const AT: [f64; 5] = [-0.5, 0.25, 2.0, 2.0, 7.5];
    const VALUES: [f64; 5] = [0.0, 2.0, -1.0, 0.5, 3.0];
    let x = u[0];
    let [a, b, c, d, e, values @ ..] = *p;
    du[0] = interp_linear_at(&AT, &VALUES, x);
    du[1] = interp_linear_at(&[a, b, c, d, e], &values, x);
    du[2] = interp_linear_at(&AT, &values, x) + interp_linear_at(&[a, b, c], &THREE, x);
    du[3] = interp_linear_at(&[3.0], &[b], x);
}

/// Values from outside the function.
const THREE: [f64; 3] = [4.0, -2.0, 1.0];
const POINTS: [f64; 10] = [-0.5, 0.25, 2.0, 3.5, 7.5, 0.7, -1.3, 0.4, 2.2, 0.9];

#[test]
fn values_between_points_are_those_of_the_plain_function() {
    let at = [-0.5, 0.25, 2.0, 3.5, 7.5];
    let beside = at.iter().flat_map(|x: &f64| [x.next_down(), *x, x.next_up()]);
    for x in positions().into_iter().chain(beside) {
        let mut expected = [0.0; 4];
        between::call(&mut expected, &[x; 4], &POINTS, 0.0);
        let computed = between.rhs(&[x; 4], &POINTS, 0.0);
        for i in 0..4 {
            assert!(same(computed[i], expected[i]), "[{i}] at {x}: {computed:?} {expected:?}");
        }
    }
    // Values by hand, as of `numpy.interp`.
    let values = [
        (-3.0, 0.0),
        (0.0, 1.333_333_333_333_333_3),
        (0.25, 2.0),
        (1.0, 0.714_285_714_285_714_3),
        (2.0, 0.5),
        (5.0, 1.863_636_363_636_363_5),
        (9.0, 3.0),
    ];
    for (x, expected) in values {
        let computed = between.rhs(&[x; 4], &POINTS, 0.0)[0];
        assert!((computed - expected).abs() < 4e-16 * 4.0, "{x}: {computed} {expected}");
    }
}

/// A hundred points, which a binary search finds; their distances grow.
#[ode_system]
fn searched(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let at: [f64; 100] = std::array::from_fn(|k| 0.01 * (k as f64) * (k as f64) - 2.0);
    let values: [f64; 100] = std::array::from_fn(|k| 0.25 * (k * 37 % 17) as f64);
    du[0] = interp_linear_at(&at, &values, u[0]);
}

#[test]
fn many_points_are_found() {
    let at: [f64; 100] = std::array::from_fn(|k| 0.01 * (k as f64) * (k as f64) - 2.0);
    let values: [f64; 100] = std::array::from_fn(|k| 0.25 * (k * 37 % 17) as f64);
    let beside = at.iter().flat_map(|x| [x.next_down(), *x, x.next_up()]);
    let inner = at.windows(2).map(|pair| pair[0] + 0.3 * (pair[1] - pair[0]));
    for x in positions().into_iter().chain(beside).chain(inner.clone()) {
        let [computed] = searched.rhs(&[x], &[], 0.0);
        let expected = interp_linear_at(&at, &values, x);
        let error = (computed - expected).abs();
        assert!(error < 1e-13 || same(computed, expected), "at {x}: {computed} {expected}");
    }
    for x in inner.chain([-3.0, 200.0]) {
        let slope = searched.jacobian(&[x], &[], 0.0)[0][0];
        let k = at.iter().rposition(|at| x >= *at).filter(|k| *k < 99);
        let chord = k.map_or(0.0, |k| (values[k + 1] - values[k]) / (at[k + 1] - at[k]));
        assert!((slope - chord).abs() < 1e-9, "at {x}: {slope} {chord}");
    }
    assert!(searched::report().jumps.is_empty(), "{:?}", searched::report().jumps);
}

/// The derivatives with respect to the position, the abscissae and the values are those of
/// differences.
#[test]
fn derivatives_between_points() {
    let at = |x: f64, p: &[f64; 10]| between.rhs(&[x; 4], p, 0.0);
    let h = 1e-6;
    for x in [-2.0, -0.4, 0.1, 0.3, 1.7, 2.9, 3.6, 7.4, 8.0] {
        let jacobian = between.jacobian(&[x; 4], &POINTS, 0.0);
        let (before, after) = (at(x - h, &POINTS), at(x + h, &POINTS));
        let by_parameters = between.parameter_jacobian(&[x; 4], &POINTS, 0.0);
        for i in 0..4 {
            let difference = (after[i] - before[i]) / (2.0 * h);
            assert!((jacobian[i][0] - difference).abs() < 1e-8, "[{i}] at {x}");
            for k in 0..10 {
                let moved = |by: f64| {
                    let mut p = POINTS;
                    p[k] += by;
                    at(x, &p)[i]
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                let derivative = by_parameters[i][k];
                assert!((derivative - difference).abs() < 1e-8, "[{i}] by p[{k}] at {x}");
            }
        }
    }
    // Each abscissa has an effect.
    let slope = between.parameter_jacobian(&[1.0; 4], &POINTS, 0.0)[1];
    assert!(slope[1] != 0.0 && slope[2] != 0.0 && slope[0] == 0.0, "{slope:?}");
    // The function is continuous, so the report has no jumps.
    assert!(between::report().jumps.is_empty(), "{:?}", between::report().jumps);
}

/// Values of `numpy.interp` and of `scipy.interpolate.CubicHermiteSpline`.
///
/// The slopes are `(c - a)/2`, and at the ends `(-3 a + 4 b - c)/2` and its mirror image.
#[test]
fn values_are_those_of_other_libraries() {
    let values = [
        (0.3, 0.65, 1.0805),
        (0.75, 1.325, 1.709375),
        (1.5, 0.4, 0.24375),
        (2.9, 2.7, 2.86875),
        (3.125, 2.9875, 3.228125),
        (5.25, 0.675, 0.403125),
        (5.875, 1.3625, 1.20390625),
    ];
    for (x, linear, cubic) in values {
        let computed = looked_up.rhs(&[x; 6], &ENTRIES, 0.0);
        assert!((computed[0] - linear).abs() < 1e-15 * 4.0, "{x}: {}", computed[0]);
        assert!((computed[1] - cubic).abs() < 1e-15 * 4.0, "{x}: {}", computed[1]);
    }
}

#[ode_system]
fn elements(du: &mut [f64; 3], u: &[f64; 3], _p: &[f64; 0], t: f64) {
    const ORDER: [usize; 3] = [2, 0, 1];
    let wind = &WIND;
    du[0] = WIND[3] * u[0];
    du[1] = wind[2 * ORDER[0] + 1] - f64::from(COARSE[1]);
    du[2] = 0.0;
    for i in ORDER {
        du[2] += COARSE[i] as f64 * t;
    }
}

#[test]
fn elements_of_constants_from_outside() {
    let computed = elements.rhs(&[2.0; 3], &[], 0.5);
    assert_eq!(computed, [2.0 * WIND[3], WIND[5] + 0.25, 0.5 * (4.0 + 1.5 - 0.25)]);
    let text = elements.device_source().unwrap().to_string();
    assert!(text.contains("_WIND = 3.1e0;") && text.contains("_COARSE = -2.5e-1;"), "{text}");
    // An array that is only renamed adds no numbers.
    assert_eq!(text.matches("static constexpr double").count(), 5, "{text}");
}

/// The derivative with respect to the position is the polynomial's between two entries, and zero
/// outside.
#[test]
fn derivatives_by_the_position() {
    let slope = |x: f64| looked_up.jacobian(&[x; 6], &ENTRIES, 0.0).map(|row| row[0]);
    for x in positions().into_iter().filter(|x| x.is_finite() && x.fract() != 0.0) {
        let h = 1e-6;
        // Far from an entry, where the linear interpolant has a kink.
        if (x - x.round()).abs() < 2.0 * h || x.abs() > 100.0 {
            continue;
        }
        let at = |x: f64| looked_up.rhs(&[x; 6], &ENTRIES, 0.0);
        let (before, after, slope) = (at(x - h), at(x + h), slope(x));
        for i in 0..6 {
            let difference = (after[i] - before[i]) / (2.0 * h);
            assert!((slope[i] - difference).abs() < 1e-8, "[{i}] at {x}: {slope:?} {difference}");
        }
    }
    // Cubic interpolation has no kinks.
    for k in 1..6 {
        let (k, e) = (f64::from(k), 1e-9);
        assert!((slope(k - e)[1] - slope(k + e)[1]).abs() < 1e-7);
    }
    assert_eq!(looked_up.info().jacobian_pattern, [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]);
}

/// A known position in a known table is a number.
#[test]
fn known_positions_cost_nothing() {
    #[ode_system]
    fn known(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
        const INSIDE: [f64; 5] = [0.0, 2.0, -1.0, 0.5, 3.0];
        [u[0] * interp_cubic(&INSIDE, 1.5) * interp_linear(&INSIDE, 7.0)]
    }
    assert_eq!(known::report().rhs.total(), 2);
    assert!(!known.device_source().unwrap().to_string().contains("table"));
    let factor = interp_cubic(&[0.0, 2.0, -1.0, 0.5, 3.0], 1.5);
    assert_eq!(known.rhs(&[0.5], &[], 0.0), [0.5 * factor * 3.0]);
}
