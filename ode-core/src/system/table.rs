//! Values between the entries of a table.
//!
//! The entries belong to equally spaced points. A position is counted in entries: 0 at the first
//! one and `L - 1` at the last one, so that a table over `x0`, `x0 + h`, … is looked up at
//! `(x - x0) / h`. Outside of the table the value is that of the nearer end. A NaN gives a NaN.
//!
//! Right-hand sides may call these functions. What `#[ode_system]` makes of a call has the same
//! bits in `f64`.

use num_traits::Float;

/// Linear interpolation in a table of equally spaced points.
///
/// ```
/// # use ode_core::system::table::interp_linear;
/// const TABLE: [f64; 3] = [1.0, 3.0, 2.0];
/// assert_eq!(interp_linear(&TABLE, 0.25), 1.5);
/// assert_eq!(interp_linear(&TABLE, 7.0), 2.0);
/// ```
#[must_use]
pub fn interp_linear<T: Float, const L: usize>(table: &[T; L], x: T) -> T {
    let (first, f) = position(table, x);
    let [a, b] = [0, 1].map(|k| table[(first + k).min(L - 1)]);
    f.mul_add(b - a, a)
}

/// Cubic interpolation in a table of equally spaced points, by the polynomial through two entries
/// whose slopes there are those of the chords between their neighbours (Catmull and Rom 1974; the
/// cubic convolution of Keys 1981).
///
/// It has a continuous derivative and an error of third order in the spacing. Beyond each end Keys
/// puts an entry such that the third differences vanish, `3 a - 3 b + c` of the entries `a`, `b`,
/// `c` there. Of two entries the interpolation is linear.
///
/// ```
/// # use ode_core::system::table::interp_cubic;
/// // Quadratic functions are met exactly.
/// const SQUARES: [f64; 4] = [0.0, 1.0, 4.0, 9.0];
/// assert_eq!(interp_cubic(&SQUARES, 2.5), 6.25);
/// ```
#[must_use]
pub fn interp_cubic<T: Float, const L: usize>(table: &[T; L], x: T) -> T {
    let (first, f) = position(table, x);
    // Entry `k` of the table with one more at each end.
    let entry = |k: usize| match k {
        0 => beyond(|k| table[k], L),
        k if k > L => beyond(|k| table[L - 1 - k], L),
        k => table[k - 1],
    };
    let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|k| entry(first + k));
    let (a, b, c) = (p1 - p0, p2 - p1, p3 - p2);
    let cubic = (a - b) + (c - b);
    let square = (b - a) - cubic;
    let half = T::one() / (T::one() + T::one());
    (half * f).mul_add(f.mul_add(f.mul_add(cubic, square), a + b), p1)
}

/// The entry at or before `x`, and how far beyond it `x` is.
fn position<T: Float, const L: usize>(table: &[T; L], x: T) -> (usize, T) {
    const { assert!(L > 0, "a table needs at least one entry") };
    let last = T::from(table.len() - 1).unwrap_or_else(T::infinity);
    let zero = T::zero();
    // Not `clamp`: a NaN stays one.
    let x = if zero > x { zero } else { x };
    let x = if last < x { last } else { x };
    let whole = x.floor();
    (whole.to_usize().unwrap_or(0), x - whole)
}

/// The entry before the first of `len`.
fn beyond<T: Float>(entry: impl Fn(usize) -> T, len: usize) -> T {
    if len == 1 {
        return entry(0);
    }
    let difference = entry(0) - entry(1);
    match len {
        2 => difference + entry(0),
        _ => (difference + difference) + (difference + entry(2)),
    }
}

/// A table with one entry more at each end, as [`interp_cubic`] has them. `M` is `L + 2`.
#[doc(hidden)]
#[must_use]
pub const fn extended<const L: usize, const M: usize>(table: &[f64; L]) -> [f64; M] {
    assert!(L > 0, "a table needs at least one entry");
    let mut all = [0.0; M];
    let mut k = 0;
    while k < L {
        all[k + 1] = table[k];
        k += 1;
    }
    // [`beyond`], which cannot be a constant function.
    let (a, b, c, d) = (table[0], all[2], table[L - 1], all[L - 1]);
    (all[0], all[L + 1]) = match L {
        1 => (a, c),
        2 => (a - b + a, c - d + c),
        _ => ((a - b + (a - b)) + (a - b + all[3]), (c - d + (c - d)) + (c - d + all[L - 2])),
    };
    all
}

