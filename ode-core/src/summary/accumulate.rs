//! The sink that adds batches of results to a summary.

use super::batch::{Batch, Members};
use super::cell::{Scratch, add_rows};
use super::event_times::EventTimes;
use super::histogram::Histogram;
use super::merge;
use super::request::Summary;
use super::summaries::Summaries;
use super::tree::{LEVEL, pieces};
use crate::error::{SolveError, SummaryError};
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::reserve::reserve;
use crate::solution::reduction::{ChunkSummary, Reduction, ReductionRequest};
use crate::solution::{RawResults, ResultArray, ResultSet, ResultSink, ReturnCode};
use core::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The largest index plus one: counts are exact in `f64`.
const MOST: u64 = 1 << f64::MANTISSA_DIGITS;

impl Summaries {
    /// Creates the summary of no trajectories of a solve.
    ///
    /// `states`, `observables` and `events` are the names of the system's numbers, and `logged` are
    /// the indices of logged events. `solve` has the properties of the solve that all shards share.
    pub(crate) fn of<T: Scalar>(
        summary: &Summary,
        solve: Vec<(String, String)>,
        (states, observables, events, logged): (&[&str], &[&str], &[&str], &[usize]),
        inputs: &PreparedSolve<T>,
    ) -> Result<Self, SolveError> {
        let times = saved_times(inputs)?;
        if summary.statistics.event_times > 0 && inputs.options.lane.log_slots == 0 {
            return Err(SummaryError::NoLog.into());
        }
        let names: Vec<&str> = match times {
            None => states.to_vec(),
            Some(_) => inputs.options.saved_names([states, observables]).concat(),
        };
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let events: Vec<String> = events.iter().map(|name| (*name).to_owned()).collect();
        let logged = logged.iter().map(|&event| events[event].clone()).collect();
        summary.statistics.check_names(&names, &events)?;
        let grids = summary.statistics.grids(&names);
        let bins = grids.iter().flatten().map(Histogram::bins).fold(0, usize::saturating_add);
        let slots = times.as_ref().map_or(1, Vec::len);
        // Histograms are the only statistics whose memory the user sets.
        reserve::<u64>(bins.saturating_mul(slots)).map(drop)?;
        let events = [events, logged];
        Ok(Summaries::new(summary.statistics.clone(), solve, names, times, events)?)
    }

    /// Returns the results that a sink needs, and the number of trajectories of a batch.
    pub(super) fn wanted<T: Scalar>(
        &self,
        inputs: &PreparedSolve<T>,
        batch: Option<usize>,
    ) -> Result<(Layout, usize), SummaryError> {
        let times = saved_times(inputs)?;
        if times.is_none() != self.finals || times.unwrap_or_default() != self.times {
            return Err(SummaryError::Times { why: "the trajectories have different ones" });
        }
        let values = if self.finals { ResultArray::Finals } else { ResultArray::Saved };
        let mut wanted = ResultSet::from([values, ResultArray::Codes]);
        if self.statistics.event_times > 0 {
            wanted = wanted.with(ResultArray::Log);
        }
        let layout = inputs.layout().of(wanted);
        Ok((layout, batch.unwrap_or_else(|| layout.batch::<T>())))
    }
}

/// Returns the times that all trajectories save; `None` if they save none.
fn saved_times<T: Scalar>(inputs: &PreparedSolve<T>) -> Result<Option<Vec<f64>>, SummaryError> {
    if inputs.options.saved.times > 0 {
        return Err(SummaryError::Times { why: "the ends of steps differ" });
    }
    let different = SummaryError::Times { why: "the trajectories have different ones" };
    let times = inputs.shared_times().ok_or(different)?;
    Ok((!times.is_empty()).then_some(times))
}

/// A sink that adds results to a summary.
pub(crate) struct Accumulate<'a> {
    summaries: Mutex<&'a mut Summaries>,
    /// The summary of no trajectories.
    blank: Summaries,
    threads: EvaluationThreads,
    layout: Layout,
    batch: usize,
    /// The grid of each component.
    grids: Vec<Option<Histogram>>,
    /// The grid of each event.
    event_grids: Vec<Option<Histogram>>,
    /// The events whose times are values.
    event_times: EventTimes,
    /// The grid of each of these events.
    event_time_grids: Vec<Option<Histogram>>,
    /// The statistics that backends may compute; `None` if they cannot compute all of them.
    request: Option<ReductionRequest>,
    /// The number of trajectories that backends reduced.
    reduced: AtomicUsize,
}

