//! Counters for quantiles, keyed by the leading bits of floating-point numbers.
//!
//! The key of a value is its sign, its exponent and the first `m` bits of its mantissa. Values with
//! one key differ by a factor below `1 + 2^-m`, so the value in the middle has a relative error of
//! at most `2^-(m + 1)`. The key is a shift of the bits: no logarithm rounds. (HdrHistogram of Gil
//! Tene and DDSketch of C. Masson, J. E. Rim and H. K. Lee, VLDB 12 (2019) 2195–2205, have
//! such counters in a logarithmic grid.) Counts are integers, so they merge in any order.

use super::extremes::Extremes;
use super::weighted;
use crate::solution::reduction::QUANTILE_BITS;

/// The least and the greatest number of bits of the mantissa.
pub(super) const BITS: [u32; 2] = QUANTILE_BITS;

/// The default number of bits of the mantissa: relative errors of at most 0.8%.
pub(super) const DEFAULT_BITS: u32 = 6;

/// Bits of the mantissa of `f64`.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;

/// The exponent of infinities.
const INFINITE: u64 = 0x7ff;

/// The number of signs and exponents.
const KEYS: usize = 1 << 12;

/// The counters of the numbers of one sign and exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Page {
    /// The position among all signs and exponents, in the order of the numbers.
    pub(super) key: u16,
    /// The counts, in the order of the numbers.
    pub(super) counts: Vec<u64>,
    /// The sums of weights in units of `2^-64`; empty without weights.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::wide"))]
    pub(super) weights: Vec<u128>,
}

/// The position of an absent page.
const ABSENT: u16 = u16::MAX;

/// The positions of the pages of some counters, by key.
#[derive(Default)]
pub(super) struct PageIndex {
    positions: Vec<u16>,
}

impl PageIndex {
    /// Replaces the positions by these of the pages of `counters`.
    pub(super) fn set(&mut self, counters: &Counters) {
        self.positions.clear();
        self.positions.resize(KEYS, ABSENT);
        for (page, at) in counters.pages.iter().zip(0..) {
            self.positions[usize::from(page.key)] = at;
        }
    }
}

/// Counters of values of all magnitudes.
///
/// Values below `2^(-1022 - m)` in magnitude count as zero. Pages of absent exponents take no
/// memory.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Counters {
    /// The number `m` of bits of the mantissa.
    pub(super) bits: u32,
    pub(super) weighted: bool,
    /// The extremes, between which all quantiles lie.
    pub(super) extremes: Extremes,
    /// Pages in the order of their keys.
    pub(super) pages: Vec<Page>,
}

impl Counters {
    pub(super) fn new(bits: u32, weighted: bool) -> Self {
        Counters { bits, weighted, extremes: Extremes::default(), pages: Vec::new() }
    }

    /// Returns the page and the counter of a value.
    #[inline]
    fn key(&self, value: f64) -> (u16, usize) {
        // The sum of a zero and 0.0 is positive.
        let bits = (value + 0.0).to_bits();
        let top = (bits >> (MANTISSA - self.bits)) as usize & ((1 << self.bits) - 1);
        let exponent = (bits >> MANTISSA & INFINITE) as u16;
        match bits >> 63 {
            0 => (0x800 + exponent, top),
            _ => (0x7ff - exponent, (1 << self.bits) - 1 - top),
        }
    }

    /// Returns the sign, the exponent and the first bits of the mantissa of a counter's numbers.
    fn leading(&self, key: u16, counter: usize) -> (f64, u64, u64) {
        let (sign, exponent, top) = match key.checked_sub(0x800) {
            Some(exponent) => (1.0, exponent, counter),
            None => (-1.0, 0x7ff - key, (1 << self.bits) - 1 - counter),
        };
        (sign, u64::from(exponent), top as u64)
    }

    /// Returns the value in the middle of a counter; infinities and zero are exact.
    fn value(&self, key: u16, counter: usize) -> f64 {
        let (sign, exponent, top) = self.leading(key, counter);
        let low = exponent << MANTISSA | top << (MANTISSA - self.bits);
        match exponent {
            INFINITE => sign * f64::INFINITY,
            0 if top == 0 => 0.0,
            _ => sign * f64::from_bits(low | 1 << (MANTISSA - self.bits - 1)),
        }
    }

