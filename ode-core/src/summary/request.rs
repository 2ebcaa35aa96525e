//! The statistics that a user requests.

use super::condition::{Condition, Subject};
use super::counters::{BITS, DEFAULT_BITS};
use super::histogram::Histogram;
use super::numbers::Numbers;
use super::weighted::RowForm;
use crate::error::SummaryError;
use core::ops::{Bound, RangeBounds};

/// The statistics to compute of an ensemble, for
/// [`EnsembleProblem::reduce`](crate::EnsembleProblem::reduce).
///
/// Each function adds statistics, a condition or weights. A summary without statistics counts the
/// return codes only.
///
/// ```
/// use ode_core::summary::{Histogram, Summary};
///
/// let bands = Summary::new().mean().quantiles([0.05, 0.5, 0.95]);
/// let all = Summary::new()
///     .mean()
///     .variance()
///     .covariance()
///     .extremes()
///     .quantiles([0.5])
///     .histogram(Histogram::linear(0.0, 10.0, 100));
/// ```
///
/// The memory of a component at a saved time is:
///
/// | statistic | bytes |
/// |---|---|
/// | mean and variance | at most 2.5 kB |
/// | covariance of all `c` components | at most `20 (c + 1)(c + 2)` times 8, together |
/// | extremes | 48 |
/// | quantiles | 512 for each power of two in the range of the values |
/// | exact quantiles | 32 kB for each, during the solve |
/// | histogram | 8 for each bin |
///
/// With weights, quantiles and histograms take three times this memory.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Summary {
    pub(super) statistics: Statistics,
    /// The number of trajectories of a batch, if the user set one.
    pub(super) batch: Option<usize>,
}

/// The requested statistics.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Statistics {
    /// The mean and the variance.
    pub(super) moments: bool,
    pub(super) covariance: bool,
    pub(super) extremes: bool,
    pub(super) quantiles: Option<Quantiles>,
    /// The exact quantiles.
    pub(super) exact: Option<Numbers>,
    /// The grid of all components.
    pub(super) histogram: Option<Histogram>,
    /// The grids of single components, by name.
    pub(super) own_histograms: Vec<(String, Histogram)>,
    /// The conditions on trajectories that contribute.
    pub(super) conditions: Vec<Condition>,
    /// The component that is the weight.
    pub(super) weight: Option<String>,
    pub(super) event_counts: bool,
    /// The number of occurrences of each event whose times are values; 0 without these times.
    pub(super) event_times: usize,
    /// Whether all values are integers.
    pub(super) integers: bool,
    /// Whether the components are events.
    pub(super) of_events: bool,
}

/// The requested quantiles.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Quantiles {
    #[cfg_attr(feature = "serde", serde(with = "super::stored::bits"))]
    pub(super) levels: Vec<f64>,
    pub(super) bits: u32,
}

impl Summary {
    /// Returns a summary without statistics.
    pub fn new() -> Self {
        Summary::default()
    }

    fn with(mut self, add: impl FnOnce(&mut Statistics)) -> Self {
        add(&mut self.statistics);
        self
    }

    /// Adds the mean.
    ///
    /// The variance is computed with it.
    pub fn mean(self) -> Self {
        self.with(|statistics| statistics.moments = true)
    }

    /// Adds the variance and the standard deviation.
    ///
    /// The mean is computed with it.
    pub fn variance(self) -> Self {
        self.mean()
    }

    /// Adds the covariances of all pairs of components at the same time.
    pub fn covariance(self) -> Self {
        self.with(|statistics| statistics.covariance = true)
    }

    /// Adds the minimum and the maximum, with the trajectories that attain them.
    pub fn extremes(self) -> Self {
        self.with(|statistics| statistics.extremes = true)
    }