impl<'a> Accumulate<'a> {
    /// Creates a sink for the results of `inputs`, which adds on these threads.
    pub(crate) fn new<T: Scalar>(
        summaries: &'a mut Summaries,
        threads: EvaluationThreads,
        inputs: &PreparedSolve<T>,
        batch: Option<usize>,
    ) -> Result<Self, SummaryError> {
        let (layout, batch) = summaries.wanted(inputs, batch)?;
        let grids = |of: &Summaries| of.statistics.grids(&of.names);
        let event_grids = summaries.events.as_deref().map(grids).unwrap_or_default();
        let event_time_grids = summaries.event_times.as_deref().map(grids).unwrap_or_default();
        let Summaries { event_names, logged_names, statistics, .. } = &*summaries;
        let event_times = EventTimes::new(event_names, logged_names, statistics.event_times)?;
        let grids = grids(summaries);
        let request = request(summaries, &grids);
        let reduced = AtomicUsize::new(0);
        let blank = summaries.blank()?;
        let summaries = Mutex::new(summaries);
        Ok(Accumulate {
            summaries,
            blank,
            threads,
            layout,
            batch,
            grids,
            event_grids,
            event_times,
            event_time_grids,
            request,
            reduced,
        })
    }

    /// Adds the results of the trajectories `numbers` to `summaries`.
    fn add<T: Scalar>(
        &self,
        summaries: &mut Summaries,
        threads: EvaluationThreads,
        numbers: Range<u64>,
        (results, codes): (&RawResults<T>, &[ReturnCode]),
    ) -> Result<(), SummaryError> {
        let n = codes.len();
        let values = if summaries.finals { &results.finals } else { &results.saved };
        let successes = codes.iter().map(|code| code.is_success()).collect();
        let members = Members::find(summaries, numbers.start, successes, values, &results.events)?;
        merge::unite(&mut summaries.ranges, &numbers)?;
        for code in codes {
            summaries.codes[*code as usize] += 1;
        }
        if let Some(events) = &mut summaries.events {
            (events.ranges, events.codes) = (summaries.ranges.clone(), summaries.codes.clone());
            let values: Vec<f64> = results.events.iter().map(|count| f64::from(*count)).collect();
            let (width, members) = (events.names.len(), &members.last());
            let batch = Batch { n, width, values: &values, members };
            add(events, &self.event_grids, threads, numbers.clone(), &batch);
        }
        if let Some(times) = &mut summaries.event_times {
            (times.ranges, times.codes) = (summaries.ranges.clone(), summaries.codes.clone());
            let members = &members.last().at_all(times.slots());
            let values = &self.event_times.of(results, &self.layout, numbers.start, members)?[..];
            let batch = Batch { n, width: times.names.len(), values, members };
            add(times, &self.event_time_grids, threads, numbers.clone(), &batch);
        }
        let width = summaries.names.len();
        let batch = Batch { n, width, values, members: &members };
        add(summaries, &self.grids, threads, numbers, &batch);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, &'a mut Summaries> {
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the statistics of a summary that backends may compute; `None` if they cannot.
fn request(summaries: &Summaries, grids: &[Option<Histogram>]) -> Option<ReductionRequest> {
    let Summaries { statistics, finals, cells, names, joint, .. } = summaries;
    let edges = |grid: &Option<Histogram>| {
        grid.as_ref().map_or_else(Vec::new, |grid| grid.edges().to_vec())
    };
    let plain = statistics.conditions.is_empty() && statistics.weight.is_none();
    let of_events = statistics.event_counts || statistics.event_times > 0;
    (plain && !of_events).then(|| ReductionRequest {
        finals: *finals,
        cells: cells.len(),
        width: names.len(),
        covariance: joint.is_some(),
        extremes: statistics.extremes,
        bits: statistics.quantiles.as_ref().map(|asked| asked.bits),
        edges: grids.iter().map(edges).collect(),
    })
}

/// Returns the error of too many trajectories, if counts are not exact.
fn check_count(end: u64) -> Result<(), SummaryError> {
    if end > MOST { Err(SummaryError::TooMany { trajectories: end }) } else { Ok(()) }
}

impl<T: Scalar> ResultSink<T> for Accumulate<'_> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn wants(&self) -> ResultSet {
        self.layout.wanted
    }

