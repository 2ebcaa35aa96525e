//! The work queue from which workers take chunks, each as fast as it can.
//!
//! The results of a trajectory depend only on its index. So any worker may solve it, even twice: an
//! unfinished chunk returns to the queue, and another worker takes it.
//!
//! Chunks shrink towards the end of the queue, so that all workers finish at about the same time. A
//! worker gets half of its expected share of the remaining trajectories, computed from its measured
//! speed ("factoring", Flynn Hummel, Schonberg and Flynn, "Factoring: a method for scheduling
//! parallel loops", Communications of the ACM 35(8), 1992).

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
pub struct Appetite {
    /// The least number: a smaller chunk costs more than it is worth.
    ///
    /// The last chunk may be smaller.
    pub least: usize,
    /// The greatest number: more do not fit into memory.
    pub most: usize,
}

/// The work queue of a number of workers.
pub struct Dispenser<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
}

struct State<W> {
    left: VecDeque<W>,
    /// The number of chunks that are leased and not finished.
    out: usize,
    takers: Vec<Taker>,
}

/// The state of a worker.
#[derive(Clone, Debug)]
struct Taker {
    appetite: Appetite,
    /// When the worker took its first chunk.
    since: Option<Instant>,
    /// The number of trajectories that the worker has taken.
    taken: usize,
    /// The number of trajectories that the worker has finished.
    done: usize,
    /// The number of chunks that the worker has finished.
    pieces: usize,
    /// Trajectories per second.
    speed: Option<f64>,
    gone: bool,
}

impl Taker {
    fn new(appetite: Appetite) -> Self {
        let least = appetite.least.max(1);
        let appetite = Appetite { least, most: appetite.most.max(least) };
        Taker { appetite, since: None, taken: 0, done: 0, pieces: 0, speed: None, gone: false }
    }
}

/// The work that a worker has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The number of trajectories.
    pub trajectories: usize,
    /// The number of chunks.
    pub pieces: usize,
}

impl<W: Divisible> Dispenser<W> {
    /// Creates the queue of `work`, for as many workers as there are chunk limits.
    pub fn new(
        work: impl IntoIterator<Item = W>,
        appetites: impl IntoIterator<Item = Appetite>,
    ) -> Self {
        let takers = appetites.into_iter().map(Taker::new).collect();
        let left = work.into_iter().filter(|work| work.count() > 0).collect();
        let state = State { left, out: 0, takers };
        Dispenser { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the access of worker `index` to the queue.
    pub fn desk(&self, index: usize) -> Desk<'_, W> {
        Desk { dispenser: self, index }
    }

    /// Returns the remaining work after all workers have left: empty, unless all of them failed.
    pub fn into_left(self) -> Vec<W> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).left.into()
    }

    /// Returns the work that worker `index` has finished.
    pub fn done_by(&self, index: usize) -> Done {
        let Taker { done, pieces, .. } = self.lock().takers[index];
        Done { trajectories: done, pieces }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Divisible> State<W> {
    fn left(&self) -> usize {
        self.left.iter().map(W::count).sum()
    }

    fn take(&mut self, index: usize) -> Option<W> {
        let portion = portion(self.left(), &self.takers, index, self.out == 0);
        if portion == 0 {
            return None;
        }
        let piece = self.left.pop_front()?;
        self.out += 1;
        self.takers[index].taken += portion.min(piece.count());
        self.takers[index].since.get_or_insert_with(Instant::now);
        if piece.count() <= portion {
            return Some(piece);
        }
        let (now, later) = piece.split(portion);
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
/// (`alone`).
fn portion(left: usize, takers: &[Taker], index: usize, alone: bool) -> usize {
    let there = || takers.iter().filter(|taker| !taker.gone);
    let known: Vec<f64> = there().filter_map(|taker| taker.speed).collect();
    // A worker of unknown speed is expected to have the mean speed.
    let average = if known.is_empty() { 1.0 } else { mean(&known) };
    let speed_of = |taker: &Taker| taker.speed.unwrap_or(average);
    let taker = &takers[index];
    let (speed, all) = (speed_of(taker), there().map(speed_of).sum::<f64>());
    let Appetite { least, most } = taker.appetite;
    // At most as many trajectories as the worker has taken so far. So a worker starts at once, even
    // while the inputs of later trajectories are being evaluated, and does not overtake their
    // evaluation.
    let most = taker.taken.clamp(least, most);
    let others = || takers.iter().enumerate().filter(|(i, other)| *i != index && !other.gone);
    // A worker that has not begun yet also gets a first chunk.
    let beginners = others().filter(|(_, other)| other.taken == 0);
    let theirs: usize = beginners.map(|(_, other)| other.appetite.least).sum();
    if !alone && taker.taken > 0 && left <= theirs {
        return 0;
    }
    // The other workers also take at least their least number.
    let turns = others().map(|(_, other)| other.appetite.least.min(left) as f64 / speed_of(other));
    let turn = turns.fold(f64::INFINITY, f64::min);
    let by_others = left as f64 / (all - speed) + turn;
    let needed = alone || taker.speed.is_none() || turn.is_infinite();
    if !needed && least.min(left) as f64 / speed > by_others {
        return 0;
    }
    let share = left as f64 * speed / all;
    let portion = ((share / 2.0) as usize).clamp(least, most).min(left);
    // A smaller rest would not be worth a chunk.
    if left - portion < least / 2 && left <= most { left } else { portion }
}

/// The access of one worker to the queue.
pub struct Desk<'d, W: Divisible> {
    dispenser: &'d Dispenser<W>,
    index: usize,
}

impl<'d, W: Divisible> Desk<'d, W> {
    /// Takes the next chunk, without waiting.
    ///
    /// Returns `None` if no work is left, or if other workers would finish it sooner.
    pub fn take_now(&self) -> Option<Taken<'d, W>> {
        let work = self.dispenser.lock().take(self.index)?;
        Some(self.taken(work))
    }

    /// Takes the next chunk; waits while other workers may return one.
    ///
    /// Returns `None` if all work is finished.
    pub fn take(&self) -> Option<Taken<'d, W>> {
        let mut state = self.dispenser.lock();
        loop {
            if let Some(work) = state.take(self.index) {
                return Some(self.taken(work));
            }
            if state.left.is_empty() && state.out == 0 {
                return None;
            }
            let changed = self.dispenser.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn taken(&self, work: W) -> Taken<'d, W> {
        // Other workers may be waiting until this one has its first chunk.
        self.dispenser.changed.notify_all();
        Taken { dispenser: self.dispenser, index: self.index, work: Some(work) }
    }
}

impl<W: Divisible> Drop for Desk<'_, W> {
    /// Removes the worker from the shares of the others.
    fn drop(&mut self) {
        self.dispenser.lock().takers[self.index].gone = true;
        self.dispenser.changed.notify_all();
    }
}

