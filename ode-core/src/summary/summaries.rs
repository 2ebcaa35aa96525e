//! The results of a reduction.

use super::cell::Cell;
use super::counters::Counters;
use super::histogram::{Bins, Histogram};
use super::numbers::Numbers;
use super::request::{Statistics, check_quantile, event_position, position};
use super::tree::Forest;
use super::weighted::{self, RowForm};
use crate::error::SummaryError;
use crate::solution::{ReturnCode, RunReport};
use core::ops::Range;
use ndarray::{Array1, Array2, Array3};

/// Statistics of an ensemble at each saved time, of states and observables.
///
/// [`EnsembleProblem::reduce`](crate::EnsembleProblem::reduce) returns them. Arrays have the axes
/// time and component. [`times`](Self::times) and [`names`](Self::names) label the axes. The
/// components are the saved numbers: states, then observables, as
/// [`SolveOptions::saving`](crate::SolveOptions::saving()) selects. If no times are saved, the
/// arrays have one time, and the components are the final states.
///
/// # Trajectories that count
///
/// A failed trajectory contributes to no statistic at any time, so all times describe the same
/// population. [`code_counts`](Self::code_counts) counts the failures. A trajectory that an event
/// ended is a success, and contributes at the times that it reached. A NaN contributes nothing, as
/// of an observable outside its domain. [`count`](Self::count) has the number of values of each
/// component at each time.
///
/// Infinities are values. With one infinity among several values, the mean and the variance are
/// infinite. (NumPy's variance is NaN.) With more infinities or with
/// [weights](super::Summary::weighted_by), both are infinite or NaN. Sums of finite values may
/// overflow, with the same results: the sum of `n` values if they exceed `1e308 / n`, and the variance if
/// they exceed `1e308 / n^2` or deviations exceed `1e154 / sqrt(n)`.
///
/// [`Summary::given`](super::Summary::given) restricts all statistics further.
///
/// # Merging
///
/// [`merge`](Self::merge) joins summaries of disjoint [shards](crate::EnsembleProblem::shard), in
/// any order, with the same bits as one run.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::Unchecked"))]
pub struct Summaries {
    pub(super) statistics: Statistics,
    /// The properties of the solve that shards share, each with its name.
    pub(super) solve: Vec<(String, String)>,
    pub(super) names: Vec<String>,
    /// The saved times; empty for final states.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::bits"))]
    pub(super) times: Vec<f64>,
    /// Whether the components are final states.
    pub(super) finals: bool,
    /// The indices of all trajectories, in order and not adjacent.
    pub(super) ranges: Vec<Range<u64>>,
    /// The number of trajectories with each return code.
    pub(super) codes: Vec<u64>,
    /// The statistics of each number, `[time * width + component]`.
    pub(super) cells: Vec<Cell>,
    /// The moments of all components at each time.
    pub(super) joint: Option<Vec<Forest>>,
    /// The names of the events of the system.
    pub(super) event_names: Vec<String>,
    /// The names of the events that are logged.
    pub(super) logged_names: Vec<String>,
    /// The statistics of the counts of events.
    pub(super) events: Option<Box<Summaries>>,
    /// The statistics of the times of logged events.
    pub(super) event_times: Option<Box<Summaries>>,
    /// The exact quantiles, `[quantile * cells + cell]`, if all passes are finished.
    pub(super) exact: Option<Numbers>,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) report: Option<RunReport>,
}