    fn reduction(&self) -> Option<&dyn Reduction<T>> {
        self.request.is_some().then_some(self)
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let numbers = batch.numbers();
        results.check(&self.layout, batch.len())?;
        check_count(numbers.end)?;
        let codes: Vec<ReturnCode> = (0..batch.len()).map(|k| results.code(k)).collect();
        if codes.contains(&ReturnCode::Cancelled) {
            // Another run can solve the whole batch, and merge it.
            return Ok(ControlFlow::Break(()));
        }
        self.add(&mut self.lock(), self.threads, numbers, (results, &codes))?;
        Ok(ControlFlow::Continue(()))
    }
}

impl<T: Scalar> Reduction<T> for Accumulate<'_> {
    fn request(&self) -> &ReductionRequest {
        self.request.as_ref().unwrap_or_else(|| unreachable!("`reduction` returned `None`"))
    }

    fn add(&self, chunk: &ChunkSummary) -> Result<(), SolveError> {
        check_count(chunk.range.end)?;
        chunk.check(Reduction::<T>::request(self))?;
        self.lock().add_chunk(chunk)?;
        self.reduced.fetch_add((chunk.range.end - chunk.range.start) as usize, Ordering::Relaxed);
        Ok(())
    }

    fn add_results(
        &self,
        chunk: InputRange<'_, T>,
        results: &RawResults<T>,
    ) -> Result<(), SolveError> {
        let numbers = chunk.numbers();
        check_count(numbers.end)?;
        let codes: Vec<ReturnCode> = (0..chunk.len()).map(|k| results.code(k)).collect();
        let mut added = self.blank.clone();
        self.add(&mut added, EvaluationThreads::Caller, numbers, (results, &codes))?;
        self.lock().add_disjoint(&added)?;
        self.reduced.fetch_add(codes.len(), Ordering::Relaxed);
        Ok(())
    }

    fn trajectories(&self) -> usize {
        self.reduced.load(Ordering::Relaxed)
    }
}

/// Adds the values of the trajectories `numbers` to the cells of `summaries`.
fn add<T: Scalar>(
    summaries: &mut Summaries,
    grids: &[Option<Histogram>],
    threads: EvaluationThreads,
    numbers: Range<u64>,
    batch: &Batch<'_, T>,
) {
    let w = batch.width;
    let form = summaries.statistics.form(w);
    let within = |piece: &Range<u64>| {
        (piece.start - numbers.start) as usize..(piece.end - numbers.start) as usize
    };
    threads.each_of(summaries.cells.iter_mut().enumerate().collect(), &|(at, cell)| {
        let (slot, component) = (at / w, at % w);
        let (mut block, mut scratch) = (Vec::new(), Scratch::default());
        cell.begin(&mut scratch);
        for piece in pieces(numbers.clone(), LEVEL) {
            block.clear();
            let some = within(&piece);
            batch.append(&mut block, slot, component, &some);
            let weights = batch.weights(slot, &some);
            cell.add(grids[component].as_ref(), piece.start, (&block, weights), &mut scratch);
        }
    });
    let joint = summaries.joint.iter_mut().flatten().enumerate().collect();
    threads.each_of(joint, &|(slot, forest)| {
        let (mut block, mut scratch) = (Vec::new(), Scratch::default());
        for piece in pieces(numbers.clone(), LEVEL) {
            block.clear();
            let some = within(&piece);
            (0..w).for_each(|d| batch.append(&mut block, slot, d, &some));
            let weights = batch.weights(slot, &some);
            add_rows(forest, form, piece.start, (some.len(), &block, weights), &mut scratch);
        }
    });
}