    /// Counts values; NaN does not count.
    ///
    /// `index` is the index of the pages of these counters.
    pub(super) fn add(&mut self, values: &[f64], weights: Option<&[f64]>, index: &mut PageIndex) {
        for (k, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let (key, counter) = self.key(*value);
            let mut page = usize::from(index.positions[usize::from(key)]);
            if page == usize::from(ABSENT) {
                page = self.page(key);
                index.set(self);
            }
            let page = &mut self.pages[page];
            page.counts[counter] += 1;
            if let Some(weights) = weights {
                weighted::add(&mut page.weights[counter], weighted::units(weights[k]));
            }
        }
    }

    /// Returns the position of a page, which is inserted if it is absent.
    #[inline]
    fn page(&mut self, key: u16) -> usize {
        let at = self.pages.partition_point(|page| page.key < key);
        if self.pages.get(at).is_none_or(|page| page.key != key) {
            let some = 1 << self.bits;
            let weights = vec![0; if self.weighted { some } else { 0 }];
            self.pages.insert(at, Page { key, counts: vec![0; some], weights });
        }
        at
    }

    /// Adds the counts of other trajectories to a page.
    pub(super) fn add_page(&mut self, key: u16, counts: &[u32]) {
        let at = self.page(key);
        for (count, more) in self.pages[at].counts.iter_mut().zip(counts) {
            *count += u64::from(*more);
        }
    }

    /// Adds the counts of other trajectories. Returns `None` if a count overflows.
    pub(super) fn merge(&mut self, other: &Counters) -> Option<()> {
        self.extremes.merge(&other.extremes);
        for page in &other.pages {
            let at = self.page(page.key);
            for (count, more) in self.pages[at].counts.iter_mut().zip(&page.counts) {
                *count = count.checked_add(*more)?;
            }
            let weights = self.pages[at].weights.iter_mut().zip(&page.weights);
            weights.for_each(|(sum, more)| weighted::add(sum, *more));
        }
        Some(())
    }

    /// Returns the value of the first counter that `passed` accepts; NaN without one.
    fn find(&self, mut passed: impl FnMut(&Page, usize) -> bool) -> f64 {
        let counters = |page: &Page| 0..page.counts.len();
        let mut all = self.pages.iter().flat_map(|page| counters(page).map(move |at| (page, at)));
        let found = all.find(|(page, at)| passed(page, *at));
        found.map_or(f64::NAN, |(page, at)| self.value(page.key, at))
    }

    /// Returns the value of rank `rank`, from 0, among the sorted values.
    fn ranked(&self, rank: u64) -> f64 {
        let mut below = 0;
        self.find(|page, at| {
            below += page.counts[at];
            below > rank
        })
    }

    /// Returns a quantile of the `n` values, by linear interpolation between neighbours in order.
    ///
    /// `round` rounds the values that counters stand for.
    pub(super) fn quantile(&self, quantile: f64, n: u64, round: fn(f64) -> f64) -> f64 {
        let (Some(least), Some(greatest)) = (self.extremes.minimum, self.extremes.maximum) else {
            return f64::NAN;
        };
        interpolated(quantile, n, |rank| match rank {
            0 => least.value,
            rank if rank + 1 >= n => greatest.value,
            rank => round(self.ranked(rank)).clamp(least.value, greatest.value),
        })
    }

    /// Returns the counters that are not zero in order: bits of the first and the last number in
    /// order, count of smaller values, count.
    pub(super) fn ranges(&self) -> impl Iterator<Item = ([u64; 2], u64, u64)> {
        let counters = self.pages.iter().flat_map(|page| {
            page.counts.iter().enumerate().map(|(counter, count)| (page.key, counter, *count))
        });
        let mut below = 0;
        counters.filter(|(_, _, count)| *count > 0).map(move |(key, counter, count)| {
            let (sign, exponent, top) = self.leading(key, counter);
            let unknown = MANTISSA - self.bits;
            let least =
                exponent << MANTISSA | top << unknown | if sign < 0.0 { 1 << 63 } else { 0 };
            let greatest = least | ((1 << unknown) - 1);
            let bits = if sign < 0.0 { [greatest, least] } else { [least, greatest] };
            below += count;
            (bits, below - count, count)
        })
    }

