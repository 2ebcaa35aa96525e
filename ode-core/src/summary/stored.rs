//! The format of summaries in files: numbers as bits, so that merged files have the bits of one
//! run in every data format.

use super::cell::Cell;
use super::merge::unite;
use super::numbers::Numbers;
use super::request::Statistics;
use super::summaries::Summaries;
use super::tree::{Forest, to_bits};
use super::weighted::RowForm;
use crate::error::SummaryError;
use crate::solution::ReturnCode;
use core::ops::Range;

/// A number as its bits.
pub(super) mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::summary) fn serialize<S: Serializer>(
        number: &f64,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        super::to_bits(*number).serialize(serializer)
    }

    pub(in crate::summary) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

/// A list of numbers as their bits.
pub(super) mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::summary) fn serialize<S: Serializer>(
        numbers: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(numbers.iter().map(|number| super::to_bits(*number)))
    }

    pub(in crate::summary) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        let bits = Vec::<u64>::deserialize(deserializer)?;
        Ok(bits.into_iter().map(f64::from_bits).collect())
    }
}

/// A list of 128-bit integers as pairs: the high and the low half.
pub(super) mod wide {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::summary) fn serialize<S: Serializer>(
        numbers: &[u128],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(numbers.iter().map(|of| [(*of >> 64) as u64, *of as u64]))
    }

    pub(in crate::summary) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u128>, D::Error> {
        let pairs = Vec::<[u64; 2]>::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|[high, low]| u128::from(high) << 64 | u128::from(low)).collect())
    }
}

/// A summary from a file, before its numbers are checked.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    statistics: Statistics,
    solve: Vec<(String, String)>,
    names: Vec<String>,
    #[serde(with = "bits")]
    times: Vec<f64>,
    finals: bool,
    ranges: Vec<Range<u64>>,
    codes: Vec<u64>,
    cells: Vec<Cell>,
    joint: Option<Vec<Forest>>,
    event_names: Vec<String>,
    logged_names: Vec<String>,
    events: Option<Box<Summaries>>,
    event_times: Option<Box<Summaries>>,
    exact: Option<Numbers>,
}

impl TryFrom<Unchecked> for Summaries {
    type Error = SummaryError;

    fn try_from(stored: Unchecked) -> Result<Self, SummaryError> {
        let Unchecked { statistics, solve, names, times, finals, ranges, codes, .. } = stored;
        let Unchecked { cells, joint, event_names, logged_names, .. } = stored;
        let Unchecked { events, event_times, exact, .. } = stored;
        statistics.check()?;
        statistics.check_names(&names, &event_names)?;
        let times = if finals { None } else { Some(times) };
        let events_of = [event_names, logged_names];
        let mut checked = Summaries::new(statistics, solve, names, times, events_of)?;
        let is = |good: bool, what| good.then_some(()).ok_or(SummaryError::Damaged { what });
        is(checked.cells.len() == cells.len(), "its number of cells is wrong")?;
        is(codes.len() == ReturnCode::ALL.len(), "its number of return codes is wrong")?;
        let mut united = Vec::new();
        ranges.iter().try_for_each(|range| unite(&mut united, range))?;
        is(united == ranges, "its ranges of trajectories are not in order")?;
        let trajectories = united.iter().map(|range| range.end - range.start);
        let trajectories = trajectories.fold(0, u64::saturating_add);
        let counted = codes.iter().copied().fold(0, u64::saturating_add);
        is(counted == trajectories, "its return codes are not one for each trajectory")?;
        let one = checked.statistics.form(1);
        for (new, cell) in checked.cells.iter().zip(&cells) {
            is(cell.has_form_of(new, &ranges, one), "the form of a cell is wrong")?;
            is(cell.counts_agree(), "the counts of a cell do not agree")?;
        }
        let form = checked.statistics.form(checked.names.len());
        let forests = |of: &Option<Vec<Forest>>| of.as_ref().map(Vec::len);
        is(forests(&joint) == forests(&checked.joint), "its number of covariances is wrong")?;
        let good = joint.iter().flatten().all(|forest| forest.covers(&ranges, form));
        is(good, "the tree of a covariance is wrong")?;
        let same =
            |stored: &Option<Box<Summaries>>, new: &Option<Box<Summaries>>| match (stored, new) {
                (None, None) => true,
                (Some(events), Some(new)) => {
                    events.check_same(new).is_ok()
                        && (&events.ranges, &events.codes) == (&ranges, &codes)
                }
                _ => false,
            };
        let of_counts = same(&events, &checked.events);
        is(of_counts, "the counts of events belong to other trajectories")?;
        let of_times = same(&event_times, &checked.event_times);
        is(of_times, "the times of events belong to other trajectories")?;
        let sound = match (&exact, &checked.statistics.exact) {
            (Some(found), Some(levels)) => found.0.len() == levels.0.len() * cells.len(),
            (found, _) => found.is_none(),
        };
        is(sound, "its number of exact quantiles is wrong")?;
        (checked.ranges, checked.codes) = (ranges, codes);
        (checked.cells, checked.joint) = (cells, joint);
        (checked.events, checked.event_times, checked.exact) = (events, event_times, exact);
        Ok(checked)
    }
}