    /// Adds counters for quantiles. A later call replaces the list.
    ///
    /// [`Summaries::quantiles`](super::Summaries::quantiles) returns the quantiles of this list, and
    /// [`Summaries::quantile`](super::Summaries::quantile) any other quantile. Quantiles lie between
    /// 0 and 1, and the median is 0.5. An order statistic has a relative error of at most `2^-7`, which is 0.8%;
    /// [`quantile_bits`](Self::quantile_bits) changes this bound.
    pub fn quantiles(self, quantiles: impl IntoIterator<Item = f64>) -> Self {
        let levels = quantiles.into_iter().collect();
        self.with(|statistics| {
            let bits = statistics.quantiles.as_ref().map_or(DEFAULT_BITS, |asked| asked.bits);
            statistics.quantiles = Some(Quantiles { levels, bits });
        })
    }

    /// Sets the number of mantissa bits `m` that distinguish values: 1 to 14, by default 6.
    ///
    /// The relative error of an order statistic is at most `2^-(m + 1)`. The counters take `2^m`
    /// times 8 bytes for each power of two in the range of the values. Any quantile can be
    /// requested afterwards.
    pub fn quantile_bits(self, bits: u32) -> Self {
        self.with(|statistics| {
            let levels = statistics.quantiles.take().map_or_else(Vec::new, |asked| asked.levels);
            statistics.quantiles = Some(Quantiles { levels, bits });
        })
    }

    /// Adds exact quantiles, which take further solves. A later call replaces the list.
    ///
    /// [`Summaries::exact_quantiles`](super::Summaries::exact_quantiles) returns them. Each is the
    /// quantile of NumPy's default, from the two exact neighbours in the order of all values. The
    /// values are not stored: after the counters of [`quantiles`](Self::quantiles), which this
    /// function adds, the ensemble is solved again. Each of these passes counts the values near the
    /// quantiles in 4096 finer intervals, or stores at most 4096 of them. So 100,000 trajectories
    /// take about one further pass, 10^9 about two, and none takes more than five. Counters take
    /// 32 kB for each quantile of a component at a time.
    ///
    /// Trajectories must be the same in each pass. Summaries with exact quantiles cannot be
    /// [merged](super::Summaries::merge), and have no [weights](Self::weighted_by).
    pub fn exact_quantiles(self, quantiles: impl IntoIterator<Item = f64>) -> Self {
        let levels = Numbers(quantiles.into_iter().collect());
        self.with(|statistics| {
            let new = || Quantiles { levels: Vec::new(), bits: DEFAULT_BITS };
            statistics.quantiles.get_or_insert_with(new);
            statistics.exact = Some(levels);
        })
    }

    /// Adds a histogram of each component on the same grid. A later call replaces the grid.
    pub fn histogram(self, grid: Histogram) -> Self {
        self.with(|statistics| statistics.histogram = Some(grid))
    }

    /// Adds a histogram of one component, a state or an observable, on a grid of its own.
    ///
    /// A later call for the same component replaces the grid.
    pub fn histogram_of(self, component: impl Into<String>, grid: Histogram) -> Self {
        let component = component.into();
        self.with(|statistics| {
            statistics.own_histograms.retain(|(name, _)| *name != component);
            statistics.own_histograms.push((component, grid));
        })
    }

    /// Restricts all statistics to trajectories with `component` in `range` at the same time.
    ///
    /// The statistics are conditional: the mean of `x` given `y > 1` at each saved time, for
    /// example. The component is a saved state or observable. Of several conditions all must hold.
    /// [`Summaries::count`](super::Summaries::count) has the number of trajectories that contribute.
    ///
    /// ```
    /// use ode_core::summary::Summary;
    ///
    /// let of_survivors = Summary::new().mean().quantiles([0.5]).given("amount", 1e-3..);
    /// ```
    pub fn given(self, component: impl Into<String>, range: impl RangeBounds<f64>) -> Self {
        self.on(Subject::Same(component.into()), &range)
    }

    /// Restricts all statistics to trajectories with `component` in `range` at the last time.
    ///
    /// The last time is the last saved time of the solve. So trajectories that an event ended before
    /// do not contribute.
    pub fn given_last(self, component: impl Into<String>, range: impl RangeBounds<f64>) -> Self {
        self.on(Subject::Last(component.into()), &range)
    }

