//! The computation of chunks by a rank, and the assembly of their results.

use core::ops::Range;
use std::time::Instant;

use ode_core::lane::Scalar;
use ode_core::problem::inputs::{InputRange, Inputs};
use ode_core::problem::layout::Layout;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::{ResultSet, ResultSlices};
use ode_core::{
    Collect, RawResults, ResultSink, ReturnCode, RunReport, SolveError, SolveWatch, Timings,
    Warning,
};

use crate::error::ClusterError;
use crate::manifest::{self, Manifest};
use crate::store::chunk::{self, ChunkId, Mismatch};

/// The largest size of the results of a lease, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// The target duration of a lease in seconds; at most this much is lost if the rank is killed.
const SECONDS: f64 = 5.0;

/// The inner backend, which computes trajectories.
pub(crate) type InnerBackend<'a, T> =
    &'a dyn Fn(&Inputs<T>, &mut dyn ResultSink<T>) -> Result<RunReport, SolveError>;

/// Returns the bytes of a chunk, or `None` if the solve was cancelled before it.
type Read<'r, 'a, T> =
    &'r mut dyn FnMut(&mut DistributedSolve<'a, T>, u64) -> Result<Option<Vec<u8>>, SolveError>;

/// A solve, and the progress of this rank.
pub(crate) struct DistributedSolve<'a, T> {
    manifest: &'a Manifest,
    columns: &'a Inputs<T>,
    layout: Layout,
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

    /// Computes some chunks, and passes the bytes of each to `commit`.
    ///
    /// If the solve is cancelled meanwhile, unfinished chunks are left out.
    pub(crate) fn compute(
        &mut self,
        chunks: Range<u64>,
        commit: &mut dyn FnMut(u64, Vec<u8>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let begin = Instant::now();
        let range = self.range(chunks.clone());
        let (columns, n) = (range.to_inputs()?, range.len());
        let mut sink = Collect::of(self.layout.wanted);
        let run = (self.inner)(&columns, &mut sink)?;
        let results = sink.into_results();
        let mut finished = 0;
        for chunk in chunks.clone() {
            let id = self.id(chunk);
            let from =
                self.manifest.trajectories_of(chunk..chunk + 1).start - range.indices().start;
            let within = from..from + id.len;
            if self.watch.is_cancelled() && !is_finished(&results, within.clone()) {
                continue;
            }
            finished += id.len;
            commit(chunk, chunk::encode(&id, &self.layout, (&results, n), within))?;
        }
        let count = chunks.end - chunks.start;
        self.pace = Some(begin.elapsed().as_secs_f64() / count as f64);
        self.taken = count;
        self.done.trajectories += finished;
        self.done.leases += 1;
        self.done.warnings.extend(run.warnings);
        self.done.timings.compile += run.timings.compile;
        self.done.timings.solve += run.timings.solve;
        self.done.timings.transfer += run.timings.transfer;
        Ok(())
    }

    /// Checks the bytes of a chunk that was read.
    pub(crate) fn check(&self, chunk: u64, bytes: &[u8]) -> Result<(), Mismatch> {
        chunk::check(bytes, &self.id(chunk), &self.layout)
    }

    /// Passes the results of all trajectories to `sink`, batch by batch. `read` returns the valid
    /// bytes of each chunk. The first batch with a trajectory that was not solved is the last one.
    pub(crate) fn hand_over(
        &mut self,
        sink: &mut dyn ResultSink<T>,
        read: Read<'_, 'a, T>,
    ) -> Result<(), SolveError> {
        let mut results = RawResults::default();
        let mut last: Option<(u64, Option<Vec<u8>>)> = None;
        for batch in self.columns.batches(sink.batch()) {
            let (all, n) = (batch.indices(), batch.len());
            results.fit(&self.layout, n)?;
            let (mut next, mut complete) = (all.start, true);
            while next < all.end {
                let number = (next / self.manifest.chunk) as u64;
                let bytes = match last.take() {
                    Some((known, bytes)) if known == number => bytes,
                    _ => read(self, number)?,
                };
                let chunk = self.manifest.trajectories_of(number..number + 1);
                let end = chunk.end.min(all.end);
                let within = next - chunk.start..end - chunk.start;
                let at = next - all.start;
                match &bytes {
                    Some(bytes) => {
                        let to = (&mut results, n);
                        chunk::decode(bytes, chunk.len(), within, to, at)
                            .ok_or(ClusterError::Short { chunk: number, bytes: bytes.len() })?;
                    }
                    None => {
                        complete = false;
                        let (_, rest) = ResultSlices::whole(&mut results, n).split(at);
                        rest.split(end - next).0.cancel();
                    }
                }
                last = Some((number, bytes));
                next = end;
            }
            if sink.store(batch, &mut results)?.is_break() || !complete {
                break;
            }
        }
        Ok(())
    }

    fn range(&self, chunks: Range<u64>) -> InputRange<'a, T> {
        let Range { start, end } = self.manifest.trajectories_of(chunks);
        let first = self.columns.first;
        self.columns.range(first + start as u64..first + end as u64)
    }

    fn id(&self, chunk: u64) -> ChunkId {
        let range = self.range(chunk..chunk + 1);
        let (first, len) = (range.numbers().start, range.len());
        ChunkId { manifest: self.manifest.hash, inputs: manifest::inputs(range), chunk, first, len }
    }
}

/// Returns whether a cancelled solve has finished these trajectories; `false` if it is unknown.
fn is_finished<T: Scalar>(results: &RawResults<T>, within: Range<usize>) -> bool {
    let codes = results.codes.get(within);
    codes.is_some_and(|codes| {
        codes.iter().all(|code| ReturnCode::from_lane(*code) != ReturnCode::Cancelled)
    })
}
