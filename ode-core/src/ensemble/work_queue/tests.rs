//! Tests of the work queue.

use super::*;
use crate::watch::{CancellationToken, Watch};
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

/// After cancellation, no work is leased and no worker waits.
#[test]
fn a_cancelled_queue_leases_nothing() {
    let token = CancellationToken::new();
    let watch = Watch::default().token(token.clone()).begin();
    let each = ChunkLimits { least: 10, most: 10 };
    let queue = WorkQueue::new(Some(0..100), [each; 3]).watched(&watch);
    let [first, second, third] = [0, 1, 2].map(|index| queue.worker_handle(index));
    let (one, two) = (first.take().unwrap(), second.take().unwrap());
    token.cancel();
    assert!(first.take().is_none() && second.take_now().is_none() && third.take().is_none());
    one.done();
    drop((two, first, second, third));
    assert_eq!(queue.finished_by(0), Finished { trajectories: 10, chunks: 1 });
    let left: usize = queue.into_left().iter().map(Divisible::count).sum();
    assert_eq!(left, 90);
}

/// The chunks of a single worker grow until the last ones, which are short again.
#[test]
fn chunks_of_a_single_worker_are_few() {
    let limits = ChunkLimits { least: 100, most: 600 };
    let queue = WorkQueue::new(Some(0..1600), [limits]);
    let handle = queue.worker_handle(0);
    let sizes = std::iter::from_fn(|| {
        handle.take_now().map(|mut lease| {
            let count = lease.work().len();
            lease.done();
            count
        })
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [100, 100, 200, 400, 600, 200]);
    assert_eq!(handle.chunk_limits(), limits);
}

/// Leases of watched solves have limited times, at the last speed of the worker.
#[test]
fn leases_have_limited_times() {
    let mut worker = WorkerState::new(ChunkLimits { least: 10, most: 1_000_000 });
    worker.taken = 1_000_000;
    worker.speed = Some(5.0);
    worker.last = Some((Instant::now(), 1000.0));
    let size = |worker: &WorkerState, seconds| {
        lease_size(1_000_000, core::slice::from_ref(worker), 0, true, seconds)
    };
    assert_eq!(size(&worker, f64::INFINITY), 750_000);
    assert_eq!(size(&worker, 0.2), 200);
    worker.last = Some((Instant::now(), 1.0));
    assert_eq!(size(&worker, 0.2), 10);
}

/// Leases of a device that ends long kernels have limited times in all solves.
#[test]
fn leases_of_a_limited_worker_are_short() {
    let queue = WorkQueue::new(Some(0..10_000), [ChunkLimits { least: 10, most: 10_000 }]);
    let handle = queue.worker_handle(0);
    let next = || {
        let mut state = queue.lock();
        state.workers[0].taken = 10_000;
        state.workers[0].last = Some((Instant::now(), 1000.0));
        drop(state);
        handle.take().unwrap().work().len()
    };
    assert_eq!(next(), 7500);
    handle.keep_leases_short();
    assert_eq!(next(), 200);
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