    /// Returns the sum of the weights in units of `2^-64`.
    pub(super) fn total(&self) -> u128 {
        let weights = self.pages.iter().flat_map(|page| &page.weights);
        weights.fold(0, |sum: u128, more| sum.saturating_add(*more))
    }

    /// Returns the least value with a cumulative weight of at least `quantile` of the total weight.
    pub(super) fn weighted_quantile(&self, quantile: f64, round: fn(f64) -> f64) -> f64 {
        let (Some(least), Some(greatest)) = (self.extremes.minimum, self.extremes.maximum) else {
            return f64::NAN;
        };
        if quantile == 0.0 || quantile == 1.0 {
            return if quantile == 0.0 { least.value } else { greatest.value };
        }
        let (total, mut below) = (self.total(), 0_u128);
        let target = ((quantile * total as f64) as u128).clamp(1, total);
        let found = self.find(|page, at| {
            below = below.saturating_add(page.weights[at]);
            below >= target
        });
        round(found).clamp(least.value, greatest.value)
    }
}

/// Returns a quantile of `n` sorted values, as NumPy's default.
///
/// `at` returns the value of a rank. The quantile interpolates linearly between neighbours, with
/// NumPy's operations unless the difference of the neighbours is infinite.
pub(super) fn interpolated(quantile: f64, n: u64, at: impl Fn(u64) -> f64) -> f64 {
    let position = quantile * (n - 1) as f64;
    let (rank, above) = (position.floor() as u64, position.fract());
    let low = at(rank);
    let high = if above > 0.0 { at(rank + 1) } else { low };
    let difference = high - low;
    if low == high {
        low
    } else if !difference.is_finite() {
        low * (1.0 - above) + high * above
    } else if above < 0.5 {
        low + difference * above
    } else {
        high - difference * (1.0 - above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extremes::add_extremes;

    /// Returns a number in (0, 1) by a multiplicative hash.
    fn unit(i: u64) -> f64 {
        let bits = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    fn counted(bits: u32, values: &[f64]) -> Counters {
        let mut counters = Counters::new(bits, false);
        let mut index = PageIndex::default();
        index.set(&counters);
        counters.add(values, None, &mut index);
        add_extremes([&mut counters.extremes].into_iter(), 0, values);
        counters
    }

    const QUANTILES: [f64; 9] = [0.0, 1e-4, 0.05, 0.25, 0.5, 0.75, 0.95, 0.9999, 1.0];

    /// Sorting is the reference, by NumPy's rule, also for heavy tails and both signs.
    #[test]
    fn quantiles_have_the_relative_error() {
        type Law = fn(f64) -> f64;
        let laws: [Law; 5] = [
            |u| (3.0 * (u - 0.5)).tan(),
            |u| u.powf(-3.0),
            |u| (10.0 * (u - 0.5)).exp(),
            |u| 1e300 * (u - 0.3),
            |u| (40.0 * (u - 0.5)).sinh(),
        ];
        for law in laws {
            for n in [1, 2, 3, 10_000] {
                let values: Vec<f64> = (0..n).map(|i| law(unit(i))).collect();
                let mut sorted = values.clone();
                sorted.sort_by(f64::total_cmp);
                for bits in [1, 4, 6, 10, 14] {
                    let counters = counted(bits, &values);
                    let bound = 0.5_f64.powi(bits as i32 + 1) * (1.0 + 1e-12);
                    for q in QUANTILES {
                        let position = q * (n - 1) as f64;
                        let low = sorted[position as usize];
                        let high = sorted[position.ceil() as usize];
                        let exact = low + (high - low) * position.fract();
                        let error = (counters.quantile(q, n, |x| x) - exact).abs();
                        let size = low.abs().max(high.abs());
                        assert!(error <= bound * size, "{n} {bits} {q}: {error} of {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn zeros_infinities_and_constants_are_exact() {
        let inf = f64::INFINITY;
        let quantile =
            |values: &[f64], q| counted(6, values).quantile(q, values.len() as u64, |x| x);
        assert_eq!(quantile(&[0.0, -0.0, 0.0, 5.0, -3.0], 0.5).to_bits(), 0);
        assert_eq!(quantile(&[-inf, -inf, 1.0, inf, inf], 0.25), -inf);
        assert_eq!(quantile(&[-inf, -inf, 1.0, inf, inf], 0.75), inf);
        assert_eq!(quantile(&[5.1; 7], 0.3), 5.1);
        assert_eq!(quantile(&[-5.1; 7], 0.3), -5.1);
        let tiny = f64::from_bits(1);
        assert_eq!(quantile(&[tiny; 3], 0.5), tiny);
        assert_eq!(quantile(&[-1.0, tiny, 1.0], 0.5), 0.0);
        let normal = f64::MIN_POSITIVE * 1.3;
        assert!((quantile(&[-1.0, normal, 1.0], 0.5) / normal - 1.0).abs() <= 0.5 / 64.0);
        assert!((quantile(&[0.0, f64::MAX, inf], 0.5) / f64::MAX - 1.0).abs() <= 0.5 / 64.0);
        assert!(Counters::new(6, false).quantile(0.5, 0, |x| x).is_nan());
    }

    /// Keys have the order of the values, and each value is in its own counter.
    #[test]
    fn keys_are_in_the_order_of_values() {
        let counters = Counters::new(6, false);
        let positive = [0.0, 1e-310, 1e-300, 0.1, 1.0, 1.01, 1.02, 3.0, 1e300, f64::INFINITY];
        let negative = positive.iter().rev().map(|x| -x);
        let values: Vec<f64> = negative.chain(positive).collect();
        let keys: Vec<_> = values.iter().map(|x| counters.key(*x)).collect();
        assert!(keys.is_sorted());
        for (value, (key, counter)) in values.iter().zip(keys) {
            let middle = counters.value(key, counter);
            assert!(counters.key(middle) == (key, counter) || middle == 0.0);
            let near = (middle - value).abs() <= value.abs() / 128.0 || value.abs() < 1e-309;
            assert!(middle == *value || near, "{value}: {middle}");
        }
    }

    /// Integer weights are repetitions, and a pass over the sorted values is the reference.
    #[test]
    fn weighted_quantiles_invert_the_distribution() {
        let values: Vec<f64> = (0..1000).map(|i| (3.0 * (unit(i) - 0.5)).tan()).collect();
        let weight = |i: usize| (i % 7) as f64 * 0.5_f64.powi((i % 60) as i32);
        let weights: Vec<f64> = (0..1000).map(weight).collect();
        let mut all = Counters::new(10, true);
        let mut index = PageIndex::default();
        index.set(&all);
        for (values, weights) in values.chunks(64).zip(weights.chunks(64)) {
            let some = |(x, w): (&f64, &f64)| if *w > 0.0 { *x } else { f64::NAN };
            let values: Vec<f64> = values.iter().zip(weights).map(some).collect();
            all.add(&values, Some(weights), &mut index);
            add_extremes([&mut all.extremes].into_iter(), 0, &values);
        }
        let mut sorted: Vec<(f64, f64)> = values.into_iter().zip(weights).collect();
        sorted.retain(|(_, w)| *w > 0.0);
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = sorted.iter().map(|(_, w)| w).sum();
        assert!((weighted::weight(all.total()) / total - 1.0).abs() < 1e-14);
        for q in QUANTILES {
            let mut below = 0.0;
            let exact = sorted.iter().find(|(_, w)| {
                below += w;
                below >= q * total
            });
            let exact = exact.unwrap().0;
            let error = all.weighted_quantile(q, |x| x) - exact;
            assert!(error.abs() <= exact.abs() / 2048.0, "{q}: {error} of {exact}");
        }
    }

    #[test]
    fn full_counters_are_refused() {
        let mut one = counted(6, &[1.0]);
        let mut full = one.clone();
        full.pages[0].counts[0] = u64::MAX;
        assert_eq!(one.merge(&full), None);
        let mut low = counted(6, &[-1.0, 1.0]);
        low.merge(&counted(6, &[1.0, 40.0])).unwrap();
        let expected = counted(6, &[-1.0, 1.0, 1.0, 40.0]);
        assert_eq!(low.pages, expected.pages);
    }
}