/// The C++ definition of a table of numbers of type `R`.
#[doc(hidden)]
#[must_use]
pub fn device_table(name: &str, values: &[f64]) -> String {
    let entries = values.iter().map(|&value| {
        let text = crate::system::device_number(value);
        // A constant of C++ must fit.
        if value.is_finite() && (value as f32).is_infinite() {
            let infinite = crate::system::device_number(f64::INFINITY.copysign(value));
            return format!("sizeof(R) == 4 ? (R)({infinite}) : (R)({text})");
        }
        format!("(R)({text})")
    });
    let entries: Vec<String> = entries.collect();
    format!("template<class R> CONSTANT R {name}[{}] = {{{}}};\n", values.len(), entries.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAVY: [f64; 6] = [0.3, -1.1, 2.7, 0.9, 0.2, 1.7];

    /// The polynomial of Lagrange through neighbouring entries.
    fn lagrange(points: &[f64], values: &[f64], x: f64) -> f64 {
        let term = |i: usize| {
            let others = (0..points.len()).filter(|&j| j != i);
            others.fold(values[i], |p, j| p * (x - points[j]) / (points[i] - points[j]))
        };
        (0..points.len()).map(term).sum()
    }

    #[test]
    fn entries_and_ends() {
        for k in 0..WAVY.len() {
            assert_eq!(interp_linear(&WAVY, k as f64), WAVY[k]);
            assert_eq!(interp_cubic(&WAVY, k as f64), WAVY[k]);
        }
        for (x, end) in [(-0.5, 0.3), (f64::NEG_INFINITY, 0.3), (5.5, 1.7), (f64::INFINITY, 1.7)] {
            assert_eq!(interp_linear(&WAVY, x), end);
            assert_eq!(interp_cubic(&WAVY, x), end);
        }
        assert!(interp_linear(&WAVY, f64::NAN).is_nan() && interp_cubic(&WAVY, f64::NAN).is_nan());
        for x in [-1.0, 0.0, 0.5, 1.0] {
            assert_eq!((interp_linear(&[4.0], x), interp_cubic(&[4.0], x)), (4.0, 4.0));
        }
        for x in [0.0, 0.25, 1.0] {
            assert_eq!(interp_cubic(&[4.0_f32, 8.0], x), 4.0 + 4.0 * x);
        }
    }

    #[test]
    fn linear_is_the_chord() {
        for i in 0..500 {
            let x = f64::from(i) * 0.01;
            let k = x as usize;
            let chord = lagrange(&[k as f64, k as f64 + 1.0], &WAVY[k..=(k + 1).min(5)], x);
            assert!((interp_linear(&WAVY, x) - chord).abs() < 1e-14);
        }
    }

    /// Catmull and Rom's own construction (Barry and Goldman 1988): the linear blend of the
    /// parabolas through three neighbours each.
    #[test]
    fn cubic_blends_two_parabolas() {
        for i in 0..500 {
            let x = f64::from(i) * 0.01;
            let (k, f) = (x as usize, x.fract());
            let parabola = |first: usize| {
                let points = [0, 1, 2].map(|d| (first + d) as f64);
                lagrange(&points, &WAVY[first..first + 3], x)
            };
            // Where the third differences vanish the parabola beyond the end is the one before it.
            let (left, right) = (parabola(k.max(1) - 1), parabola(k.min(3)));
            let blend = (1.0 - f) * left + f * right;
            assert!((interp_cubic(&WAVY, x) - blend).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn extended_tables_are_those_of_the_function() {
        fn check<const L: usize, const M: usize>(table: [f64; L]) {
            let all: [f64; M] = extended(&table);
            assert_eq!(all[1..=L], table);
            assert_eq!(all[0], beyond(|k| table[k], L));
            assert_eq!(all[L + 1], beyond(|k| table[L - 1 - k], L));
        }
        check::<1, 3>([0.3]);
        check::<2, 4>([0.3, -1.1]);
        check::<3, 5>([0.3, -1.1, 2.7]);
        check::<6, 8>(WAVY);
    }

    #[test]
    fn device_tables_hold_any_number() {
        assert_eq!(
            device_table("t", &[1.0, -2.5, 1e300, f64::NEG_INFINITY]),
            "template<class R> CONSTANT R t[4] = {(R)(1e0), (R)(-2.5e0), sizeof(R) == 4 ? \
             (R)(__builtin_huge_val()) : (R)(1e300), (R)(-__builtin_huge_val())};\n"
        );
    }
}
