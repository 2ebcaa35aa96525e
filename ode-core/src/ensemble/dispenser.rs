//! The queue from which those who solve take trajectories, each as fast as it can.
//!
//! The results of a trajectory depend on its number alone. So it does not matter who solves it, nor
//! whether it is solved twice: what one could not finish goes back, and another takes it.
//!
//! Pieces shrink towards the end, so that all finish together: a taker gets half of its share of
//! what is left, where its share is by the speed that was measured ("factoring", Flynn Hummel,
//! Schonberg and Flynn, "Factoring: a method for scheduling parallel loops", Communications of the
//! ACM 35(8), 1992).

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Work that can be cut.
pub trait Divisible: Sized {
    /// The number of trajectories.
    fn count(&self) -> usize;

    /// The first `count` of them, and those behind; `count` is less than there are, and not 0.
    fn split(self, count: usize) -> (Self, Self);
}

/// How many trajectories one takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appetite {
    /// Fewer are not worth a turn, unless they are the last ones.
    pub least: usize,
    /// More do not fit.
    pub most: usize,
}

/// The queue of some work, for a number of takers.
pub struct Dispenser<W> {
    state: Mutex<State<W>>,
    changed: Condvar,
}

struct State<W> {
    left: VecDeque<W>,
    /// The number of pieces that are taken and not done.
    out: usize,
    takers: Vec<Taker>,
}

/// What is known of one who takes.
#[derive(Clone, Debug)]
struct Taker {
    appetite: Appetite,
    /// When it took the first piece.
    since: Option<Instant>,
    /// How many trajectories it has taken.
    taken: usize,
    /// How many trajectories it has done.
    done: usize,
    /// The number of pieces that it has done.
    pieces: usize,
    /// Trajectories a second.
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

/// What one has done of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The number of trajectories.
    pub trajectories: usize,
    /// The number of pieces in which it took them.
    pub pieces: usize,
}

impl<W: Divisible> Dispenser<W> {
    /// The queue of `work`, for as many takers as there are appetites.
    pub fn new(
        work: impl IntoIterator<Item = W>,
        appetites: impl IntoIterator<Item = Appetite>,
    ) -> Self {
        let takers = appetites.into_iter().map(Taker::new).collect();
        let left = work.into_iter().filter(|work| work.count() > 0).collect();
        let state = State { left, out: 0, takers };
        Dispenser { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Where taker number `index` takes.
    pub fn desk(&self, index: usize) -> Desk<'_, W> {
        Desk { dispenser: self, index }
    }

    /// What is left, once all takers are gone: nothing, unless all of them failed.
    pub fn into_left(self) -> Vec<W> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).left.into()
    }

    /// What taker number `index` has done.
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

/// How many of `left` trajectories taker number `index` gets now: half of its share, within its
/// appetite. None where the others finish what is left before it would finish its least, or where it is
/// for those who have not had any, unless nobody has anything under way (`alone`).
fn portion(left: usize, takers: &[Taker], index: usize, alone: bool) -> usize {
    let there = || takers.iter().filter(|taker| !taker.gone);
    let known: Vec<f64> = there().filter_map(|taker| taker.speed).collect();
    // Of whom nothing is known yet, an average is expected.
    let average = if known.is_empty() { 1.0 } else { mean(&known) };
    let speed_of = |taker: &Taker| taker.speed.unwrap_or(average);
    let taker = &takers[index];
    let (speed, all) = (speed_of(taker), there().map(speed_of).sum::<f64>());
    let Appetite { least, most } = taker.appetite;
    // As many as before at most: so it begins at once even if the inputs of more are still made, and
    // does not overtake those who make them.
    let most = taker.taken.clamp(least, most);
    let others = || takers.iter().enumerate().filter(|(i, other)| *i != index && !other.gone);
    // Who is only about to begin gets something, too.
    let beginners = others().filter(|(_, other)| other.taken == 0);
    let theirs: usize = beginners.map(|(_, other)| other.appetite.least).sum();
    if !alone && taker.taken > 0 && left <= theirs {
        return 0;
    }
    // Others take no less than their least, either.
    let turns = others().map(|(_, other)| other.appetite.least.min(left) as f64 / speed_of(other));
    let turn = turns.fold(f64::INFINITY, f64::min);
    let by_others = left as f64 / (all - speed) + turn;
    let needed = alone || taker.speed.is_none() || turn.is_infinite();
    if !needed && least.min(left) as f64 / speed > by_others {
        return 0;
    }
    let share = left as f64 * speed / all;
    let portion = ((share / 2.0) as usize).clamp(least, most).min(left);
    // What would be left is not worth a turn.
    if left - portion < least / 2 && left <= most { left } else { portion }
}

