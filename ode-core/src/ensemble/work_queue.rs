//! The work queue from which workers take chunks, each as fast as it can.
//!
//! The results of a trajectory depend only on its index. So any worker may solve it, even twice: an
//! unfinished chunk returns to the queue, and another worker takes it.
//!
//! Chunks shrink towards the end of the queue, so that all workers finish at about the same time. A
//! worker gets half of its expected share of the remaining trajectories, computed from its measured
//! speed ("factoring", Flynn Hummel, Schonberg and Flynn, "Factoring: a method for scheduling
//! parallel loops", Communications of the ACM 35(8), 1992).

use crate::watch::SolveWatch;
use core::fmt;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Work that can be split.
pub trait Divisible: Sized {
    /// Returns the number of trajectories.
    fn count(&self) -> usize;

    /// Splits into the first `count` trajectories and the rest.
    ///
    /// `count` is positive and less than the number of trajectories.
    fn split(self, count: usize) -> (Self, Self);
}

/// Chunk limits: the number of trajectories that a worker takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLimits {
    /// The least number: a smaller chunk costs more than it is worth.
    ///
    /// The last chunk may be smaller.
    pub least: usize,
    /// The greatest number: more do not fit into memory.
    pub most: usize,
}

/// The target duration of a lease of a watched solve, in seconds.
///
/// A worker that is cancelled finishes its leases.
pub const WATCHED_SECONDS: f64 = 0.2;

/// The work queue of a number of workers.
pub struct WorkQueue<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
    watch: SolveWatch,
}

struct State<W> {
    left: VecDeque<W>,
    /// The number of chunks that are leased and not finished.
    out: usize,
    workers: Vec<WorkerState>,
}

/// The state of a worker.
#[derive(Clone, Debug)]
struct WorkerState {
    limits: ChunkLimits,
    /// When the worker took its first chunk.
    since: Option<Instant>,
    /// The number of trajectories that the worker has taken.
    taken: usize,
    /// The number of trajectories that the worker has finished.
    done: usize,
    /// The number of chunks that the worker has finished.
    chunks: usize,
    /// Trajectories per second, since the first chunk.
    speed: Option<f64>,
    /// When the worker finished its last chunk, and the speed since the chunk before.
    last: Option<(Instant, f64)>,
    /// Whether its leases are short, as in a watched solve.
    short: bool,
    gone: bool,
}

impl WorkerState {
    fn new(limits: ChunkLimits) -> Self {
        let least = limits.least.max(1);
        let limits = ChunkLimits { least, most: limits.most.max(least) };
        WorkerState {
            limits,
            since: None,
            taken: 0,
            done: 0,
            chunks: 0,
            speed: None,
            last: None,
            short: false,
            gone: false,
        }
    }
}

/// The work that a worker has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// The number of trajectories.
    pub trajectories: usize,
    /// The number of chunks.
    pub chunks: usize,
}

impl<W: Divisible> WorkQueue<W> {
    /// Creates the queue of `work`, for as many workers as there are chunk limits.
    pub fn new(
        work: impl IntoIterator<Item = W>,
        limits: impl IntoIterator<Item = ChunkLimits>,
    ) -> Self {
        let workers = limits.into_iter().map(WorkerState::new).collect();
        let left = work.into_iter().filter(|work| work.count() > 0).collect();
        let state = State { left, out: 0, workers };
        WorkQueue { state: Mutex::new(state), changed: Condvar::new(), watch: SolveWatch::NONE }
    }

    /// Watches the queue: it counts finished trajectories, and ends if the solve is cancelled.
    ///
    /// A lease then takes at most about [`WATCHED_SECONDS`], at the measured speed of its worker.
    #[must_use]
    pub fn watched(self, watch: &SolveWatch) -> Self {
        WorkQueue { watch: watch.clone(), ..self }
    }

    /// Takes work for worker `index`, unless the solve is cancelled.
    fn take(&self, state: &mut State<W>, index: usize) -> Option<W> {
        let is_short = self.watch.is_watched() || state.workers[index].short;
        let seconds = if is_short { WATCHED_SECONDS } else { f64::INFINITY };
        if self.watch.is_cancelled() { None } else { state.take(index, seconds) }
    }