impl Summaries {
    /// Creates the summary of no trajectories.
    ///
    /// `times` is `None` for final states. The last names are those of all events, and of the logged
    /// ones.
    pub(super) fn new(
        statistics: Statistics,
        solve: Vec<(String, String)>,
        names: Vec<String>,
        times: Option<Vec<f64>>,
        [event_names, logged_names]: [Vec<String>; 2],
    ) -> Result<Self, SummaryError> {
        let grids = statistics.grids(&names);
        let slots = times.as_ref().map_or(1, Vec::len);
        let row = grids.iter().map(|grid| Cell::new(&statistics, grid.as_ref()));
        let row: Vec<Cell> = row.collect();
        let cells = (0..slots).flat_map(|_| row.iter().cloned()).collect();
        let joint = statistics.covariance.then(|| vec![Forest::default(); slots]);
        let of_counts = statistics.event_counts.then(|| statistics.of_counts());
        let none = || [Vec::new(), Vec::new()];
        let events = of_counts.map(|statistics| {
            Summaries::new(statistics, Vec::new(), event_names.clone(), None, none())
        });
        let events = events.transpose()?.map(Box::new);
        let occurrences = statistics.event_times;
        let of_times = (occurrences > 0).then(|| statistics.of_times());
        let event_times = of_times.map(|statistics| {
            let times = (1..=occurrences).map(|number| number as f64).collect();
            Summaries::new(statistics, Vec::new(), logged_names.clone(), Some(times), none())
        });
        let event_times = event_times.transpose()?.map(Box::new);
        Ok(Summaries {
            statistics,
            solve,
            names,
            finals: times.is_none(),
            times: times.unwrap_or_default(),
            ranges: Vec::new(),
            codes: vec![0; ReturnCode::ALL.len()],
            cells,
            joint,
            event_names,
            logged_names,
            events,
            event_times,
            exact: None,
            report: None,
        })
    }

    /// Returns the length of the time axis.
    pub(super) fn slots(&self) -> usize {
        if self.finals { 1 } else { self.times.len() }
    }

    /// Returns the saved times, in units of time.
    ///
    /// Empty if the components are final states.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns the names of the components: states, then observables.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of a component on the second axis.
    ///
    /// # Errors
    /// [`SummaryError::Unknown`] if no saved number has this name.
    pub fn component(&self, name: &str) -> Result<usize, SummaryError> {
        position(&self.names, name)
    }

    /// Returns the index of an event.
    pub(super) fn event(&self, name: &str) -> Result<usize, SummaryError> {
        event_position(&self.event_names, name)
    }

    /// Returns the statistics of the counts of events.
    ///
    /// Their components are the events of the system, and they have one time: the end of each
    /// trajectory. Conditions and weights are these at the last saved time.
    ///
    /// ```
    /// use ode_core::summary::{Summaries, SummaryError};
    ///
    /// fn mean_impacts(summaries: &Summaries) -> Result<f64, SummaryError> {
    ///     let counts = summaries.event_counts()?;
    ///     Ok(counts.mean()?[[0, counts.component("ground")?]])
    /// }
    /// ```
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without
    /// [`Summary::event_counts`](super::Summary::event_counts).
    pub fn event_counts(&self) -> Result<&Summaries, SummaryError> {
        let (what, call) = ("counts of events", "event_counts()");
        self.events.as_deref().ok_or(SummaryError::NotRequested { what, call })
    }

    /// Returns the statistics of the times of events.
    ///
    /// Their components are the logged events, scheduled actions, conditions and jumps. Instead of
    /// times, the first axis has the numbers of occurrences, from 1: the mean `[[0, c]]` is that of
    /// the first time. A trajectory without an occurrence does not contribute to it, so
    /// [`count`](Self::count) has the number of trajectories with one. Conditions and weights are
    /// these at the last saved time.
    ///
    /// ```
    /// use ode_core::summary::{Summaries, SummaryError};
    ///
    /// fn mean_first_passage(summaries: &Summaries) -> Result<f64, SummaryError> {
    ///     let times = summaries.event_times()?;
    ///     Ok(times.mean()?[[0, times.component("escaped")?]])
    /// }
    /// ```
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without
    /// [`Summary::event_times`](super::Summary::event_times).
    pub fn event_times(&self) -> Result<&Summaries, SummaryError> {
        let (what, call) = ("times of events", "event_times(n)");
        self.event_times.as_deref().ok_or(SummaryError::NotRequested { what, call })
    }