/// The lease of a chunk; the chunk returns to the queue if dropped before [`done`](Self::done).
pub struct Taken<'d, W: Divisible> {
    dispenser: &'d Dispenser<W>,
    index: usize,
    /// `None` only during the drop.
    work: Option<W>,
}

impl<W: Divisible> Taken<'_, W> {
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
        let mut state = self.dispenser.lock();
        let taker = &mut state.takers[self.index];
        taker.appetite.most = taker.appetite.most.min(count.max(1));
        taker.appetite.least = taker.appetite.least.min(taker.appetite.most);
        match self.work.take() {
            Some(work) if count.max(1) < work.count() => {
                let (now, later) = work.split(count.max(1));
                self.work = Some(now);
                state.left.push_front(later);
            }
            work => self.work = work,
        }
        drop(state);
        self.dispenser.changed.notify_all();
    }

    /// Marks the chunk as finished.
    pub fn done(mut self) {
        let Some(work) = self.work.take() else { return };
        let mut state = self.dispenser.lock();
        state.out -= 1;
        let taker = &mut state.takers[self.index];
        taker.done += work.count();
        taker.pieces += 1;
        if let Some(since) = taker.since {
            taker.speed = Some(taker.done as f64 / since.elapsed().as_secs_f64().max(1e-9));
        }
        drop(state);
        self.dispenser.changed.notify_all();
    }
}

impl<W: Divisible> Drop for Taken<'_, W> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            let mut state = self.dispenser.lock();
            state.out -= 1;
            state.left.push_front(work);
            drop(state);
            self.dispenser.changed.notify_all();
        }
    }
}

impl<W> fmt::Debug for Dispenser<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispenser").finish_non_exhaustive()
    }
}

impl<W: Divisible> fmt::Debug for Desk<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("index", &self.index).finish_non_exhaustive()
    }
}

