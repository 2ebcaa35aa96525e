//! Exact order statistics by several passes over the ensemble, in constant memory.
//!
//! This is a selection by the digits of keys, from the highest digit (D. E. Knuth, "The Art of
//! Computer Programming", volume 3, section 5.2.5). Keys are integers in the order of the
//! floating-point numbers. The counters of the first pass give an interval of keys for each rank. A
//! further pass counts the keys of each interval in 4096 parts, and its result is a part of the
//! interval. If an interval has few values, the pass stores all of them. A trajectory is a function
//! of its index, so each pass has the same values.

use super::counters::{Counters, interpolated};
use super::numbers::Numbers;
use super::summaries::Summaries;
use crate::error::SummaryError;
use crate::lane::Scalar;

/// The digit that a pass resolves, in bits.
const DIGIT: u32 = 12;

/// The largest number of values that a pass stores of an interval.
const STORED: u64 = 1 << DIGIT;

/// The bit of the sign.
const SIGN: u64 = 1 << 63;

/// The keys of the numbers of one precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    /// The number of the last bits of an `f64` that are zero in each number of this precision.
    zeros: u32,
}

impl Keys {
    /// Returns the keys of the numbers of type `T`.
    pub(super) fn of<T: Scalar>() -> Self {
        Keys { zeros: if size_of::<T>() == size_of::<f32>() { 29 } else { 0 } }
    }

    /// Returns the key of the bits of a number.
    fn of_bits(self, bits: u64) -> u64 {
        (if bits & SIGN == 0 { bits | SIGN } else { !bits }) >> self.zeros
    }

    /// Returns the key of a number that is not NaN.
    #[inline]
    pub(super) fn key(self, value: f64) -> u64 {
        // The sum of a zero and 0.0 is positive.
        self.of_bits((value + 0.0).to_bits())
    }

    /// Returns the number of a key.
    fn value(self, key: u64) -> f64 {
        let key = key << self.zeros;
        let last = (1 << self.zeros) - 1;
        f64::from_bits(if key & SIGN == 0 { !(key | last) } else { key & !SIGN })
    }
}

/// The numbers of a pass in an interval of keys.
#[derive(Clone, Debug)]
enum Tally {
    /// The keys themselves.
    Keys(Vec<u64>),
    /// The numbers of keys in equal parts of `2^shift` keys, with the least and the greatest key.
    Parts { shift: u32, counts: Vec<u64>, bounds: [u64; 2] },
}

/// An interval of keys with the values of some ranks.
#[derive(Clone, Debug)]
struct Interval {
    /// The least and the greatest key.
    bounds: [u64; 2],
    /// The number of values below the interval.
    below: u64,
    /// The number of values in the interval.
    count: u64,
    ranks: Vec<u64>,
    tally: Tally,
}

impl Interval {
    fn new(bounds: [u64; 2], below: u64, count: u64, ranks: Vec<u64>) -> Self {
        let width = bounds[1] - bounds[0];
        let shift = (u64::BITS - width.leading_zeros()).saturating_sub(DIGIT);
        let tally = match count <= STORED {
            true => Tally::Keys(Vec::new()),
            false => Tally::Parts {
                shift,
                counts: vec![0; (width >> shift) as usize + 1],
                bounds: [u64::MAX, 0],
            },
        };
        Interval { bounds, below, count, ranks, tally }
    }

    /// Counts a key.
    #[inline]
    fn add(&mut self, key: u64) {
        let [lo, hi] = self.bounds;
        if !(lo..=hi).contains(&key) {
            return;
        }
        match &mut self.tally {
            // More keys than expected are an error later.
            Tally::Keys(keys) if keys.len() as u64 > STORED => {}
            Tally::Keys(keys) => keys.push(key),
            Tally::Parts { shift, counts, bounds } => {
                counts[((key - lo) >> *shift) as usize] += 1;
                *bounds = [bounds[0].min(key), bounds[1].max(key)];
            }
        }
    }

