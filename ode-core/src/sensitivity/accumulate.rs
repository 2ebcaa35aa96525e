//! The sink that adds batches of results to an analysis.

use super::analysis::Analysis;
use super::groups::Rows;
use crate::ensemble::ranges::multiple;
use crate::error::{SensitivityError, SolveError};
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::problem::prepared::PreparedSolve;
use crate::solution::{RawResults, ResultArray, ResultSet, ResultSink, ReturnCode};
use core::ops::ControlFlow;

/// An analysis that receives the results of ranges of trajectories.
pub(super) struct Accumulate<'a> {
    pub(super) analysis: &'a mut Analysis,
    pub(super) rows: &'a dyn Rows,
    /// The number of trajectories of a batch, if it is set.
    pub(super) batch: Option<usize>,
    /// The names of the system's states and observables.
    pub(super) system: [&'static [&'static str]; 2],
}

impl Accumulate<'_> {
    /// Returns the sink of the results of one range, which may compute on `threads`.
    pub(super) fn sink<'a, T: Scalar>(
        &'a mut self,
        threads: EvaluationThreads,
        inputs: &PreparedSolve<T>,
    ) -> Result<Box<dyn ResultSink<T> + 'a>, SolveError> {
        let different = SensitivityError::Times { why: "the trajectories have different ones" };
        let Some(times) = inputs.shared_times() else { return Err(different.into()) };
        let values = if times.is_empty() { ResultArray::Finals } else { ResultArray::Saved };
        let (analysis, [states, observables]) = (&mut *self.analysis, self.system);
        if analysis.sums.is_empty() {
            let names = match times.is_empty() {
                true => states.to_vec(),
                false => inputs.options.saved_names([states, observables]).concat(),
            };
            analysis.begin(names.into_iter().map(str::to_owned).collect(), times);
        } else if times != analysis.times {
            return Err(different.into());
        }
        let wanted = ResultSet::from([values, ResultArray::Codes]);
        let batch = self.batch.unwrap_or_else(|| inputs.layout().of(wanted).batch::<T>());
        let batch = multiple(batch, analysis.group);
        Ok(Box::new(RangeSink { analysis, rows: self.rows, threads, batch, wanted }))
    }
}

/// A sink that adds the results of a range of trajectories to an analysis.
struct RangeSink<'a> {
    analysis: &'a mut Analysis,
    rows: &'a dyn Rows,
    threads: EvaluationThreads,
    batch: usize,
    wanted: ResultSet,
}

impl<T: Scalar> ResultSink<T> for RangeSink<'_> {
    fn batch(&self) -> u64 {
        self.batch as u64
    }

    fn wants(&self) -> ResultSet {
        self.wanted
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        let Analysis { group, sums, codes: counts, bases, left_out, .. } = &mut *self.analysis;
        let codes: Vec<ReturnCode> = (0..batch.len()).map(|k| results.code(k)).collect();
        if codes.contains(&ReturnCode::Cancelled) {
            return Ok(ControlFlow::Break(()));
        }
        for code in &codes {
            counts[*code as usize] += 1;
        }
        let sound = |codes: &[ReturnCode]| codes.iter().all(|code| code.is_success());
        let sound: Vec<bool> = codes.chunks_exact(*group).map(sound).collect();
        *left_out += sound.iter().filter(|sound| !**sound).count() as u64;
        let first = batch.numbers().start / *group as u64;
        let range = first..first + sound.len() as u64;
        let finals = self.wanted.contains(ResultArray::Finals);
        let values = if finals { &results.finals } else { &results.saved };
        let (rows, n, group) = (self.rows, codes.len(), *group);
        self.threads.each_of(sums.iter_mut().enumerate().collect(), &|(at, sums)| {
            let values = values[at * n..(at + 1) * n].chunks_exact(group).zip(&sound);
            let outputs = values.flat_map(|(values, sound)| {
                let output = |value: &T| if *sound { value.widen() } else { f64::NAN };
                values.iter().map(output)
            });
            sums.add(rows, range.clone(), group, &outputs.collect::<Vec<f64>>());
        });
        *bases = range.end;
        Ok(ControlFlow::Continue(()))
    }
}