    /// Restricts all statistics to trajectories with a count of `event` in `range`.
    ///
    /// ```
    /// use ode_core::summary::Summary;
    ///
    /// let after_impacts = Summary::new().mean().given_event_count("ground", 1..);
    /// ```
    pub fn given_event_count(self, event: impl Into<String>, range: impl RangeBounds<u32>) -> Self {
        let end = |bound: Bound<&u32>| bound.map(|count| f64::from(*count));
        let range = (end(range.start_bound()), end(range.end_bound()));
        self.on(Subject::Events(event.into()), &range)
    }

    fn on(self, subject: Subject, range: &impl RangeBounds<f64>) -> Self {
        let condition = Condition::new(subject, range);
        self.with(|statistics| statistics.conditions.push(condition))
    }

    /// Weights each trajectory by a component at the same time, a saved state or observable.
    ///
    /// Means, variances, covariances, quantiles and histograms have these weights, as for importance
    /// sampling, where the weight is the ratio of two densities. A weight must not be negative or
    /// infinite. A trajectory with a weight of 0 or NaN does not contribute. Only
    /// [`total_weight`](super::Summaries::total_weight) depends on the scale of the weights, and
    /// quantiles and histograms need weights that are not far from 1: they have a resolution of
    /// `2^-64`, and a sum of at most `2^64`.
    ///
    /// ```
    /// use ode_core::summary::Summary;
    ///
    /// let reweighted = Summary::new().mean().variance().weighted_by("likelihood_ratio");
    /// ```
    pub fn weighted_by(self, component: impl Into<String>) -> Self {
        self.with(|statistics| statistics.weight = Some(component.into()))
    }

    /// Adds the same statistics of the number of times that each event occurs.
    ///
    /// [`Summaries::event_counts`](super::Summaries::event_counts) returns them. Their components are
    /// the events of the system. [`histogram_of`](Self::histogram_of) may name an event.
    pub fn event_counts(self) -> Self {
        self.with(|statistics| statistics.event_counts = true)
    }

    /// Adds the same statistics of the times of the first occurrences of each logged event.
    ///
    /// [`Summaries::event_times`](super::Summaries::event_times) returns them. The solve needs a
    /// [log](crate::SolveOptions::event_log()) with enough slots for these occurrences.
    /// [`histogram_of`](Self::histogram_of) may name an event.
    ///
    /// ```
    /// use ode_core::summary::Summary;
    ///
    /// let first_passages = Summary::new().mean().quantiles([0.5]).event_times(1);
    /// ```
    pub fn event_times(self, occurrences: usize) -> Self {
        self.with(|statistics| statistics.event_times = occurrences)
    }

    /// Sets the number of trajectories that the summary receives together, at least 1.
    ///
    /// By default the results of a batch take at most 128 MiB. The number changes no bit of the
    /// summary. An exception is [lockstep](struct@crate::EnsembleCpuArray), which solves the
    /// trajectories of a batch with one step size: there the default is one batch.
    pub fn batch_size(self, trajectories: usize) -> Self {
        Summary { batch: Some(trajectories), ..self }
    }

    /// Checks all numbers.
    ///
    /// # Errors
    /// [`SummaryError`] for the first impossible number.
    pub(crate) fn check(&self) -> Result<(), SummaryError> {
        if self.batch == Some(0) {
            return Err(SummaryError::BatchSize);
        }
        self.statistics.check()
    }

    /// Returns the number of trajectories of a batch, if the user set one.
    pub(crate) fn batch(&self) -> Option<usize> {
        self.batch
    }
}

impl Statistics {
    /// Checks all numbers.
    pub(super) fn check(&self) -> Result<(), SummaryError> {
        if let Some(Quantiles { levels, bits }) = &self.quantiles {
            let [least, most] = BITS;
            if !(least..=most).contains(bits) {
                return Err(SummaryError::Bits { bits: *bits, least, most });
            }
            levels.iter().try_for_each(|level| check_quantile(*level))?;
        }
        if let Some(levels) = &self.exact {
            levels.0.iter().try_for_each(|level| check_quantile(*level))?;
            if self.quantiles.is_none() || self.weight.is_some() {
                return Err(SummaryError::ExactWeights);
            }
        }
        self.conditions.iter().try_for_each(Condition::check)?;
        let own = self.own_histograms.iter().map(|(_, grid)| grid);
        self.histogram.iter().chain(own).try_for_each(Histogram::check)
    }

