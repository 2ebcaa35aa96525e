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
    /// Trajectories per second.
    speed: Option<f64>,
    gone: bool,
}

impl WorkerState {
    fn new(limits: ChunkLimits) -> Self {
        let least = limits.least.max(1);
        let limits = ChunkLimits { least, most: limits.most.max(least) };
        WorkerState { limits, since: None, taken: 0, done: 0, chunks: 0, speed: None, gone: false }
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
        let seconds = if self.watch.is_watched() { WATCHED_SECONDS } else { f64::INFINITY };
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
/// The number is half of the worker's expected share, within its chunk limits. 0 if the other
/// workers would finish the remaining trajectories before this worker finished its smallest chunk.
/// Also 0 if the rest is reserved for workers without a first chunk, unless no chunk is leased
/// (`alone`). At the worker's speed, more than the least number takes at most `seconds`.
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
    let in_time = worker.speed.map_or(usize::MAX, |speed| (speed * seconds) as usize);
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
    let size = ((share / 2.0) as usize).clamp(least, most).min(left);
    // A smaller rest would not be worth a chunk.
    if left - size < least / 2 && left <= most { left } else { size }
}

/// The access of one worker to the queue.
pub struct WorkerHandle<'d, W: Divisible> {
    queue: &'d WorkQueue<W>,
    index: usize,
}

impl<'d, W: Divisible> WorkerHandle<'d, W> {
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
            worker.speed = Some(worker.done as f64 / since.elapsed().as_secs_f64().max(1e-9));
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
mod tests {
    use super::*;
    use core::ops::Range;
    use std::sync::Barrier;

    impl Divisible for Range<usize> {
        fn count(&self) -> usize {
            self.len()
        }

        fn split(self, count: usize) -> (Self, Self) {
            let middle = self.start + count;
            (self.start..middle, middle..self.end)
        }
    }

    const ANY: ChunkLimits = ChunkLimits { least: 1, most: 1000 };

    /// Several threads take chunks and drop every third one: in the end each index is done once.
    #[test]
    fn everything_is_done_once() {
        for workers in [1, 2, 3, 7, 64] {
            let queue = WorkQueue::new(Some(0..20_000), vec![ANY; workers]);
            let done = Mutex::new(vec![0; 20_000]);
            let begin = Barrier::new(workers);
            std::thread::scope(|scope| {
                for index in 0..workers {
                    let (handle, done, begin) = (queue.worker_handle(index), &done, &begin);
                    scope.spawn(move || {
                        begin.wait();
                        let mut count = index;
                        while let Some(mut lease) = handle.take() {
                            count += 1;
                            if count % 3 == 0 {
                                continue;
                            }
                            if count % 5 == 0 {
                                lease.keep(7);
                            }
                            let range = lease.work().clone();
                            done.lock().unwrap()[range].iter_mut().for_each(|n| *n += 1);
                            lease.done();
                        }
                    });
                }
            });
            assert!(done.into_inner().unwrap().iter().all(|&n| n == 1));
            let all: usize = (0..workers).map(|i| queue.finished_by(i).trajectories).sum();
            assert_eq!(all, 20_000);
            assert!(queue.into_left().is_empty());
        }
    }

