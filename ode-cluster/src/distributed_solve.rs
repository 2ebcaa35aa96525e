//! The computation of chunks by a rank, and the assembly of their results.

use core::ops::Range;
use std::time::Instant;

use ode_core::lane::Scalar;
use ode_core::problem::inputs::{InputRange, Inputs};
use ode_core::problem::layout::Layout;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::{ResultArray, ResultSet, ResultSlices};
use ode_core::{
    Collect, RawResults, ResultSink, ReturnCode, RunReport, SolveError, SolveWatch, Timings,
    Warning,
};

use crate::manifest::Manifest;
use crate::results_bytes;

/// The largest size of the results of a lease, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// The target duration of a lease in seconds; at most this much is lost if the rank is killed.
const SECONDS: f64 = 5.0;

/// The inner backend, which computes trajectories.
pub(crate) type InnerBackend<'a, T> =
    &'a dyn Fn(&Inputs<T>, &mut dyn ResultSink<T>) -> Result<RunReport, SolveError>;

/// A computed chunk.
pub(crate) struct ComputedChunk<'r, T> {
    /// The index of the chunk.
    pub(crate) chunk: u64,
    /// The inputs of the chunk.
    pub(crate) inputs: InputRange<'r, T>,
    /// The inputs of the lease.
    pub(crate) lease: InputRange<'r, T>,
    /// The results of the lease.
    pub(crate) results: &'r RawResults<T>,
    /// The trajectories of the chunk within the lease.
    pub(crate) within: Range<usize>,
}

/// Stores the computed chunks of a lease.
pub(crate) type Commit<'c, T> =
    &'c mut dyn FnMut(&[ComputedChunk<'_, T>]) -> Result<(), SolveError>;

/// Sets results to the results of a chunk. Returns `false` if the solve was cancelled before it.
type Read<'r, 'a, T> = &'r mut dyn FnMut(
    &mut DistributedSolve<'a, T>,
    u64,
    &mut RawResults<T>,
) -> Result<bool, SolveError>;

/// Returns the results that ranks compute for a sink that wants these.
///
/// Return codes show unfinished trajectories, and a folder contains accepted steps instead of all.
pub(crate) fn computed(wanted: ResultSet) -> ResultSet {
    let wanted = wanted.with(ResultArray::Codes);
    let counts = wanted.contains(ResultArray::Steps);
    if counts { wanted.with(ResultArray::Rejected) } else { wanted }
}

/// A solve, and the progress of this rank.
pub(crate) struct DistributedSolve<'a, T> {
    manifest: &'a Manifest,
    columns: &'a Inputs<T>,
    /// The results that ranks compute.
    pub(crate) layout: Layout,
    inner: InnerBackend<'a, T>,
    pub(crate) watch: SolveWatch,
    /// Whether a rank cancelled the solve.
    pub(crate) cancelled: bool,
    /// Seconds per chunk; unknown before the first one.
    pace: Option<f64>,
    /// The number of chunks of the last lease.
    taken: u64,
    pub(crate) done: RankTotals,
}

/// The totals of this rank.
#[derive(Debug, Default)]
pub(crate) struct RankTotals {
    pub(crate) trajectories: usize,
    pub(crate) leases: usize,
    pub(crate) timings: Timings,
    pub(crate) warnings: Vec<Warning>,
}

impl<'a, T: Scalar> DistributedSolve<'a, T> {
    pub(crate) fn new(
        manifest: &'a Manifest,
        settings: &ResolvedOptions<T>,
        columns: &'a Inputs<T>,
        inner: InnerBackend<'a, T>,
        wanted: ResultSet,
    ) -> Self {
        let layout = Layout::new(settings, columns).of(wanted);
        DistributedSolve {
            manifest,
            columns,
            layout,
            inner,
            watch: settings.watch.clone(),
            cancelled: false,
            pace: None,
            taken: 0,
            done: RankTotals::default(),
        }
    }