impl Forest {
    /// Returns whether the nodes are the largest ones of these trajectories, with rows of this form.
    fn covers(&self, ranges: &[Range<u64>], form: RowForm) -> bool {
        let mut again = Forest::default();
        let mut united = Vec::new();
        for node in &self.nodes {
            let sound = node.row.len() == form.length()
                && node.level < 53
                && node.first < 1 << 53
                && node.first.trailing_zeros() >= node.level;
            if !sound || unite(&mut united, &node.range()).is_err() {
                return false;
            }
            again.insert(node.clone(), |_, _| ());
        }
        let is_sorted = self.nodes.is_sorted_by_key(|node| node.first);
        is_sorted && again.nodes.len() == self.nodes.len() && united == ranges
    }
}

impl Cell {
    /// Returns whether the cell has the statistics and sizes of `new`, and these trajectories.
    fn has_form_of(&self, new: &Cell, ranges: &[Range<u64>], form: RowForm) -> bool {
        let counters = match (&self.counters, &new.counters) {
            (None, None) => true,
            (Some(found), Some(new)) => {
                let pages = &found.pages;
                let weights = if new.weighted { 1 << new.bits } else { 0 };
                (found.bits, found.weighted) == (new.bits, new.weighted)
                    && pages.is_sorted_by(|a, b| a.key < b.key)
                    && pages
                        .iter()
                        .all(|page| page.key < 1 << 12 && page.counts.len() == 1 << found.bits)
                    && pages.iter().all(|page| page.weights.len() == weights)
            }
            _ => false,
        };
        let bins =
            |cell: &Cell| cell.bins.as_ref().map(|bins| (bins.counts.len(), bins.weights.len()));
        counters
            && bins(self) == bins(new)
            && self.extremes.is_some() == new.extremes.is_some()
            && self.moments.is_some() == new.moments.is_some()
            && self.moments.iter().all(|forest| forest.covers(ranges, form))
    }

    /// Returns whether all statistics have as many values.
    fn counts_agree(&self) -> bool {
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        let extremes = self.counters.iter().map(|counters| &counters.extremes);
        let mut extremes = extremes.chain(&self.extremes);
        let sound = extremes.all(|of| match (of.minimum, of.maximum) {
            (Some(least), Some(greatest)) => self.count > 0 && least.value <= greatest.value,
            (None, None) => self.count == 0,
            _ => false,
        });
        let pages = |counters: &super::counters::Counters| {
            sum(&mut counters.pages.iter().flat_map(|page| page.counts.iter().copied()))
        };
        let bins = |bins: &super::histogram::Bins| {
            sum(&mut bins.counts.iter().copied().chain([bins.below, bins.above]))
        };
        sound
            && self.counters.iter().all(|counters| pages(counters) == self.count)
            && self.bins.iter().all(|of| bins(of) == self.count)
    }
}