impl<W: Divisible> fmt::Debug for Taken<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taken").field("index", &self.index).finish_non_exhaustive()
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

    const ANY: Appetite = Appetite { least: 1, most: 1000 };

    /// Several threads take chunks and drop every third one: in the end each index is done once.
    #[test]
    fn everything_is_done_once() {
        for takers in [1, 2, 3, 7, 64] {
            let dispenser = Dispenser::new(Some(0..20_000), vec![ANY; takers]);
            let done = Mutex::new(vec![0; 20_000]);
            let begin = Barrier::new(takers);
            std::thread::scope(|scope| {
                for index in 0..takers {
                    let (desk, done, begin) = (dispenser.desk(index), &done, &begin);
                    scope.spawn(move || {
                        begin.wait();
                        let mut count = index;
                        while let Some(mut taken) = desk.take() {
                            count += 1;
                            if count % 3 == 0 {
                                continue;
                            }
                            if count % 5 == 0 {
                                taken.keep(7);
                            }
                            let range = taken.work().clone();
                            done.lock().unwrap()[range].iter_mut().for_each(|n| *n += 1);
                            taken.done();
                        }
                    });
                }
            });
            assert!(done.into_inner().unwrap().iter().all(|&n| n == 1));
            let all: usize = (0..takers).map(|i| dispenser.done_by(i).trajectories).sum();
            assert_eq!(all, 20_000);
            assert!(dispenser.into_left().is_empty());
        }
    }

    /// If a worker leaves with a lease, another worker, which waits, gets the chunk.
    #[test]
    fn what_one_gives_back_another_one_takes() {
        let dispenser = Dispenser::new(Some(0..10), [Appetite { least: 10, most: 10 }; 2]);
        let (first, second) = (dispenser.desk(0), dispenser.desk(1));
        let lost = first.take().unwrap();
        assert!(second.take_now().is_none());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(move || {
                let mut taken = second.take().unwrap();
                assert_eq!(*taken.work(), 0..10);
                taken.done();
                assert!(second.take().is_none());
            });
            drop((lost, first));
            waiting.join().unwrap();
        });
        assert_eq!(dispenser.done_by(0), Done::default());
        assert_eq!(dispenser.done_by(1), Done { trajectories: 10, pieces: 1 });
    }

    #[test]
    fn what_nobody_can_do_is_left() {
        let dispenser = Dispenser::new(Some(0..100), [Appetite { least: 10, most: 20 }]);
        let desk = dispenser.desk(0);
        desk.take().unwrap().done();
        drop((desk.take(), desk));
        let left: usize = dispenser.into_left().iter().map(Divisible::count).sum();
        // The first chunk has the least size.
        assert_eq!(left, 90);
    }

    /// A fast worker takes no second chunk before the others have had their first one, unless no
    /// chunk is leased.
    #[test]
    fn everybody_gets_something() {
        let each = Appetite { least: 10, most: 10 };
        let dispenser = Dispenser::new(Some(0..30), [each; 3]);
        let [first, second, third] = [0, 1, 2].map(|index| dispenser.desk(index));
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
        assert_eq!([0, 1, 2].map(|i| dispenser.done_by(i).pieces), [1, 2, 0]);
    }

    /// A chunk that does not fit is cut, and later chunks are no larger.
    #[test]
    fn memory_that_does_not_suffice_is_not_asked_for_again() {
        let dispenser = Dispenser::new(Some(0..1000), [Appetite { least: 100, most: 400 }]);
        let desk = dispenser.desk(0);
        let mut first = desk.take().unwrap();
        assert_eq!(*first.work(), 0..100);
        first.keep(60);
        assert_eq!(*first.work(), 0..60);
        first.done();
        let mut next = 60;
        while let Some(mut taken) = desk.take() {
            assert_eq!(taken.work().start, next);
            next = taken.work().end;
            assert!(taken.work().count() <= 60);
            taken.done();
        }
        assert_eq!(next, 1000);
    }

    /// Simulates workers of these speeds by the rule above, and returns their efficiency: the time
    /// without any waiting, divided by the time until all work is finished. Chunk `k` takes
    /// `cost(k)` times as long as the worker's speed predicts, and each chunk takes `overhead`
    /// more.
    fn simulated(
        speeds: &[f64],
        appetites: &[Appetite],
        total: usize,
        overhead: f64,
        cost: impl Fn(usize) -> f64,
    ) -> f64 {
        let mut takers: Vec<Taker> = appetites.iter().copied().map(Taker::new).collect();
        let count = takers.len();
        let (mut left, mut time, mut pieces) = (total, vec![0.0; count], 0);
        let mut waits = vec![false; count];
        let mut last = 0.0f64;
        while left > 0 {
            let ready = (0..count).filter(|&i| !waits[i]);
            let i = ready.min_by(|&a, &b| f64::total_cmp(&time[a], &time[b])).unwrap();
            let alone = (0..count).all(|j| j == i || time[j] <= time[i]);
            let portion = portion(left, &takers, i, alone);
            if portion == 0 {
                waits[i] = true;
                continue;
            }
            left -= portion;
            time[i] += overhead + portion as f64 / speeds[i] * cost(pieces);
            pieces += 1;
            takers[i].taken += portion;
            takers[i].speed = Some(takers[i].taken as f64 / time[i]);
            last = last.max(time[i]);
        }
        total as f64 / speeds.iter().sum::<f64>() / last
    }

    /// Devices of unequal speed, with CPU threads beside them, are busy nearly all of the time.
    #[test]
    fn simulated_devices_finish_together() {
        // Speeds in trajectories per second, for about 1e8 per second in all; a launch costs 20 us.
        let total = 1 << 24;
        let device = Appetite { least: 1 << 16, most: 1 << 18 };
        let uneven = |k: usize| 0.8 + 0.4 * ((k * 7919) % 101) as f64 / 100.0;
        println!("| devices | efficiency |\n|---|---|");
        for (count, least) in [(1, 0.97), (2, 0.97), (4, 0.95), (8, 0.92)] {
            let equal = vec![1e7; count];
            let unequal: Vec<f64> = (0..count).map(|i| 1e7 * (1 + i % 4) as f64).collect();
            for speeds in [equal, unequal] {
                let appetites = vec![device; count];
                let found = simulated(&speeds, &appetites, total, 2e-5, uneven);
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
        let mut appetites = vec![Appetite { least: 64, most: 8192 }; 16];
        appetites.push(device);
        let found = simulated(&speeds, &appetites, total, 2e-5, uneven);
        println!("| 1, and 16 threads | {found:.3} |");
        assert!(found > 0.95, "{found}");
    }
}
