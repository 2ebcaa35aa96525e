//! Histograms on a fixed grid.

use super::weighted;
use crate::error::SummaryError;

/// The largest number of bins.
const MOST_BINS: usize = 1 << 24;

/// The grid of a histogram: bins between increasing edges.
///
/// Bin `k` has the values from edge `k` to edge `k + 1`, without edge `k + 1`. The last bin also has
/// its upper edge, as in NumPy. Values below the first edge and above the last edge are counted
/// apart. Edges are in the units of the component.
///
/// ```
/// use ode_core::summary::Histogram;
///
/// let linear = Histogram::linear(-20.0, 20.0, 80);
/// let decades = Histogram::with_edges([1e-3, 1e-2, 1e-1, 1.0, 10.0]);
/// ```
///
/// Edges that are not finite or do not increase are the error [`SummaryError::Histogram`] of the
/// solve. It contains the arguments of [`linear`](Self::linear).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Histogram {
    #[cfg_attr(feature = "serde", serde(with = "super::stored::bits"))]
    edges: Vec<f64>,
    /// The arguments of [`linear`](Self::linear), if they have no edges.
    #[cfg_attr(feature = "serde", serde(skip))]
    refused: Option<(f64, f64, usize)>,
}

impl Histogram {
    /// Creates `bins` bins of equal width from `lo` to `hi`.
    ///
    /// There are 1 to `2^24` bins, and the ends are finite and increase. Otherwise the grid has no
    /// edges, and is an error of the solve.
    pub fn linear(lo: f64, hi: f64, bins: usize) -> Self {
        let possible = lo.is_finite() && hi.is_finite() && lo < hi;
        if !(possible && (1..=MOST_BINS).contains(&bins)) {
            return Histogram { edges: Vec::new(), refused: Some((lo, hi, bins)) };
        }
        // Halves do not overflow if the width does.
        let scale = if (hi - lo).is_finite() { 1.0 } else { 0.5 };
        let (first, width) = (scale * lo, scale * hi - scale * lo);
        let between = |k: usize| (first + width * (k as f64 / bins as f64)) / scale;
        let at = |k: usize| if k == bins { hi } else { between(k) };
        Histogram { edges: (0..=bins).map(at).collect(), refused: None }
    }

    /// Creates bins between the given edges.
    pub fn with_edges(edges: impl IntoIterator<Item = f64>) -> Self {
        Histogram { edges: edges.into_iter().collect(), refused: None }
    }

    /// Returns the edges, one more than bins.
    #[must_use]
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// Returns the number of bins.
    pub(super) fn bins(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Checks the edges.
    pub(super) fn check(&self) -> Result<(), SummaryError> {
        let finite = self.edges.iter().all(|edge| edge.is_finite());
        let increasing = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        if finite && increasing && (1..=MOST_BINS).contains(&self.bins()) {
            return Ok(());
        }
        let (lo, hi, bins) = self.refused.unwrap_or_else(|| self.range());
        Err(SummaryError::Histogram { lo, hi, bins, most: MOST_BINS })
    }

    /// Returns the first and the last edge, NaN without edges, and the number of bins.
    fn range(&self) -> (f64, f64, usize) {
        let end = |edge: Option<&f64>| edge.copied().unwrap_or(f64::NAN);
        (end(self.edges.first()), end(self.edges.last()), self.bins())
    }

    /// Returns the properties of the grid, each with its name.
    pub(super) fn properties(&self, of: &str) -> [(String, String); 2] {
        let (lo, hi, bins) = self.range();
        let range = format!("{bins} bins from {lo:?} to {hi:?}");
        [(of.to_owned(), range), (format!("edges of the {of}"), format!("{:?}", self.edges))]
    }

    /// Returns the bin of a value between the first and the last edge, in two comparisons if it is
    /// `guess`.
    #[inline]
    fn bin(&self, value: f64, guess: usize) -> usize {
        let bins = self.bins();
        let is = |k: usize| self.edges[k] <= value && (value < self.edges[k + 1] || k + 1 == bins);
        if is(guess) {
            return guess;
        }
        self.edges.partition_point(|edge| *edge <= value).saturating_sub(1).min(bins - 1)
    }
}

/// The counts of a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Bins {
    pub(super) below: u64,
    pub(super) above: u64,
    pub(super) counts: Vec<u64>,
    /// The weights in units of `2^-64`, below the grid, in each bin and above; empty without weights.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::wide"))]
    pub(super) weights: Vec<u128>,
}

impl Bins {
    pub(super) fn new(grid: &Histogram, weighted: bool) -> Self {
        let bins = grid.bins();
        let weights = vec![0; if weighted { bins + 2 } else { 0 }];
        Bins { below: 0, above: 0, counts: vec![0; bins], weights }
    }