    /// Returns the access of worker `index` to the queue.
    pub fn worker_handle(&self, index: usize) -> WorkerHandle<'_, W> {
        WorkerHandle { queue: self, index }
    }

    /// Returns the remaining work after all workers have left.
    ///
    /// Empty, unless all workers failed or the solve was cancelled.
    pub fn into_left(self) -> Vec<W> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).left.into()
    }

    /// Returns the work that worker `index` has finished.
    pub fn finished_by(&self, index: usize) -> Finished {
        let WorkerState { done, chunks, .. } = self.lock().workers[index];
        Finished { trajectories: done, chunks }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Divisible> State<W> {
    fn left(&self) -> usize {
        self.left.iter().map(W::count).sum()
    }

    fn take(&mut self, index: usize, seconds: f64) -> Option<W> {
        let size = lease_size(self.left(), &self.workers, index, self.out == 0, seconds);
        if size == 0 {
            return None;
        }
        let chunk = self.left.pop_front()?;
        self.out += 1;
        self.workers[index].taken += size.min(chunk.count());
        self.workers[index].since.get_or_insert_with(Instant::now);
        if chunk.count() <= size {
            return Some(chunk);
        }
        let (now, later) = chunk.split(size);
        self.left.push_front(later);
        Some(now)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the number of trajectories, of `left`, that worker `index` gets now.
///
/// The number is half of the worker's expected share, or three quarters if no other worker is
/// there, within its chunk limits. 0 if the other workers would finish the remaining trajectories
/// before this worker finished its smallest chunk. Also 0 if the rest is reserved for workers
/// without a first chunk, unless no chunk is leased (`alone`). At the speed of the worker's last
/// chunk, more than the least number takes at most `seconds`.
fn lease_size(
    left: usize,
    workers: &[WorkerState],
    index: usize,
    alone: bool,
    seconds: f64,
) -> usize {
    let there = || workers.iter().filter(|worker| !worker.gone);
    let known: Vec<f64> = there().filter_map(|worker| worker.speed).collect();
    // A worker of unknown speed is expected to have the mean speed.
    let average = if known.is_empty() { 1.0 } else { mean(&known) };
    let speed_of = |worker: &WorkerState| worker.speed.unwrap_or(average);
    let worker = &workers[index];
    let (speed, all) = (speed_of(worker), there().map(speed_of).sum::<f64>());
    let ChunkLimits { least, most } = worker.limits;
    // At most as many trajectories as the worker has taken so far. So a worker starts at once, even
    // while the inputs of later trajectories are being evaluated, and does not overtake their
    // evaluation.
    let most = worker.taken.clamp(least, most);
    let in_time = worker.last.map_or(usize::MAX, |(_, speed)| (speed * seconds) as usize);
    let most = most.min(in_time.max(least));
    let others = || workers.iter().enumerate().filter(|(i, other)| *i != index && !other.gone);
    // A worker that has not begun yet also gets a first chunk.
    let beginners = others().filter(|(_, other)| other.taken == 0);
    let theirs: usize = beginners.map(|(_, other)| other.limits.least).sum();
    if !alone && worker.taken > 0 && left <= theirs {
        return 0;
    }
    // The other workers also take at least their least number.
    let turns = others().map(|(_, other)| other.limits.least.min(left) as f64 / speed_of(other));
    let turn = turns.fold(f64::INFINITY, f64::min);
    let by_others = left as f64 / (all - speed) + turn;
    let needed = alone || worker.speed.is_none() || turn.is_infinite();
    if !needed && least.min(left) as f64 / speed > by_others {
        return 0;
    }
    let share = left as f64 * speed / all;
    // A single worker needs no balance, and the last chunk stays short.
    let part = if others().next().is_some() { 0.5 } else { 0.75 };
    let size = ((share * part) as usize).clamp(least, most).min(left);
    // A smaller rest would not be worth a chunk.
    if left - size <= least / 2 && left <= most { left } else { size }
}

/// The access of one worker to the queue.
pub struct WorkerHandle<'d, W: Divisible> {
    queue: &'d WorkQueue<W>,
    index: usize,
}

impl<'d, W: Divisible> WorkerHandle<'d, W> {
    /// Limits the duration of this worker's leases, as in a watched solve.
    ///
    /// Such a lease takes at most about [`WATCHED_SECONDS`], at the measured speed of the worker.
    pub fn keep_leases_short(&self) {
        self.queue.lock().workers[self.index].short = true;
    }

    /// Returns the chunk limits of this worker.
    #[must_use]
    pub fn chunk_limits(&self) -> ChunkLimits {
        self.queue.lock().workers[self.index].limits
    }

    /// Takes the next chunk, without waiting.
    ///
    /// Returns `None` if no work is left, or if other workers would finish it sooner.
    pub fn take_now(&self) -> Option<Lease<'d, W>> {
        let work = self.queue.take(&mut self.queue.lock(), self.index)?;
        Some(self.lease(work))
    }

    /// Takes the next chunk; waits while other workers may return one.
    ///
    /// Returns `None` if all work is finished, or the solve is cancelled.
    pub fn take(&self) -> Option<Lease<'d, W>> {
        let mut state = self.queue.lock();
        loop {
            if let Some(work) = self.queue.take(&mut state, self.index) {
                return Some(self.lease(work));
            }
            let over = state.left.is_empty() && state.out == 0;
            if over || self.queue.watch.is_cancelled() {
                return None;
            }
            let changed = self.queue.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lease(&self, work: W) -> Lease<'d, W> {
        // Other workers may be waiting until this one has its first chunk.
        self.queue.changed.notify_all();
        Lease { queue: self.queue, index: self.index, work: Some(work) }
    }
}

impl<W: Divisible> Drop for WorkerHandle<'_, W> {
    /// Removes the worker from the shares of the others.
    fn drop(&mut self) {
        self.queue.lock().workers[self.index].gone = true;
        self.queue.changed.notify_all();
    }
}