    /// Returns whether this rank or another one cancelled the solve.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled || self.watch.is_cancelled()
    }

    /// Returns how many chunks to take next, at most.
    ///
    /// The first lease is one chunk. Later ones double, within the limits of time and memory.
    pub(crate) fn most(&self) -> u64 {
        let fit = MOST_BYTES / self.manifest.bytes.saturating_mul(self.manifest.chunk).max(1);
        let by_time = self.pace.map_or(1.0, |pace| SECONDS / pace.max(1e-9));
        (2 * self.taken).min(by_time as u64).min(fit as u64).max(1)
    }

    /// Computes some chunks, and passes them to `commit`.
    ///
    /// If the solve is cancelled meanwhile, unfinished chunks are left out.
    pub(crate) fn compute(
        &mut self,
        chunks: Range<u64>,
        commit: Commit<'_, T>,
    ) -> Result<(), SolveError> {
        let begin = Instant::now();
        let range = self.range(chunks.clone());
        let columns = range.to_inputs()?;
        let mut sink = Collect::of(self.layout.wanted);
        let run = (self.inner)(&columns, &mut sink)?;
        let results = sink.into_results();
        let mut computed = Vec::new();
        for chunk in chunks.clone() {
            let inputs = self.range(chunk..chunk + 1);
            let from = inputs.indices().start - range.indices().start;
            let within = from..from + inputs.len();
            if self.watch.is_cancelled() && !is_finished(&results, within.clone()) {
                continue;
            }
            let (lease, results) = (range, &results);
            computed.push(ComputedChunk { chunk, inputs, lease, results, within });
        }
        commit(&computed)?;
        let count = chunks.end - chunks.start;
        self.pace = Some(begin.elapsed().as_secs_f64() / count as f64);
        self.taken = count;
        self.done.trajectories += computed.iter().map(|chunk| chunk.inputs.len()).sum::<usize>();
        self.done.leases += 1;
        self.done.warnings.extend(run.warnings);
        self.done.timings.compile += run.timings.compile;
        self.done.timings.solve += run.timings.solve;
        self.done.timings.transfer += run.timings.transfer;
        Ok(())
    }

    /// Passes the results of all trajectories to `sink`, batch by batch. `read` reads each chunk.
    /// The first batch with a trajectory that was not solved is the last one.
    pub(crate) fn hand_over(
        &mut self,
        sink: &mut dyn ResultSink<T>,
        read: Read<'_, 'a, T>,
    ) -> Result<(), SolveError> {
        let layout = self.layout.of(sink.wants());
        let [mut results, mut of_chunk] = [(); 2].map(|()| RawResults::default());
        let mut last = None;
        for batch in self.columns.batches(sink.batch()) {
            let (all, n) = (batch.indices(), batch.len());
            results.fit(&layout, n)?;
            let (mut next, mut complete) = (all.start, true);
            while next < all.end {
                let number = (next / self.manifest.chunk) as u64;
                let is_known = match last {
                    Some((known, is_known)) if known == number => is_known,
                    _ => read(self, number, &mut of_chunk)?,
                };
                let chunk = self.manifest.trajectories_of(number..number + 1);
                let end = chunk.end.min(all.end);
                let within = next - chunk.start..end - chunk.start;
                let at = next - all.start;
                if is_known {
                    let from = (&of_chunk, chunk.len());
                    results_bytes::copy(from, within, (&mut results, n), at);
                } else {
                    complete = false;
                    let (_, rest) = ResultSlices::whole(&mut results, n).split(at);
                    rest.split(end - next).0.cancel();
                }
                last = Some((number, is_known));
                next = end;
            }
            if sink.store(batch, &mut results)?.is_break() || !complete {
                break;
            }
        }
        Ok(())
    }

    /// Returns the inputs of some chunks.
    pub(crate) fn range(&self, chunks: Range<u64>) -> InputRange<'a, T> {
        let Range { start, end } = self.manifest.trajectories_of(chunks);
        let first = self.columns.first;
        self.columns.range(first + start as u64..first + end as u64)
    }
}

/// Returns whether a cancelled solve has finished these trajectories; `false` if it is unknown.
fn is_finished<T: Scalar>(results: &RawResults<T>, within: Range<usize>) -> bool {
    let codes = results.codes.get(within);
    codes.is_some_and(|codes| {
        codes.iter().all(|code| ReturnCode::from_lane(*code) != ReturnCode::Cancelled)
    })
}