/// Where one taker takes its pieces.
pub struct Desk<'d, W: Divisible> {
    dispenser: &'d Dispenser<W>,
    index: usize,
}

impl<'d, W: Divisible> Desk<'d, W> {
    /// The next piece. `None` where nothing is left, or others finish it sooner.
    pub fn take_now(&self) -> Option<Taken<'d, W>> {
        let work = self.dispenser.lock().take(self.index)?;
        Some(self.taken(work))
    }

    /// The next piece. Waits while others may give something back; `None` where all is done.
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
        // Others may have waited for this one to begin.
        self.dispenser.changed.notify_all();
        Taken { dispenser: self.dispenser, index: self.index, work: Some(work) }
    }
}

impl<W: Divisible> Drop for Desk<'_, W> {
    /// Who leaves has no share any more.
    fn drop(&mut self) {
        self.dispenser.lock().takers[self.index].gone = true;
        self.dispenser.changed.notify_all();
    }
}

/// A piece of work under way. It goes back when it is dropped without being [`done`](Self::done).
pub struct Taken<'d, W: Divisible> {
    dispenser: &'d Dispenser<W>,
    index: usize,
    /// `None` only while it is being dropped.
    work: Option<W>,
}

impl<W: Divisible> Taken<'_, W> {
    /// The work.
    pub fn work(&mut self) -> &mut W {
        match &mut self.work {
            Some(work) => work,
            None => unreachable!("work leaves when it is done or dropped"),
        }
    }

    /// Keeps the first `count` trajectories, and gives those behind back. From now on the taker
    /// takes no more at a time.
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

    /// Says that the results are there.
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

    /// Several threads take, and drop every third piece: each number is done once in the end.
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

    /// One that leaves with a piece hands it to another one, which waits for that.
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
        // The least at first.
        assert_eq!(left, 90);
    }

    /// One that is quick takes no second piece before the others have had their first one, unless
    /// nobody works.
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
        // The third one has not come, and nobody would solve what is left.
        let three = second.take().unwrap();
        assert!(third.take_now().is_none());
        three.done();
        assert_eq!([0, 1, 2].map(|i| dispenser.done_by(i).pieces), [1, 2, 0]);
    }

    /// A piece that does not fit is cut, and later ones are no larger.
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

    /// The time until takers of these speeds have done all, in units of the time that they would
    /// take if none ever waited: simulated, by the rule above. Piece `k` takes `cost(k)` as long as
    /// by the taker's speed, and each piece `overhead` besides.
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

    /// Devices of unequal speed, and CPU threads beside them, are busy nearly all of the time.
    #[test]
    fn simulated_devices_finish_together() {
        // Trajectories a second, as of a hundred million a second in all; a launch costs 20 us.
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
        // So many that each gets a few pieces.
        let speeds: Vec<f64> = (0..64).map(|i| 1e7 * (1 + i % 4) as f64).collect();
        let found = simulated(&speeds, &[device; 64], 1 << 28, 2e-5, uneven);
        println!("| 64, of four speeds, 2^28 | {found:.3} |");
        assert!(found > 0.97, "{found}");
        // A thread of a CPU is a thousand times slower: its last piece is not waited for.
        let mut speeds = vec![1e5; 16];
        speeds.push(1e8);
        let mut appetites = vec![Appetite { least: 64, most: 8192 }; 16];
        appetites.push(device);
        let found = simulated(&speeds, &appetites, total, 2e-5, uneven);
        println!("| 1, and 16 threads | {found:.3} |");
        assert!(found > 0.95, "{found}");
    }
}