    /// Returns all properties as text, each with its name.
    pub(super) fn properties(&self) -> Vec<(String, String)> {
        let Statistics { moments, covariance, extremes, quantiles, exact, .. } = self;
        let Statistics { histogram, own_histograms, conditions, weight, .. } = self;
        let Statistics { event_counts, event_times, integers, .. } = self;
        let mut all = Vec::new();
        let mut add = |name: &str, value: String| all.push((name.to_owned(), value));
        for (name, requested) in [
            ("mean", moments),
            ("covariance", covariance),
            ("extremes", extremes),
            ("event_counts", event_counts),
            ("integers", integers),
        ] {
            add(name, requested.to_string());
        }
        add("event_times", event_times.to_string());
        if let Some(Quantiles { levels, bits }) = quantiles {
            add("quantiles", format!("{levels:?}"));
            add("quantile_bits", bits.to_string());
        }
        if let Some(Numbers(levels)) = exact {
            add("exact_quantiles", format!("{levels:?}"));
        }
        if let Some(name) = weight {
            add("weight", name.clone());
        }
        let conditions: Vec<String> = conditions.iter().map(Condition::to_string).collect();
        add("conditions", conditions.join(", "));
        all.extend(histogram.iter().flat_map(|grid| grid.properties("histogram")));
        for (name, grid) in own_histograms {
            all.extend(grid.properties(&format!("histogram of {name}")));
        }
        all
    }

    /// Returns the grid of each of the components `names`.
    pub(super) fn grids(&self, names: &[String]) -> Vec<Option<Histogram>> {
        let own = |name: &String| self.own_histograms.iter().find(|(known, _)| known == name);
        let grid = |name| own(name).map(|(_, grid)| grid).or(self.histogram.as_ref()).cloned();
        names.iter().map(grid).collect()
    }

    /// Checks that all names are components in `names`, or events in `events`.
    pub(super) fn check_names(
        &self,
        names: &[String],
        events: &[String],
    ) -> Result<(), SummaryError> {
        if self.of_events {
            // The names are these of the summary that contains the one of events.
            return Ok(());
        }
        let with_events = self.event_counts || self.event_times > 0;
        let is_event = |name: &String| with_events && events.contains(name);
        for (name, _) in self.own_histograms.iter().filter(|(name, _)| !is_event(name)) {
            position(names, name)?;
        }
        for condition in &self.conditions {
            match &condition.subject {
                Subject::Same(name) | Subject::Last(name) => position(names, name)?,
                Subject::Events(name) => event_position(events, name)?,
            };
        }
        self.weight.iter().try_for_each(|name| position(names, name).map(drop))
    }

    /// Returns the form of the rows of moments of so many components.
    pub(super) fn form(&self, numbers: usize) -> RowForm {
        RowForm { numbers, weighted: self.weight.is_some() }
    }

    /// Returns the statistics of the counts of events.
    pub(super) fn of_counts(&self) -> Self {
        Statistics { integers: true, ..self.of_times() }
    }

    /// Returns the statistics of the times of events.
    pub(super) fn of_times(&self) -> Self {
        let conditions = Vec::new();
        let (histogram, exact) = (None, None);
        let (event_counts, event_times, of_events) = (false, 0, true);
        let all = self.clone();
        Statistics { histogram, exact, conditions, event_counts, event_times, of_events, ..all }
    }
}

/// Checks that a quantile is between 0 and 1.
pub(super) fn check_quantile(quantile: f64) -> Result<(), SummaryError> {
    match (0.0..=1.0).contains(&quantile) {
        true => Ok(()),
        false => Err(SummaryError::Quantile { quantile }),
    }
}

/// Returns the position of a name.
pub(super) fn position(names: &[String], name: &str) -> Result<usize, SummaryError> {
    names
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| SummaryError::Unknown { name: name.to_owned(), known: names.to_vec() })
}

/// Returns the position of an event.
pub(super) fn event_position(events: &[String], name: &str) -> Result<usize, SummaryError> {
    events
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| SummaryError::UnknownEvent { name: name.to_owned(), known: events.to_vec() })
}
