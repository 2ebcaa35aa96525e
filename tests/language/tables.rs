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