    /// If a worker leaves with a lease, another worker, which waits, gets the chunk.
    #[test]
    fn what_one_gives_back_another_one_takes() {
        let queue = WorkQueue::new(Some(0..10), [ChunkLimits { least: 10, most: 10 }; 2]);
        let (first, second) = (queue.worker_handle(0), queue.worker_handle(1));
        let lost = first.take().unwrap();
        assert!(second.take_now().is_none());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || {
                let mut lease = second.take().unwrap();
                assert_eq!(*lease.work(), 0..10);
                lease.done();
                assert!(second.take().is_none());
            });
            drop((lost, first));
            waiting.join().unwrap();
        });
        assert_eq!(queue.finished_by(0), Finished::default());
        assert_eq!(queue.finished_by(1), Finished { trajectories: 10, chunks: 1 });
    }

    #[test]
    fn what_nobody_can_do_is_left() {
        let queue = WorkQueue::new(Some(0..100), [ChunkLimits { least: 10, most: 20 }]);
        let handle = queue.worker_handle(0);
        handle.take().unwrap().done();
        drop((handle.take(), handle));
        let left: usize = queue.into_left().iter().map(Divisible::count).sum();
        // The first chunk has the least size.
        assert_eq!(left, 90);
    }

    /// A fast worker takes no second chunk before the others have had their first one, unless no
    /// chunk is leased.
    #[test]
    fn everybody_gets_something() {
        let each = ChunkLimits { least: 10, most: 10 };
        let queue = WorkQueue::new(Some(0..30), [each; 3]);
        let [first, second, third] = [0, 1, 2].map(|index| queue.worker_handle(index));
        let one = first.take_now().unwrap();
        assert!(first.take_now().is_none());
        let two = second.take_now().unwrap();
        assert!(first.take_now().is_none() && second.take_now().is_none());
        one.done();
        two.done();
        // The third worker has not begun, and no lease is out: the rest must not wait for the third
        // worker.
        let three = second.take().unwrap();
        assert!(third.take_now().is_none());
        three.done();
        assert_eq!([0, 1, 2].map(|i| queue.finished_by(i).chunks), [1, 2, 0]);
    }

    /// A chunk that does not fit is cut, and later chunks are no larger.
    #[test]
    fn memory_that_does_not_suffice_is_not_asked_for_again() {
        let queue = WorkQueue::new(Some(0..1000), [ChunkLimits { least: 100, most: 400 }]);
        let handle = queue.worker_handle(0);
        let mut first = handle.take().unwrap();
        assert_eq!(*first.work(), 0..100);
        first.keep(60);
        assert_eq!(*first.work(), 0..60);
        first.done();
        let mut next = 60;
        while let Some(mut lease) = handle.take() {
            assert_eq!(lease.work().start, next);
            next = lease.work().end;
            assert!(lease.work().count() <= 60);
            lease.done();
        }
        assert_eq!(next, 1000);
    }

    /// Simulates workers of these speeds by the rule above, and returns their efficiency: the time
    /// without any waiting, divided by the time until all work is finished. Chunk `k` takes
    /// `cost(k)` times as long as the worker's speed predicts, and each chunk takes `overhead`
    /// more.
    fn simulated(
        speeds: &[f64],
        limits: &[ChunkLimits],
        total: usize,
        overhead: f64,
        cost: impl Fn(usize) -> f64,
    ) -> f64 {
        let mut workers: Vec<WorkerState> = limits.iter().copied().map(WorkerState::new).collect();
        let count = workers.len();
        let (mut left, mut time, mut chunks) = (total, vec![0.0; count], 0);
        let mut waits = vec![false; count];
        let mut last = 0.0f64;
        while left > 0 {
            let ready = (0..count).filter(|&i| !waits[i]);
            let i = ready.min_by(|&a, &b| f64::total_cmp(&time[a], &time[b])).unwrap();
            let alone = (0..count).all(|j| j == i || time[j] <= time[i]);
            let size = lease_size(left, &workers, i, alone, f64::INFINITY);
            if size == 0 {
                waits[i] = true;
                continue;
            }
            left -= size;
            time[i] += overhead + size as f64 / speeds[i] * cost(chunks);
            chunks += 1;
            workers[i].taken += size;
            workers[i].speed = Some(workers[i].taken as f64 / time[i]);
            last = last.max(time[i]);
        }
        total as f64 / speeds.iter().sum::<f64>() / last
    }

    /// Devices of unequal speed, with CPU threads beside them, are busy nearly all of the time.
    #[test]
    fn simulated_devices_finish_together() {
        // Speeds in trajectories per second, for about 1e8 per second in all; a launch costs 20 us.
        let total = 1 << 24;
        let device = ChunkLimits { least: 1 << 16, most: 1 << 18 };
        let uneven = |k: usize| 0.8 + 0.4 * ((k * 7919) % 101) as f64 / 100.0;
        println!("| devices | efficiency |\n|---|---|");
        for (count, least) in [(1, 0.97), (2, 0.97), (4, 0.95), (8, 0.92)] {
            let equal = vec![1e7; count];
            let unequal: Vec<f64> = (0..count).map(|i| 1e7 * (1 + i % 4) as f64).collect();
            for speeds in [equal, unequal] {
                let limits = vec![device; count];
                let found = simulated(&speeds, &limits, total, 2e-5, uneven);
                println!("| {count}: {speeds:?} | {found:.3} |");
                assert!(found > least, "{speeds:?}: {found}");
            }
        }
        // So many devices that each gets only a few chunks.
        let speeds: Vec<f64> = (0..64).map(|i| 1e7 * (1 + i % 4) as f64).collect();
        let found = simulated(&speeds, &[device; 64], 1 << 28, 2e-5, uneven);
        println!("| 64, of four speeds, 2^28 | {found:.3} |");
        assert!(found > 0.97, "{found}");
        // A CPU thread is a thousand times slower: the device must not wait for the thread's last
        // chunk.
        let mut speeds = vec![1e5; 16];
        speeds.push(1e8);
        let mut limits = vec![ChunkLimits { least: 64, most: 8192 }; 16];
        limits.push(device);
        let found = simulated(&speeds, &limits, total, 2e-5, uneven);
        println!("| 1, and 16 threads | {found:.3} |");
        assert!(found > 0.95, "{found}");
    }
}
