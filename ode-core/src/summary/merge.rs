//! Merging of summaries, and their equality.

use super::summaries::Summaries;
use super::tree::Node;
use crate::error::SummaryError;
use crate::solution::reduction::ChunkSummary;
use crate::solution::{ReturnCode, RunReport};
use core::ops::Range;

impl Summaries {
    /// Joins the summary of other trajectories of the same ensemble, in place.
    ///
    /// The result has the bits of one run over all trajectories, for any disjoint sets of
    /// trajectories and any order of merging.
    ///
    /// Both summaries must have the same statistics, system, method, options, precision and
    /// saved times, and the same base problem and sampling rules. Rows of sweeps and closures are
    /// not compared.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveError, SolveOptions, Unvaried};
    /// # use ode_core::{methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1>>(ensemble: EnsembleProblem<S, f64, Unvaried, 2, 1>) -> Result<(), SolveError> {
    /// use ode_core::summary::Summary;
    ///
    /// let (options, summary) = (SolveOptions::default(), Summary::new().mean());
    /// let shard = |rank| {
    ///     ensemble.clone().shard((rank, 2)).reduce(Tsit5, EnsembleThreads, &options, &summary)
    /// };
    /// let mut all = shard(1)?;
    /// all.merge(&shard(0)?)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`SummaryError::Different`] if the summaries belong to different solves, and
    /// [`SummaryError::Overlap`] if both contain a trajectory, and [`SummaryError::ExactMerge`] if
    /// they have exact quantiles. The summary then stays as it is.
    /// [`SummaryError::TooMany`] if a count overflows, which needs damaged summaries.
    pub fn merge(&mut self, other: &Summaries) -> Result<(), SummaryError> {
        self.check_same(other)?;
        if self.statistics.exact.is_some() {
            return Err(SummaryError::ExactMerge);
        }
        let mut ranges = self.ranges.clone();
        other.ranges.iter().try_for_each(|range| unite(&mut ranges, range))?;
        let mut merged = self.clone();
        merged.ranges = ranges;
        let trajectories = merged.trajectories();
        merged.add(other).ok_or(SummaryError::TooMany { trajectories })?;
        *self = merged;
        Ok(())
    }

    /// Returns the summary of no trajectories of the same solve.
    pub(super) fn blank(&self) -> Result<Summaries, SummaryError> {
        let times = (!self.finals).then(|| self.times.clone());
        Summaries::new(
            self.statistics.clone(),
            self.solve.clone(),
            self.names.clone(),
            times,
            [self.event_names.clone(), self.logged_names.clone()],
        )
    }

    /// Adds the summary of other trajectories of the same solve, without a copy.
    ///
    /// After an error the summary is incomplete.
    pub(super) fn add_disjoint(&mut self, other: &Summaries) -> Result<(), SummaryError> {
        other.ranges.iter().try_for_each(|range| unite(&mut self.ranges, range))?;
        let trajectories = self.trajectories();
        self.add(other).ok_or(SummaryError::TooMany { trajectories })
    }

    /// Adds the statistics of a chunk that a backend reduced.
    ///
    /// After an error the summary is incomplete.
    pub(super) fn add_chunk(&mut self, chunk: &ChunkSummary) -> Result<(), SummaryError> {
        unite(&mut self.ranges, &chunk.range)?;
        for (number, count) in (0..).zip(&chunk.codes) {
            self.codes[ReturnCode::from_lane(number) as usize] += u64::from(*count);
        }
        for (at, cell) in self.cells.iter_mut().enumerate() {
            cell.add_nodes(at, chunk);
            if let (Some(bins), Some(counts)) = (&mut cell.bins, chunk.bins.get(at)) {
                bins.add_counts(counts);
            }
        }
        let form = self.statistics.form(self.names.len());
        let mut rows = chunk.joint.chunks_exact(form.length());
        for forest in self.joint.iter_mut().flatten() {
            for (node, row) in chunk.nodes.iter().zip(&mut rows) {
                let node = Node { first: node.first, level: node.level, row: row.to_vec() };
                forest.insert(node, |left, right| form.join(left, right));
            }
        }
        for page in &chunk.pages {
            if let Some(counters) = &mut self.cells[page.cell].counters {
                counters.add_page(page.key, &page.counts);
            }
        }
        Ok(())
    }