    /// Returns smaller intervals with the ranks, after all keys were counted.
    fn split(self) -> Result<Vec<Interval>, SummaryError> {
        let Interval { bounds: [lo, hi], below, count, ranks, tally } = self;
        let check = |found: u64| match found == count {
            true => Ok(()),
            false => Err(SummaryError::Passes { expected: count, found }),
        };
        match tally {
            Tally::Keys(mut keys) => {
                check(keys.len() as u64)?;
                keys.sort_unstable();
                let of = |rank: u64| {
                    let key = keys[(rank - below) as usize];
                    Interval::new([key; 2], rank, 1, vec![rank])
                };
                Ok(ranks.into_iter().map(of).collect())
            }
            Tally::Parts { shift, counts, bounds: [least, greatest] } => {
                check(counts.iter().sum())?;
                let (mut all, mut below) = (Vec::new(), below);
                for (part, count) in counts.into_iter().enumerate() {
                    let inside = |rank: &u64| (below..below + count).contains(rank);
                    let ranks: Vec<u64> = ranks.iter().copied().filter(inside).collect();
                    if !ranks.is_empty() {
                        let first = lo + ((part as u64) << shift);
                        let last = first.saturating_add((1 << shift) - 1);
                        let bounds = [first.max(least), last.min(greatest).min(hi)];
                        all.push(Interval::new(bounds, below, count, ranks));
                    }
                    below += count;
                }
                Ok(all)
            }
        }
    }
}

/// The search for order statistics among the values of a cell.
#[derive(Clone, Debug)]
pub(super) struct Search {
    keys: Keys,
    /// Disjoint intervals in order that contain several keys.
    open: Vec<Interval>,
    /// The ranks with known values.
    found: Vec<(u64, f64)>,
}

impl Search {
    /// Creates the search for quantiles of `n` values, with the counters of a first pass.
    fn new(keys: Keys, counters: &Counters, n: u64, levels: &[f64]) -> Self {
        let mut search = Search { keys, open: Vec::new(), found: Vec::new() };
        let (Some(least), Some(greatest)) = (counters.extremes.minimum, counters.extremes.maximum)
        else {
            return search;
        };
        // The function returns the neighbours of quantiles, between which they interpolate.
        let ranks = core::cell::RefCell::new(Vec::new());
        for level in levels {
            interpolated(*level, n, |rank| {
                ranks.borrow_mut().push(rank);
                rank as f64
            });
        }
        let mut ranks = ranks.into_inner();
        ranks.sort_unstable();
        ranks.dedup();
        let ends = [least, greatest].map(|end| keys.key(end.value));
        for (bits, below, count) in counters.ranges() {
            let inside = |rank: &u64| (below..below + count).contains(rank);
            let some: Vec<u64> = ranks.iter().copied().filter(inside).collect();
            if !some.is_empty() {
                let [lo, hi] = bits.map(|bits| keys.of_bits(bits));
                let bounds = [lo.max(ends[0]), hi.min(ends[1])];
                search.insert(Interval::new(bounds, below, count, some));
            }
        }
        search
    }