/// The lease of a chunk; the chunk returns to the queue if dropped before [`done`](Self::done).
pub struct Lease<'d, W: Divisible> {
    queue: &'d WorkQueue<W>,
    index: usize,
    /// `None` only during the drop.
    work: Option<W>,
}

impl<W: Divisible> Lease<'_, W> {
    /// Returns the leased work.
    pub fn work(&mut self) -> &mut W {
        match &mut self.work {
            Some(work) => work,
            None => unreachable!("a lease has its work until it is finished or dropped"),
        }
    }

    /// Keeps the first `count` trajectories and returns the rest to the queue.
    ///
    /// From now on the worker takes at most `count` trajectories at a time.
    pub fn keep(&mut self, count: usize) {
        let mut state = self.queue.lock();
        let worker = &mut state.workers[self.index];
        worker.limits.most = worker.limits.most.min(count.max(1));
        worker.limits.least = worker.limits.least.min(worker.limits.most);
        match self.work.take() {
            Some(work) if count.max(1) < work.count() => {
                let (now, later) = work.split(count.max(1));
                self.work = Some(now);
                state.left.push_front(later);
            }
            work => self.work = work,
        }
        drop(state);
        self.queue.changed.notify_all();
    }

    /// Marks the chunk as finished.
    pub fn done(mut self) {
        let Some(work) = self.work.take() else { return };
        let mut state = self.queue.lock();
        state.out -= 1;
        let count = work.count();
        let worker = &mut state.workers[self.index];
        worker.done += count;
        worker.chunks += 1;
        if let Some(since) = worker.since {
            let now = Instant::now();
            let speed = |count: usize, since: Instant| {
                count as f64 / now.duration_since(since).as_secs_f64().max(1e-9)
            };
            worker.speed = Some(speed(worker.done, since));
            // The first chunk may include the compilation of a kernel. Later chunks may finish at
            // once, after a delay.
            let last = match worker.last {
                Some((last, before)) => speed(count, last).min(2.0 * before),
                None => speed(count, since),
            };
            worker.last = Some((now, last));
        }
        drop(state);
        self.queue.changed.notify_all();
        self.queue.watch.finished(count);
    }
}

impl<W: Divisible> Drop for Lease<'_, W> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            let mut state = self.queue.lock();
            state.out -= 1;
            state.left.push_front(work);
            drop(state);
            self.queue.changed.notify_all();
        }
    }
}

impl<W> fmt::Debug for WorkQueue<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue").finish_non_exhaustive()
    }
}

impl<W: Divisible> fmt::Debug for WorkerHandle<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerHandle").field("index", &self.index).finish_non_exhaustive()
    }
}

impl<W: Divisible> fmt::Debug for Lease<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("index", &self.index).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