    /// Counts values; NaN does not count.
    pub(super) fn add(&mut self, grid: &Histogram, values: &[f64], weights: Option<&[f64]>) {
        let (bins, lo, hi) = (grid.bins(), grid.edges[0], grid.edges[grid.bins()]);
        let density = bins as f64 / (hi - lo);
        for (k, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let at = if *value < lo {
                self.below += 1;
                0
            } else if *value > hi {
                self.above += 1;
                bins + 1
            } else {
                // The bin of a linear grid, to rounding.
                let guess = (((value - lo) * density) as usize).min(bins - 1);
                let bin = grid.bin(*value, guess);
                self.counts[bin] += 1;
                bin + 1
            };
            if let Some(weights) = weights {
                weighted::add(&mut self.weights[at], weighted::units(weights[k]));
            }
        }
    }

    /// Adds the counts of values below, above, and in each bin.
    pub(super) fn add_counts(&mut self, more: &[u32]) {
        let counts = [&mut self.below, &mut self.above].into_iter().chain(&mut self.counts);
        counts.zip(more).for_each(|(count, more)| *count += u64::from(*more));
    }

    /// Adds the counts of other trajectories. Returns `None` if a count overflows.
    pub(super) fn merge(&mut self, other: &Bins) -> Option<()> {
        self.below = self.below.checked_add(other.below)?;
        self.above = self.above.checked_add(other.above)?;
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.checked_add(*more)?;
        }
        let weights = self.weights.iter_mut().zip(&other.weights);
        weights.for_each(|(sum, more)| weighted::add(sum, *more));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search through all edges is the reference, at edges, beside them and beyond them.
    #[test]
    fn values_are_between_their_edges() {
        let grids = [
            Histogram::linear(0.1, 0.7, 6),
            Histogram::linear(-1e300, 1e308, 1000),
            Histogram::linear(-1.7e308, 1.7e308, 4),
            Histogram::linear(-f64::MAX, f64::MAX, 999),
            Histogram::linear(1.0, 1.0 + 1e-12, 17),
            Histogram::with_edges([1e-3, 1e-2, 0.1, 1.0, 10.0]),
            Histogram::linear(-2.0, 3.0, 1),
        ];
        for grid in grids {
            grid.check().unwrap();
            let edges = grid.edges();
            let near = edges.iter().flat_map(|e| [e.next_down(), *e, e.next_up()]);
            for value in near.chain([f64::NEG_INFINITY, f64::INFINITY, 0.0, -0.0]) {
                let mut bins = Bins::new(&grid, false);
                bins.add(&grid, &[value], None);
                let (first, last) = (edges[0], edges[edges.len() - 1]);
                assert_eq!(bins.below, u64::from(value < first), "{value}");
                assert_eq!(bins.above, u64::from(value > last), "{value}");
                for (k, pair) in edges.windows(2).enumerate() {
                    let inside = pair[0] <= value && value < pair[1];
                    let is = inside || (value == last && pair[1] == last);
                    assert_eq!(bins.counts[k], u64::from(is), "{value} in bin {k}");
                }
            }
        }
    }

    #[test]
    fn impossible_grids_are_errors() {
        let nan = f64::NAN;
        for grid in [
            Histogram::linear(0.0, 1.0, 0),
            Histogram::linear(1.0, 1.0, 4),
            Histogram::linear(2.0, 1.0, 4),
            Histogram::linear(nan, 1.0, 4),
            Histogram::linear(0.0, f64::INFINITY, 4),
            Histogram::linear(1.0, 1.0_f64.next_up(), 4),
            Histogram::linear(0.0, 1.0, usize::MAX),
            Histogram::with_edges([]),
            Histogram::with_edges([1.0]),
            Histogram::with_edges([1.0, 0.0]),
        ] {
            let error = grid.check().unwrap_err();
            assert!(matches!(error, SummaryError::Histogram { .. }), "{error}");
        }
        for (lo, hi, bins, expected) in [
            (2.0, 1.0, 4, "4 bins from 2 to 1;"),
            (0.0, 1.0, 0, "0 bins from 0 to 1;"),
            (0.0, f64::INFINITY, 3, "3 bins from 0 to inf;"),
            (0.0, 1.0, 1 << 30, "1073741824 bins from 0 to 1;"),
            (1.0, 1.0_f64.next_up(), 4, "4 bins from 1 to 1.0000000000000002;"),
        ] {
            let text = Histogram::linear(lo, hi, bins).check().unwrap_err().to_string();
            assert!(text.starts_with(&format!("a histogram with {expected}")), "{text}");
        }
    }

    #[test]
    fn widths_that_overflow_have_edges() {
        let end = 2_f64.powi(1023);
        let edges = [-end, -end / 2.0, 0.0, end / 2.0, end];
        assert_eq!(Histogram::linear(-end, end, 4).edges(), edges);
    }
}