    /// Inserts an interval; an interval of one key is found.
    fn insert(&mut self, interval: Interval) {
        let [lo, hi] = interval.bounds;
        if lo == hi {
            let value = self.keys.value(lo);
            self.found.extend(interval.ranks.iter().map(|rank| (*rank, value)));
        } else {
            self.open.push(interval);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Counts values; NaN does not count.
    pub(super) fn add(&mut self, values: &[f64]) {
        for value in values.iter().filter(|value| !value.is_nan()) {
            let key = self.keys.key(*value);
            self.open.iter_mut().for_each(|interval| interval.add(key));
        }
    }

    /// Refines all intervals after a pass.
    fn refine(&mut self) -> Result<(), SummaryError> {
        for interval in core::mem::take(&mut self.open) {
            interval.split()?.into_iter().for_each(|part| self.insert(part));
        }
        Ok(())
    }

    /// Returns a quantile of `n` values from its neighbours.
    fn quantile(&self, level: f64, n: u64) -> f64 {
        let at = |rank: u64| {
            let found = self.found.iter().find(|(known, _)| *known == rank);
            found.map_or(f64::NAN, |(_, value)| *value)
        };
        if n == 0 { f64::NAN } else { interpolated(level, n, at) }
    }
}

/// The searches for the exact quantiles of a summary, one for each cell.
pub(crate) struct Selection {
    pub(super) searches: Vec<Search>,
}

impl Selection {
    /// Refines all searches after a pass over all trajectories.
    ///
    /// # Errors
    /// [`SummaryError::Passes`] if the pass had other values than the one before.
    pub(crate) fn refine(&mut self) -> Result<(), SummaryError> {
        self.searches.iter_mut().try_for_each(Search::refine)
    }

    /// Returns whether a further pass is necessary.
    pub(crate) fn is_open(&self) -> bool {
        self.searches.iter().any(Search::is_open)
    }
}

impl Summaries {
    /// Returns the searches for exact quantiles; `None` if the summary has none.
    pub(crate) fn selection<T: Scalar>(&self) -> Option<Selection> {
        let levels = self.statistics.exact.as_ref()?;
        let cells = self.cells.iter();
        let cells = cells.filter_map(|cell| Some((cell.count, cell.counters.as_ref()?)));
        let searches = cells.map(|(n, of)| Search::new(Keys::of::<T>(), of, n, &levels.0));
        Some(Selection { searches: searches.collect() })
    }

    /// Stores the results of a selection that is not open.
    pub(crate) fn set_exact(&mut self, selection: &Selection) {
        let Some(levels) = &self.statistics.exact else { return };
        let all = self.cells.iter().zip(&selection.searches);
        let of = levels.0.iter().flat_map(|level| {
            all.clone().map(|(cell, search)| search.quantile(*level, cell.count))
        });
        self.exact = Some(Numbers(of.collect()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::counters::PageIndex;
    use crate::summary::extremes::add_extremes;

    const LEVELS: [f64; 9] = [0.0, 1e-5, 0.05, 0.25, 0.5, 0.75, 0.9, 0.99999, 1.0];

    /// Returns a number in (0, 1) by a multiplicative hash.
    fn unit(i: u64) -> f64 {
        let bits = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Returns the quantiles and the number of passes after the first one.
    fn select(keys: Keys, values: &[f64], levels: &[f64]) -> (Vec<f64>, usize) {
        let mut counters = Counters::new(6, false);
        let mut index = PageIndex::default();
        index.set(&counters);
        counters.add(values, None, &mut index);
        add_extremes([&mut counters.extremes].into_iter(), 0, values);
        let n = values.iter().filter(|x| !x.is_nan()).count() as u64;
        let mut search = Search::new(keys, &counters, n, levels);
        let mut passes = 0;
        while search.is_open() {
            values.chunks(1000).for_each(|some| search.add(some));
            search.refine().unwrap();
            passes += 1;
        }
        (levels.iter().map(|level| search.quantile(*level, n)).collect(), passes)
    }

    /// Returns a quantile of sorted values by NumPy's formulas.
    fn numpy(sorted: &[f64], level: f64) -> f64 {
        let position = level * (sorted.len() - 1) as f64;
        let (a, b) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
        let t = position - position.floor();
        let difference = b - a;
        if t < 0.5 { a + difference * t } else { b - difference * (1.0 - t) }
    }

    /// Sorting is the reference, for heavy tails, ties, atoms and neighbours of one counter.
    #[test]
    fn quantiles_are_those_of_sorted_values() {
        type Law = fn(f64) -> f64;
        let laws: [Law; 8] = [
            |u| (core::f64::consts::PI * (u - 0.5)).tan(),
            |u| u.powf(-3.0),
            |u| (300.0 * (u - 0.5)).sinh(),
            |u| -1.0 - u * 1e-12,
            |u| (u * 7.0).floor() - 3.0,
            |u| if u < 0.4 { -0.0 } else { (u - 0.6).max(0.0) },
            |u| 1e308 * (2.0 * u - 1.0).powi(3),
            |u| f64::from_bits((u * 1e6) as u64),
        ];
        for (law, of) in laws.iter().enumerate() {
            for n in [1, 2, 3, 100, 30_000, 200_000] {
                let values: Vec<f64> = (0..n).map(|i| of(unit(i)) + 0.0).collect();
                let mut sorted = values.clone();
                sorted.sort_by(f64::total_cmp);
                let (found, passes) = select(Keys::of::<f64>(), &values, &LEVELS);
                for (level, found) in LEVELS.iter().zip(found) {
                    let expected = numpy(&sorted, *level);
                    assert_eq!(found.to_bits(), expected.to_bits(), "law {law}, {n}, {level}");
                }
                assert!(passes <= 4, "law {law}, {n}: {passes} passes");
                assert!(passes <= 1 || n > STORED, "law {law}, {n}: {passes} passes");
            }
        }
    }

    /// Numbers of `f32` have half of the digits.
    #[test]
    fn single_precision_takes_fewer_passes() {
        for scale in [1.0, -1e-41, 1e37] {
            let values: Vec<f64> =
                (0..300_000).map(|i| f64::from((scale * (1.0 + 1e-5 * unit(i))) as f32)).collect();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let (found, passes) = select(Keys::of::<f32>(), &values, &LEVELS);
            for (level, found) in LEVELS.iter().zip(found) {
                assert_eq!(found.to_bits(), numpy(&sorted, *level).to_bits(), "{scale} {level}");
            }
            assert!(passes <= 2, "{scale}: {passes} passes");
        }
    }

    #[test]
    fn keys_have_the_order_of_numbers() {
        let positive = [0.0_f32, 1e-45, 1e-38, 0.1, 1.0, 1.5, 3e38, f32::INFINITY];
        let negative = positive.iter().skip(1).rev().map(|x| -x);
        let all: Vec<f64> = negative.chain(positive).map(f64::from).collect();
        for keys in [Keys::of::<f64>(), Keys::of::<f32>()] {
            let of: Vec<u64> = all.iter().map(|x| keys.key(*x)).collect();
            assert!(of.is_sorted_by(|a, b| a < b));
            assert!(of.iter().zip(&all).all(|(key, x)| keys.value(*key).to_bits() == x.to_bits()));
            assert_eq!(keys.value(keys.key(-0.0)).to_bits(), 0);
        }
    }

    #[test]
    fn infinities_and_absent_values() {
        let inf = f64::INFINITY;
        let of = |values: &[f64], level| select(Keys::of::<f64>(), values, &[level]).0[0];
        assert_eq!(of(&[-inf, f64::NAN, -inf, 1.0, inf, inf], 0.25), -inf);
        assert_eq!(of(&[-inf, -inf, 1.0, inf, inf], 0.5), 1.0);
        assert_eq!(of(&[-inf, 1.0, inf], 0.6), inf);
        assert!(of(&[-inf, inf], 0.5).is_nan());
        assert_eq!(of(&[-f64::MAX, f64::MAX], 0.5), 0.0);
        assert!(of(&[f64::NAN], 0.5).is_nan() && of(&[], 0.5).is_nan());
        let mut many = vec![-inf; 6000];
        many.extend([2.5; 6000]);
        assert_eq!([0.0, 0.4, 0.6, 1.0].map(|q| of(&many, q)), [-inf, -inf, 2.5, 2.5]);
    }

    /// A pass with other values is an error: more, fewer, or others.
    #[test]
    fn passes_must_have_the_same_values() {
        for n in [1000, 50_000] {
            let values: Vec<f64> = (0..n).map(|i| 1.0 + 0.001 * unit(i)).collect();
            let mut counters = Counters::new(6, false);
            let mut index = PageIndex::default();
            index.set(&counters);
            counters.add(&values, None, &mut index);
            add_extremes([&mut counters.extremes].into_iter(), 0, &values);
            let search = || Search::new(Keys::of::<f64>(), &counters, n, &[0.5]);
            let shifted: Vec<f64> = values.iter().map(|x| x + 1.0).collect();
            let more = [values.as_slice(), values.as_slice()].concat();
            for other in [&values[1..], &more, &shifted] {
                let mut search = search();
                search.add(other);
                let error = search.refine().unwrap_err();
                assert!(matches!(error, SummaryError::Passes { .. }), "{error}");
            }
        }
    }
}