    /// Adds all statistics of `other`. Returns `None` if a count overflows.
    fn add(&mut self, other: &Summaries) -> Option<()> {
        for (count, more) in self.codes.iter_mut().zip(&other.codes) {
            *count = count.checked_add(*more)?;
        }
        let (one, all) = (self.statistics.form(1), self.statistics.form(self.names.len()));
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.merge(other, one)?;
        }
        let joint = self.joint.iter_mut().flatten().zip(other.joint.iter().flatten());
        joint.for_each(|(forest, other)| forest.merge(other, |a, b| all.join(a, b)));
        for (of_events, other) in
            [(&mut self.events, &other.events), (&mut self.event_times, &other.event_times)]
        {
            if let (Some(of_events), Some(other)) = (of_events, other) {
                of_events.add(other)?;
                of_events.ranges = self.ranges.clone();
            }
        }
        if let Some(report) = &other.report {
            self.add_report(report.clone());
        }
        Some(())
    }

    /// Adds the report of another solve.
    pub(crate) fn add_report(&mut self, more: RunReport) {
        match &mut self.report {
            Some(report) => report.add(more),
            none => *none = Some(more),
        }
    }

    /// Checks that two summaries belong to the same solve.
    pub(super) fn check_same(&self, other: &Summaries) -> Result<(), SummaryError> {
        let entries = |of: &Summaries| {
            let numbers = [
                ("components", of.names.join(", ")),
                ("events", of.event_names.join(", ")),
                ("logged events", of.logged_names.join(", ")),
                ("number of saved times", of.times.len().to_string()),
                ("saved times", format!("{:?}", of.times)),
                ("final states", of.finals.to_string()),
            ];
            let numbers = numbers.map(|(name, value)| (name.to_owned(), value));
            let solve = of.solve.iter().cloned();
            solve.chain(of.statistics.properties()).chain(numbers).collect::<Vec<_>>()
        };
        let (ours, theirs) = (entries(self), entries(other));
        let value = |of: &[(String, String)], name: &String| {
            of.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        for (name, _) in ours.iter().chain(&theirs) {
            let values = [&ours, &theirs].map(|of| value(of, name));
            if values[0] != values[1] {
                let [ours, theirs] = values.map(|value| value.unwrap_or("absent".to_owned()));
                let [ours, theirs] = excerpts([&ours, &theirs]);
                return Err(SummaryError::Different { what: name.clone(), theirs, ours });
            }
        }
        Ok(())
    }
}

/// Returns two different texts. Of long texts, it returns the parts from the first difference on.
fn excerpts(texts: [&str; 2]) -> [String; 2] {
    const MOST: usize = 60;
    let same = texts[0].chars().zip(texts[1].chars()).take_while(|(a, b)| a == b);
    let same = same.map(|(a, _)| a.len_utf8()).sum();
    // The beginning of the item of a list.
    let item = texts[0][..same].rfind([' ', '[']).map_or(0, |at| at + 1);
    let begin = if same - item < MOST / 2 { item } else { same };
    texts.map(|text| {
        if text.chars().count() <= MOST {
            return text.to_owned();
        }
        let mut rest = text[begin..].chars();
        let part: String = rest.by_ref().take(MOST).collect();
        let dots = |cut| if cut { "…" } else { "" };
        format!("{}{part}{}", dots(begin > 0), dots(rest.next().is_some()))
    })
}

/// Summaries are equal if all bits are equal; reports are not compared.
impl PartialEq for Summaries {
    fn eq(&self, other: &Summaries) -> bool {
        self.check_same(other).is_ok()
            && (&self.ranges, &self.codes) == (&other.ranges, &other.codes)
            && (&self.cells, &self.joint) == (&other.cells, &other.joint)
            && (&self.events, &self.event_times) == (&other.events, &other.event_times)
            && self.exact == other.exact
    }
}

