//! Chunks: consecutive trajectories and the slices for their results.

use crate::ensemble::raw_gradients::GradientSlices;
use crate::ensemble::work_queue::Divisible;
use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::solution::ResultSlices;
use crate::watch::SolveWatch;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A chunk: consecutive trajectories and the slices for their results.
#[derive(Debug)]
pub struct Chunk<'a, T> {
    /// The trajectories.
    pub inputs: InputRange<'a, T>,
    /// The slices for their results.
    pub results: ResultSlices<'a, T>,
    /// The slices for their gradients, if the request is an adjoint.
    pub gradients: Option<GradientSlices<'a, T>>,
}

impl<T: Scalar> Divisible for Chunk<'_, T> {
    fn count(&self) -> usize {
        self.inputs.len()
    }

    fn split(self, count: usize) -> (Self, Self) {
        let (inputs, later) = self.inputs.split(count);
        let (results, behind) = self.results.split(count);
        let (gradients, rest) = self.gradients.map(|slices| slices.split(count)).unzip();
        (
            Chunk { inputs, results, gradients },
            Chunk { inputs: later, results: behind, gradients: rest },
        )
    }
}

impl<T: Scalar> Chunk<'_, T> {
    /// Reborrows the slices.
    pub(super) fn reborrow(&mut self) -> Chunk<'_, T> {
        Chunk {
            inputs: self.inputs,
            results: self.results.reborrow(),
            gradients: self.gradients.as_mut().map(GradientSlices::reborrow),
        }
    }

    /// Cuts the chunk into chunks of `size` trajectories; the last one may be smaller.
    pub(super) fn cut(self, size: usize) -> Vec<Self> {
        let (mut chunks, mut rest) = (Vec::new(), self);
        while rest.count() > size {
            let (chunk, behind) = rest.split(size);
            chunks.push(chunk);
            rest = behind;
        }
        if rest.count() > 0 {
            chunks.push(rest);
        }
        chunks
    }

    /// Writes the results of trajectories that are not solved, on all threads.
    pub(super) fn cancel_all(self) {
        EvaluationThreads::Pool.each_of(self.cut(CANCELLED_AT_A_TIME), &Chunk::cancel);
    }

    /// Writes the results of trajectories that are not solved: the code
    /// [`Cancelled`](crate::ReturnCode::Cancelled), and gradients of 0.
    pub(super) fn cancel(mut self) {
        self.results.cancel();
        if let Some(gradients) = &mut self.gradients {
            gradients.cancel();
        }
    }
}

/// The number of trajectories that one thread cancels at a time.
const CANCELLED_AT_A_TIME: usize = 1 << 16;

/// The target duration of a CPU thread's chunk in a watched solve, in seconds.
const SECONDS: f64 = 0.1;

/// The duration of chunks with more than [`ENOUGH`] trajectories, in seconds.
///
/// A shorter one, since the trajectories of a sweep may suddenly take longer.
const SHORT: f64 = 0.005;

/// The size of a chunk with negligible idle lanes at its end.
const ENOUGH: usize = 512;

/// Cuts the chunks of CPU threads by time, if the solve is watched.
///
/// Between these chunks the solve can be cancelled. Their size follows from the speed of the last
/// one, which all threads share. Without a watch, nothing is cut.
#[derive(Debug)]
pub(super) struct ChunkCutter<'w> {
    watch: &'w SolveWatch,
    least: usize,
    /// The size of the next chunk.
    size: AtomicUsize,
}

impl<'w> ChunkCutter<'w> {
    /// Creates the cutter for threads with so many lanes.
    pub(super) fn new(watch: &'w SolveWatch, lanes: usize) -> Self {
        let least = if lanes > 1 { 2 * lanes } else { 1 };
        ChunkCutter { watch, least, size: AtomicUsize::new(least) }
    }

    /// Calls `run` with consecutive chunks of `work`, until all are finished or the solve is
    /// cancelled. Returns the rest.
    ///
    /// # Errors
    /// The first error of `run`.
    pub(super) fn run<W: Divisible>(
        &self,
        work: W,
        run: &mut dyn FnMut(W) -> Result<(), SolveError>,
    ) -> Result<Option<W>, SolveError> {
        if !self.watch.is_watched() {
            return run(work).map(|()| None);
        }
        let mut left = Some(work);
        while let Some(rest) = left.take() {
            if self.watch.is_cancelled() {
                return Ok(Some(rest));
            }
            let size = self.size.load(Ordering::Relaxed);
            let now = if size < rest.count() {
                let (now, later) = rest.split(size);
                left = Some(later);
                now
            } else {
                rest
            };
            let (count, begin) = (now.count(), Instant::now());
            run(now)?;
            let next = self.next(count, begin.elapsed().as_secs_f64());
            self.size.store(next, Ordering::Relaxed);
        }
        Ok(None)
    }

    /// Returns the size of the chunk after one of `count` trajectories that took `seconds`.
    fn next(&self, count: usize, seconds: f64) -> usize {
        let within = |limit: f64| (limit * count as f64 / seconds.max(1e-9)) as usize;
        let size = within(SECONDS).min(ENOUGH).max(within(SHORT));
        // All lanes end together, if trajectories take the same time.
        size.min(2 * count).max(self.least).next_multiple_of(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{CancellationToken, Watch};
    use core::ops::Range;

    #[test]
    fn chunks_have_limited_times() {
        let cutter = ChunkCutter::new(&SolveWatch::NONE, 8);
        // Slow trajectories take the least chunks.
        assert_eq!(cutter.next(16, 3.0), 16);
        // 1 ms each: 0.1 s.
        assert_eq!(cutter.next(64, 0.064), 112);
        // 0.1 ms each: as many as idle lanes allow.
        assert_eq!(cutter.next(1000, 0.1), 512);
        // 1 us each: 5 ms, but chunks at most double.
        assert_eq!(cutter.next(16, 1.6e-5), 32);
        assert_eq!(cutter.next(4000, 4e-3), 5008);
        assert_eq!(cutter.next(16, 0.0), 32);
        // One lane.
        assert_eq!(ChunkCutter::new(&SolveWatch::NONE, 1).next(1, 0.06), 1);
    }

    /// All of the work is done once and in order, and none after cancellation.
    #[test]
    fn work_is_cut_and_cancelled() {
        let token = CancellationToken::new();
        let watch = Watch::default().token(token.clone()).begin();
        let mut done = Vec::new();
        let whole = |watch, done: &mut Vec<Range<usize>>, stop: usize| {
            ChunkCutter::new(watch, 1).run(0..1000_usize, &mut |range: Range<usize>| {
                if range.contains(&stop) {
                    token.cancel();
                }
                done.push(range);
                Ok(())
            })
        };
        assert_eq!(whole(&SolveWatch::NONE, &mut done, 2000).unwrap(), None);
        assert_eq!((done.len(), &done[0]), (1, &(0..1000)));
        done.clear();
        assert_eq!(whole(&watch, &mut done, 2000).unwrap(), None);
        assert!(done.len() > 1 && done.iter().cloned().flatten().eq(0..1000), "{done:?}");
        done.clear();
        let rest = whole(&watch, &mut done, 7).unwrap().unwrap();
        assert!(rest.start > 7 && rest.start < 1000);
        assert!(done.iter().cloned().flatten().eq(0..rest.start), "{done:?}");
        assert_eq!(whole(&watch, &mut Vec::new(), 2000).unwrap(), Some(0..1000));
    }
}
