//! The sink that adds batches of results to a summary.

use super::cell::add_rows;
use super::histogram::Histogram;
use super::merge;
use super::request::Summary;
use super::summaries::Summaries;
use super::tree::pieces;
use crate::error::{SolveError, SummaryError};
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::reserve::reserve;
use crate::solution::{RawResults, ResultArray, ResultSet, ResultSink, ReturnCode};
use core::ops::{ControlFlow, Range};

/// The memory of the results of a batch, unless the user sets a number of trajectories.
const BATCH_BYTES: usize = 128 << 20;

/// The smallest default batch: enough trajectories for all threads.
const FEWEST: usize = 256;

/// The largest index plus one: counts are exact in `f64`.
const MOST: u64 = 1 << f64::MANTISSA_DIGITS;

impl Summaries {
    /// Creates the summary of no trajectories of a solve.
    ///
    /// `states` and `observables` are the names of the system's numbers, and `solve` has the
    /// properties of the solve that all shards share.
    pub(crate) fn of<T: Scalar>(
        summary: &Summary,
        solve: Vec<(String, String)>,
        (states, observables): (&[&str], &[&str]),
        inputs: &PreparedSolve<T>,
    ) -> Result<Self, SolveError> {
        let times = saved_times(inputs)?;
        let saved = inputs.options.saved;
        let names: Vec<&str> = match times {
            None => states.to_vec(),
            Some(_) => {
                let some = |count: usize, names| if count == 0 { &[][..] } else { names };
                [some(saved.states, states), some(saved.observables, observables)].concat()
            }
        };
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let grids = summary.statistics.grids(&names)?;
        let bins = grids.iter().flatten().map(Histogram::bins).fold(0, usize::saturating_add);
        let slots = times.as_ref().map_or(1, Vec::len);
        // Histograms are the only statistics whose memory the user sets.
        reserve::<u64>(bins.saturating_mul(slots)).map(drop)?;
        Ok(Summaries::new(summary.statistics.clone(), solve, names, times)?)
    }
}

/// Returns the times that all trajectories save; `None` if they save none.
fn saved_times<T: Scalar>(inputs: &PreparedSolve<T>) -> Result<Option<Vec<f64>>, SummaryError> {
    if inputs.options.saved.times > 0 {
        return Err(SummaryError::Times { why: "the ends of steps differ" });
    }
    let different = SummaryError::Times { why: "the trajectories have different ones" };
    let times = inputs.inputs.save.shared().ok_or(different)?;
    let times: Vec<f64> = times.iter().map(|time| time.widen()).collect();
    Ok((!times.is_empty()).then_some(times))
}

/// A sink that adds results to a summary.
pub(crate) struct Accumulate<'a> {
    summaries: &'a mut Summaries,
    threads: EvaluationThreads,
    layout: Layout,
    batch: usize,
    /// The grid of each component.
    grids: Vec<Option<Histogram>>,
}

impl<'a> Accumulate<'a> {
    /// Creates a sink for the results of `inputs`, which adds on these threads.
    pub(crate) fn new<T: Scalar>(
        summaries: &'a mut Summaries,
        threads: EvaluationThreads,
        inputs: &PreparedSolve<T>,
        batch: Option<usize>,
    ) -> Result<Self, SummaryError> {
        let times = saved_times(inputs)?;
        if times.is_none() != summaries.finals || times.unwrap_or_default() != summaries.times {
            return Err(SummaryError::Times { why: "the trajectories have different ones" });
        }
        let values = if summaries.finals { ResultArray::Finals } else { ResultArray::Saved };
        let layout = inputs.layout().of(ResultSet::from([values, ResultArray::Codes]));
        let bytes = ResultArray::bytes_of_trajectory::<T>(&layout).max(1);
        let default = || 1 << (BATCH_BYTES / bytes).max(FEWEST).ilog2();
        let batch = batch.unwrap_or_else(default);
        let grids = summaries.statistics.grids(&summaries.names)?;
        Ok(Accumulate { summaries, threads, layout, batch, grids })
    }

    /// Adds the values of the trajectories `numbers`, `[cell * n + trajectory]`.
    fn add<T: Scalar>(&mut self, numbers: Range<u64>, values: &[T], counts: &[bool]) {
        let Summaries { names, cells, joint, .. } = &mut *self.summaries;
        let (n, w) = (counts.len(), names.len());
        let within = |piece: &Range<u64>| {
            (piece.start - numbers.start) as usize..(piece.end - numbers.start) as usize
        };
        // The value of trajectory `k`, or NaN if the trajectory failed.
        let value = |cell: usize, k: usize| match counts[k] {
            true => values[cell * n + k].widen(),
            false => f64::NAN,
        };
        self.threads.each_of(cells.iter_mut().enumerate().collect(), &|(at, cell)| {
            let grid = self.grids[at % w].as_ref();
            let mut block = Vec::new();
            for piece in pieces(numbers.clone()) {
                block.clear();
                block.extend(within(&piece).map(|k| value(at, k)));
                cell.add(grid, piece.start, &block);
            }
        });
        let joint = joint.iter_mut().flatten().enumerate().collect();
        self.threads.each_of(joint, &|(slot, forest)| {
            let mut block = Vec::new();
            for piece in pieces(numbers.clone()) {
                block.clear();
                let row = |k: usize| (0..w).map(move |d| value(slot * w + d, k));
                block.extend(within(&piece).flat_map(row));
                add_rows(forest, w, piece.start, block.chunks_exact(w));
            }
        });
    }
}

impl<T: Scalar> ResultSink<T> for Accumulate<'_> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn wants(&self) -> ResultSet {
        self.layout.wanted
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let numbers = batch.numbers();
        results.check(&self.layout, batch.len())?;
        if numbers.end > MOST {
            return Err(SummaryError::TooMany { trajectories: numbers.end }.into());
        }
        let codes = (0..batch.len()).map(|k| results.code(k));
        let codes: Vec<ReturnCode> = codes.collect();
        if codes.contains(&ReturnCode::Cancelled) {
            // Another run can solve the whole batch, and merge it.
            return Ok(ControlFlow::Break(()));
        }
        merge::unite(&mut self.summaries.ranges, &numbers)?;
        for code in &codes {
            self.summaries.codes[*code as usize] += 1;
        }
        let counts: Vec<bool> = codes.into_iter().map(ReturnCode::is_success).collect();
        let values = if self.summaries.finals { &results.finals } else { &results.saved };
        self.add(numbers, values, &counts);
        Ok(ControlFlow::Continue(()))
    }
}