/// Inserts a range into disjoint ranges in order, and joins adjacent ranges.
///
/// # Errors
/// [`SummaryError::Overlap`] if they contain an index of the range.
pub(super) fn unite(ranges: &mut Vec<Range<u64>>, new: &Range<u64>) -> Result<(), SummaryError> {
    if new.is_empty() {
        return Ok(());
    }
    let at = ranges.partition_point(|range| range.end < new.start);
    let both = |range: &Range<u64>| range.start.max(new.start)..range.end.min(new.end);
    let near = || ranges[at..].iter().take_while(|range| range.start <= new.end);
    if let Some(both) = near().map(both).find(|both| !both.is_empty()) {
        return Err(SummaryError::Overlap { both });
    }
    let end = at + near().count();
    let first = ranges[at..end].first().map_or(new.start, |range| range.start.min(new.start));
    let last = ranges[at..end].last().map_or(new.end, |range| range.end.max(new.end));
    ranges.splice(at..end, core::iter::once(first..last));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Histogram, Summary};

    fn summaries(summary: Summary, times: &[f64]) -> Summaries {
        let names = vec!["x".to_owned(), "y".to_owned()];
        let solve = vec![("method".to_owned(), "Tsit5".to_owned())];
        let events = [Vec::new(), Vec::new()];
        Summaries::new(summary.statistics, solve, names, Some(times.to_vec()), events).unwrap()
    }

    /// Errors name the statistic that differs, and quote less than a line of lists.
    #[test]
    fn differences_are_short() {
        let grid = || Histogram::linear(0.0, 300.0, 300);
        let move_one = |x: &f64| if *x == 150.0 { 150.25 } else { *x };
        let near = Histogram::with_edges(grid().edges().iter().map(move_one));
        let base = || Summary::new().mean().histogram(grid());
        let times: Vec<f64> = (0..200).map(f64::from).collect();
        let later: Vec<f64> = (0..200).map(|k| f64::from(k + k / 100)).collect();
        let ours = summaries(base(), &times);
        for (summary, times, what, values) in [
            (base().extremes(), &times, "extremes", ["true", "false"]),
            (base().quantiles([0.5]), &times, "quantiles", ["[0.5]", "absent"]),
            (base().weighted_by("y"), &times, "weight", ["y", "absent"]),
            (base().given("y", 0.0..=1.0), &times, "conditions", ["\"y\" from 0.0 to 1.0", ""]),
            (
                base().histogram(Histogram::linear(0.0, 300.0, 200)),
                &times,
                "histogram",
                ["200 bins from 0.0 to 300.0", "300 bins from 0.0 to 300.0"],
            ),
            (base().histogram(near), &times, "edges of the histogram", ["…150.25, ", "…150.0, "]),
            (base(), &times[..9].to_vec(), "number of saved times", ["9", "200"]),
            (base(), &later, "saved times", ["…101.0, 102.0, ", "…100.0, 101.0, "]),
        ] {
            let error = ours.clone().merge(&summaries(summary, times)).unwrap_err();
            assert!(error.to_string().len() < 300, "{error}");
            let SummaryError::Different { what: found, theirs, ours } = error else {
                panic!("{error}")
            };
            assert_eq!(found, what);
            for (found, expected) in [theirs, ours].iter().zip(values) {
                let cut = expected.starts_with('…') && found.starts_with(expected);
                assert!(cut || found == expected, "{found}");
            }
        }
        let own = |names: [&str; 2]| {
            names
                .iter()
                .fold(base(), |of, name| of.histogram_of(*name, Histogram::linear(0.0, 1.0, 2)))
        };
        // The order of calls changes no statistic.
        summaries(own(["x", "y"]), &times).merge(&summaries(own(["y", "x"]), &times)).unwrap();
    }
}