    /// Returns the indices of the trajectories in the whole ensemble.
    ///
    /// Each [shard](crate::EnsembleProblem::shard) is one range. Adjacent ranges are joined.
    #[must_use]
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Returns the number of trajectories, including failed ones.
    #[must_use]
    pub fn trajectories(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns the number of trajectories with each return code that occurred.
    pub fn code_counts(&self) -> impl Iterator<Item = (ReturnCode, u64)> {
        let counts = ReturnCode::ALL.iter().copied().zip(self.codes.iter().copied());
        counts.filter(|(_, count)| *count > 0)
    }

    /// Returns the number of trajectories that are a [success](ReturnCode::is_success).
    #[must_use]
    pub fn successes(&self) -> u64 {
        self.code_counts().filter(|(code, _)| code.is_success()).map(|(_, count)| count).sum()
    }

    /// Returns the report of the backend.
    ///
    /// The times and shares of several solves are added. `None` for a summary from a file.
    #[must_use]
    pub fn report(&self) -> Option<&RunReport> {
        self.report.as_ref()
    }

    /// Returns an array of a number of each cell.
    pub(super) fn array<V>(&self, of: impl Fn(&Cell) -> V) -> Array2<V> {
        let shape = (self.slots(), self.names.len());
        let values = self.cells.iter().map(of).collect();
        match Array2::from_shape_vec(shape, values) {
            Ok(array) => array,
            Err(error) => unreachable!("there is a cell for each time and component: {error}"),
        }
    }

    /// Returns the number of values, `[time, component]`.
    ///
    /// The number is at most [`successes`](Self::successes).
    #[must_use]
    pub fn count(&self) -> Array2<u64> {
        self.array(|cell| cell.count)
    }

    /// Returns an array of a function of the row of moments of each cell.
    pub(super) fn of_moments(
        &self,
        what: &'static str,
        call: &'static str,
        of: impl Fn(RowForm, &[f64]) -> f64,
    ) -> Result<Array2<f64>, SummaryError> {
        if !self.statistics.moments {
            return Err(SummaryError::NotRequested { what, call });
        }
        let form = self.statistics.form(1);
        let total = |cell: &Cell| {
            let forest = cell.moments.as_ref();
            forest.and_then(|forest| forest.total(|a, b| form.join(a, b)))
        };
        Ok(self.array(|cell| total(cell).map_or(f64::NAN, |row| of(form, &row))))
    }

    /// Returns the means, `[time, component]`, in the units of the components.
    ///
    /// NaN without values. The sum is a tree of additions over the indices of the trajectories.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::mean`](super::Summary::mean).
    pub fn mean(&self) -> Result<Array2<f64>, SummaryError> {
        self.of_moments("mean", "mean()", |form, row| form.mean(row, 0))
    }

    /// Returns the variances, `[time, component]`, in the squared units of the components.
    ///
    /// The divisor is `n - 1`. NaN if there are fewer than two values. With
    /// [weights](super::Summary::weighted_by) the variance is the weighted mean of the squared
    /// deviations, divided by `1 - 1 / n` with the [effective number](Self::effective_count) `n`. So
    /// equal weights have the variance without weights; NumPy's `cov` with `aweights` agrees.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::variance`](super::Summary::variance).
    pub fn variance(&self) -> Result<Array2<f64>, SummaryError> {
        self.of_moments("variance", "variance()", |form, row| form.covariance(row, 0, 0))
    }

    /// Returns the standard deviations, the square roots of the [variances](Self::variance).
    ///
    /// # Errors
    /// As [`variance`](Self::variance).
    pub fn standard_deviation(&self) -> Result<Array2<f64>, SummaryError> {
        Ok(self.variance()?.mapv_into(f64::sqrt))
    }

    /// Returns the covariances, `[time, component, component]`, with the divisor `n - 1`.
    ///
    /// A trajectory contributes at a time if all of its components have values there.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::covariance`](super::Summary::covariance).
    pub fn covariance(&self) -> Result<Array3<f64>, SummaryError> {
        let Some(joint) = &self.joint else {
            return Err(SummaryError::NotRequested { what: "covariance", call: "covariance()" });
        };
        let w = self.names.len();
        let form = self.statistics.form(w);
        let totals = joint.iter().map(|forest| forest.total(|a, b| form.join(a, b)));
        let totals: Vec<Option<Vec<f64>>> = totals.collect();
        Ok(Array3::from_shape_fn((self.slots(), w, w), |(slot, i, j)| {
            let row = totals[slot].as_ref();
            row.map_or(f64::NAN, |row| form.covariance(row, i.min(j), i.max(j)))
        }))
    }

    /// Returns an array of a function of the extremes of each cell.
    fn of_extremes<V>(
        &self,
        of: impl Fn(&super::extremes::Extremes) -> V,
    ) -> Result<Array2<V>, SummaryError> {
        if !self.statistics.extremes {
            let (what, call) = ("extremes", "extremes()");
            return Err(SummaryError::NotRequested { what, call });
        }
        Ok(self.array(|cell| of(&cell.extremes.unwrap_or_default())))
    }

    /// Returns the least values, `[time, component]`; NaN without values.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::extremes`](super::Summary::extremes).
    pub fn minimum(&self) -> Result<Array2<f64>, SummaryError> {
        self.of_extremes(|of| of.minimum.map_or(f64::NAN, |least| least.value))
    }

    /// Returns the greatest values, `[time, component]`; NaN without values.
    ///
    /// # Errors
    /// As [`minimum`](Self::minimum).
    pub fn maximum(&self) -> Result<Array2<f64>, SummaryError> {
        self.of_extremes(|of| of.maximum.map_or(f64::NAN, |greatest| greatest.value))
    }

    /// Returns the indices of the trajectories that attain the [minimum](Self::minimum).
    ///
    /// The index counts in the whole ensemble. Of several such trajectories it is the lowest one.
    ///
    /// # Errors
    /// As [`minimum`](Self::minimum).
    pub fn minimum_index(&self) -> Result<Array2<Option<u64>>, SummaryError> {
        self.of_extremes(|of| of.minimum.map(|least| least.index))
    }

    /// Returns the indices of the trajectories that attain the [maximum](Self::maximum).
    ///
    /// # Errors
    /// As [`minimum`](Self::minimum).
    pub fn maximum_index(&self) -> Result<Array2<Option<u64>>, SummaryError> {
        self.of_extremes(|of| of.maximum.map(|greatest| greatest.index))
    }

    /// Returns a quantile, `[time, component]`; NaN without values.
    ///
    /// The quantile interpolates between neighbours in the order of the values, as NumPy's default
    /// does. Let `a` and `b` be these neighbours. The error is at most
    /// `2^-(m + 1) max(|a|, |b|)` with `m` [bits](super::Summary::quantile_bits). The quantiles 0
    /// and 1, infinities and zeros are exact. Values below `2^(-1022 - m)` in magnitude count as
    /// zero. Counts of events below `2^(m + 1)` are exact.
    ///
    /// With [weights](super::Summary::weighted_by) a quantile is the least value whose cumulative
    /// weight is at least `quantile` of the total weight, NumPy's `inverted_cdf`, with the same error
    /// of an order statistic.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without [`Summary::quantiles`](super::Summary::quantiles),
    /// [`SummaryError::Quantile`] if `quantile` is not between 0 and 1, and
    /// [`SummaryError::WeightScale`] if the weights are far from 1.
    pub fn quantile(&self, quantile: f64) -> Result<Array2<f64>, SummaryError> {
        self.levels()?;
        check_quantile(quantile)?;
        let round = if self.statistics.integers { f64::floor } else { |x| x };
        let weighted = self.statistics.weight.is_some();
        let counters = self.cells.iter().filter_map(|cell| Some((cell, cell.counters.as_ref()?)));
        for (cell, counters) in counters.filter(|_| weighted) {
            weighted::check_scale(counters.total(), cell.count)?;
        }
        let of = |cell: &Cell, of: &Counters| match weighted {
            true => of.weighted_quantile(quantile, round),
            false => of.quantile(quantile, cell.count, round),
        };
        Ok(self
            .array(|cell| cell.counters.as_ref().map_or(f64::NAN, |counters| of(cell, counters))))
    }

    /// Returns the quantiles of the request.
    fn levels(&self) -> Result<&[f64], SummaryError> {
        let (what, call) = ("quantiles", "quantiles([0.05, 0.5, 0.95])");
        let asked = self.statistics.quantiles.as_ref();
        let asked = asked.ok_or(SummaryError::NotRequested { what, call })?;
        Ok(&asked.levels)
    }

    /// Returns the requested quantiles, `[quantile, time, component]`.
    ///
    /// # Errors
    /// As [`quantile`](Self::quantile).
    pub fn quantiles(&self) -> Result<Array3<f64>, SummaryError> {
        let levels = self.levels()?;
        let mut all = Array3::zeros((levels.len(), self.slots(), self.names.len()));
        for (level, mut to) in levels.iter().zip(all.outer_iter_mut()) {
            to.assign(&self.quantile(*level)?);
        }
        Ok(all)
    }

    /// Returns the requested exact quantiles, `[quantile, time, component]`; NaN without values.
    ///
    /// They are the quantiles of NumPy's default method of all values, also for infinities and ties.
    /// A quantile among zeros is positive zero. Between a finite and an infinite neighbour the
    /// quantile is infinite, and NaN between both infinities.
    ///
    /// # Errors
    /// [`SummaryError::NotRequested`] without
    /// [`Summary::exact_quantiles`](super::Summary::exact_quantiles), and
    /// [`SummaryError::Unfinished`] if the solve was cancelled before the last pass.
    pub fn exact_quantiles(&self) -> Result<Array3<f64>, SummaryError> {
        let (what, call) = ("exact quantiles", "exact_quantiles([0.05, 0.5, 0.95])");
        let asked = self.statistics.exact.as_ref();
        let asked = asked.ok_or(SummaryError::NotRequested { what, call })?;
        let found = self.exact.as_ref().ok_or(SummaryError::Unfinished)?;
        let shape = (asked.0.len(), self.slots(), self.names.len());
        match Array3::from_shape_vec(shape, found.0.clone()) {
            Ok(array) => Ok(array),
            Err(error) => unreachable!("there is a quantile of each level and cell: {error}"),
        }
    }

    /// Returns the grid of a component, and its counts at each time.
    pub(super) fn bins(&self, at: usize) -> Result<(Histogram, Vec<&Bins>), SummaryError> {
        let Some(grid) = self.statistics.grids(&self.names).swap_remove(at) else {
            let (what, call) = ("histogram of this component", "histogram(grid)");
            return Err(SummaryError::NotRequested { what, call });
        };
        let cells = self.cells.iter().skip(at).step_by(self.names.len().max(1));
        Ok((grid, cells.filter_map(|cell| cell.bins.as_ref()).collect()))
    }

    /// Returns the histogram of a component: numbers of trajectories, with or without weights.
    ///
    /// # Errors
    /// [`SummaryError::Unknown`] if no saved number has this name, and
    /// [`SummaryError::NotRequested`] without a histogram of it.
    pub fn histogram(&self, component: &str) -> Result<HistogramCounts, SummaryError> {
        let at = self.component(component)?;
        let (grid, bins) = self.bins(at)?;
        Ok(HistogramCounts {
            counts: Array2::from_shape_fn((bins.len(), grid.edges().len() - 1), |(slot, k)| {
                bins[slot].counts[k]
            }),
            below: bins.iter().map(|bins| bins.below).collect(),
            above: bins.iter().map(|bins| bins.above).collect(),
            grid,
        })
    }
}

/// The counts of a histogram at each saved time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistogramCounts {
    /// The grid.
    pub grid: Histogram,
    /// The counts, `[time, bin]`.
    pub counts: Array2<u64>,
    /// The counts of values below the grid, `[time]`.
    pub below: Array1<u64>,
    /// The counts of values above the grid, `[time]`.
    pub above: Array1<u64>,
}
