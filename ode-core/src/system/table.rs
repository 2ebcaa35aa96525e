//! Interpolation in tables.
//!
//! The entries belong to equally spaced points, except in [`interp_linear_at`]. A position is measured in entries: 0 at the first
//! one and `L - 1` at the last one. For a table over `x0`, `x0 + h`, … the position is
//! `(x - x0) / h`. Outside of the table the value is the entry of the nearer end. A NaN gives a
//! NaN.
//!
//! Right-hand sides may call these functions. The code that `#[ode_system]` generates for a call
//! gives the same bits in `f64`.

use num_traits::Float;

/// Interpolates linearly in a table of equally spaced points.
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

/// Interpolates linearly between points at uneven abscissae.
///
/// Point `k` has the abscissa `abscissae[k]` and the value `values[k]`. The abscissae ascend. Where
/// two of them are equal, the function jumps, and the value there is that of the later point.
/// Outside of the points the value is the one at the nearer end. A NaN gives a NaN.
///
/// This is NumPy's `interp(x, abscissae, values)`.
///
/// ```
/// # use ode_core::system::table::interp_linear_at;
/// const TIMES: [f64; 4] = [0.0, 1.0, 4.0, 4.0];
/// const RAIN: [f64; 4] = [2.0, 0.5, 2.0, 7.0];
/// assert_eq!(interp_linear_at(&TIMES, &RAIN, 3.0), 1.5);
/// assert_eq!(interp_linear_at(&TIMES, &RAIN, 4.0), 7.0);
/// assert_eq!(interp_linear_at(&TIMES, &RAIN, -1.0), 2.0);
/// ```
#[must_use]
pub fn interp_linear_at<T: Float, const L: usize>(abscissae: &[T; L], values: &[T; L], x: T) -> T {
    const { assert!(L > 0, "an interpolation needs at least one point") };
    let first = (1..L).rfind(|&k| x >= abscissae[k]).unwrap_or(0);
    let [(a, p), (b, q)] =
        [0, 1].map(|k| (first + k).min(L - 1)).map(|k| (abscissae[k], values[k]));
    let width = b - a;
    let width = if width > T::zero() { width } else { T::one() };
    // Not `clamp`: a NaN must stay a NaN.
    let x = if abscissae[0] > x { abscissae[0] } else { x };
    let x = if abscissae[L - 1] < x { abscissae[L - 1] } else { x };
    ((x - a) / width).mul_add(q - p, p)
}

/// Interpolates cubically in a table of equally spaced points.
///
/// Between two entries the function is the cubic polynomial through both. Its slope at each of them
/// equals the slope of the chord between the neighbours (Catmull and Rom 1974; the cubic
/// convolution of Keys 1981).
///
/// The interpolation has a continuous derivative and an error of third order in the spacing. Beyond
/// each end Keys adds an entry such that the third differences vanish, `3 a - 3 b + c` of the
/// entries `a`, `b`, `c` there. With two entries the interpolation is linear.
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

/// Returns the index of the entry at or before `x`, and the distance of `x` from it.
fn position<T: Float, const L: usize>(table: &[T; L], x: T) -> (usize, T) {
    const { assert!(L > 0, "a table needs at least one entry") };
    let last = T::from(table.len() - 1).unwrap_or_else(T::infinity);
    let zero = T::zero();
    // Not `clamp`: a NaN must stay a NaN.
    let x = if zero > x { zero } else { x };
    let x = if last < x { last } else { x };
    let whole = x.floor();
    (whole.to_usize().unwrap_or(0), x - whole)
}

/// Returns the entry before the first of `len` entries.
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

/// Returns a table with one more entry at each end, for [`interp_cubic`].
///
/// `M` is `L + 2`.
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
    // As `beyond`, which cannot be a constant function.
    let (a, b, c, d) = (table[0], all[2], table[L - 1], all[L - 1]);
    (all[0], all[L + 1]) = match L {
        1 => (a, c),
        2 => (a - b + a, c - d + c),
        _ => ((a - b + (a - b)) + (a - b + all[3]), (c - d + (c - d)) + (c - d + all[L - 2])),
    };
    all
}

/// Greatest deviation of a table from the chords between its bends, relative to the range of its
/// entries.
const BEND: f64 = 1.0 / 65_536.0;

/// The position of a knot beyond all tables.
const NO_KNOT: f64 = 1e30;

/// Returns the nearest knots at which a table bends, for each knot and one more.
///
/// An entry is the index of the first bend at or after the knot or, if `behind`, of the last bend
/// before it. `M` is `L + 1`.
///
/// Between two bends the table deviates from their chord by at most 1.5e-5 of the range of its
/// entries; outside of the bends it is constant. A non-finite entry is a bend. A cubic
/// interpolation also changes between a bend and its neighbours, so the neighbours are bends, too.
#[doc(hidden)]
#[must_use]
pub const fn knots<const L: usize, const M: usize>(
    table: &[f64; L],
    behind: bool,
    cubic: bool,
) -> [f64; M] {
    let bends = bends(table, cubic);
    let mut all = [if behind { -NO_KNOT } else { NO_KNOT }; M];
    let mut k = 0;
    while k < L {
        if behind {
            all[k + 1] = if bends[k] { k as f64 } else { all[k] };
        } else {
            let at = L - 1 - k;
            all[at] = if bends[at] { at as f64 } else { all[at + 1] };
        }
        k += 1;
    }
    all
}

/// Returns for each knot whether the table bends there.
///
/// A table bends at a knot if no line from the last bend meets all entries since then and the next
/// one.
const fn bends<const L: usize>(table: &[f64; L], cubic: bool) -> [bool; L] {
    let (mut low, mut high) = (table[0], table[0]);
    let mut k = 0;
    while k < L {
        low = if table[k] < low { table[k] } else { low };
        high = if table[k] > high { table[k] } else { high };
        k += 1;
    }
    let most = (high - low) * BEND;
    let mut bends = [false; L];
    // The index of the last bend, counted from one; zero is the flat side before the table.
    let mut from = 0;
    let (mut least, mut greatest) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut next = 1;
    while next <= L + 1 {
        let (a, b) = (around(table, from), around(table, next));
        let length = (next - from) as f64;
        let slope = (b - a) / length;
        if slope >= least && slope <= greatest {
            let (below, above) = (slope - most / length, slope + most / length);
            least = if below > least { below } else { least };
            greatest = if above < greatest { above } else { greatest };
            next += 1;
        } else if next - from == 1 {
            // A non-finite entry.
            if next <= L {
                bends[next - 1] = true;
            }
            from = next;
            (least, greatest) = (f64::NEG_INFINITY, f64::INFINITY);
            next += 1;
        } else {
            from = next - 1;
            bends[from - 1] = true;
            (least, greatest) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    if !cubic {
        return bends;
    }
    let mut all = bends;
    let mut k = 0;
    while k < L {
        if bends[k] {
            all[k.saturating_sub(1)] = true;
            all[if k + 1 < L { k + 1 } else { k }] = true;
        }
        k += 1;
    }
    all
}

/// Returns entry `k`, counted from one, or the nearest entry outside of the table.
const fn around<const L: usize>(table: &[f64; L], k: usize) -> f64 {
    match k {
        0 => table[0],
        _ if k > L => table[L - 1],
        _ => table[k - 1],
    }
}

/// Returns the C++ definition of a table of numbers of type `R`.
#[doc(hidden)]
#[must_use]
pub fn device_table(name: &str, values: &[f64]) -> String {
    let entries = values.iter().map(|&value| {
        let text = crate::system::device_number(value);
        // A C++ constant must be representable in its type.
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

    /// The Lagrange polynomial through neighbouring entries.
    fn lagrange(points: &[f64], values: &[f64], x: f64) -> f64 {
        let term = |i: usize| {
            let others = (0..points.len()).filter(|&j| j != i);
            others.fold(values[i], |p, j| p * (x - points[j]) / (points[i] - points[j]))
        };
        (0..points.len()).map(term).sum()
    }

    /// Returns the indices of the knots at which a table bends.
    fn bent<const L: usize, const M: usize>(table: &[f64; L], cubic: bool) -> Vec<usize> {
        let (ahead, behind): ([f64; M], [f64; M]) =
            (knots(table, false, cubic), knots(table, true, cubic));
        let found: Vec<usize> = (0..L).filter(|&k| ahead[k] == k as f64).collect();
        for k in 0..M {
            let next = found.iter().find(|&&bend| bend >= k).map_or(NO_KNOT, |&bend| bend as f64);
            let last = found.iter().rfind(|&&bend| bend < k).map_or(-NO_KNOT, |&bend| bend as f64);
            assert_eq!((ahead[k], behind[k]), (next, last), "{table:?} {k}");
        }
        found
    }

    #[test]
    fn tables_bend_where_their_chords_do() {
        assert!(bent::<1, 2>(&[2.5], false).is_empty());
        assert!(bent::<4, 5>(&[2.5; 4], false).is_empty());
        assert_eq!(bent::<4, 5>(&[0.1, 0.2, 0.3, 0.4], false), [0, 3]);
        assert_eq!(bent::<7, 8>(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], false), [2, 3, 4]);
        assert_eq!(bent::<4, 5>(&[1.0, f64::NAN, 1.0, 1.0], false), [0, 1, 2]);
        assert_eq!(bent::<5, 6>(&[0.0, 0.0, 1.0, 1.0, 1.0], true), [0, 1, 2, 3]);
        // Between two bends the table is near their chord.
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f64 / (1_u64 << 24) as f64
        };
        for _ in 0..50 {
            let (slow, small) = (0.005 * next(), 1e-4 * next());
            let mut table = [0.0; 200];
            for (k, entry) in table.iter_mut().enumerate() {
                *entry = (slow * k as f64).sin() + if k % 50 == 7 { small } else { 0.0 };
            }
            let range = table.iter().fold(0.0_f64, |most, x| most.max(*x))
                - table.iter().fold(0.0_f64, |least, x| least.min(*x));
            let bends = bent::<200, 201>(&table, false);
            assert!(bends.len() < 150, "{}", bends.len());
            for pair in bends.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                for k in a..b {
                    let part = (k - a) as f64 / (b - a) as f64;
                    let chord = table[a] + part * (table[b] - table[a]);
                    assert!((table[k] - chord).abs() <= 1.001 * BEND * range, "{a} {k} {b}");
                }
            }
        }
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

    /// The construction of Catmull and Rom (Barry and Goldman 1988): the linear blend of the
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
            // If the third differences vanish, the parabola beyond the end is the one before it.
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
