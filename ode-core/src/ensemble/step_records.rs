//! The CPU's step records of a group of trajectories: their recorder and their backward reader.

use crate::ensemble::action_records::{ActionRecords, NONE};
use crate::ensemble::lane_io::{IDLE, LaneIo, MOST_LANES, set_bits};
use crate::ensemble::raw_gradients::{GradientSlices, LossSource, RawCotangents};
use crate::integrate::options::{End, Sink, Source};
use crate::integrate::recorded::{self, Action, RecordSource, Row};
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::reserve;
use crate::solution::ReturnCode;
use crate::step::adjoint::Back;
use crate::system::System;
use ode_macros::inlined;

/// The step records of some trajectories, in rows of one step per lane.
#[derive(Debug)]
pub(super) struct StepRecords<R: Real> {
    /// For each row: states, time, its rounding error, and step size.
    numbers: Vec<R>,
    /// For each row: the lanes with a step in it.
    lanes: Vec<u64>,
    taken: Vec<Taken>,
    actions: ActionRecords<R::Scalar>,
    /// The last trajectory of each lane.
    last: [usize; MOST_LANES],
    /// The bytes that could not be allocated; the recorder then takes no further step.
    pub(super) refused: Option<usize>,
}

/// The state of a lane's records when the lane took a trajectory.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The number of rows.
    row: usize,
    /// The last action.
    action: usize,
    /// The lane's trajectory before.
    before: usize,
}

impl<R: Real> StepRecords<R> {
    pub(super) fn new() -> Self {
        let last = [IDLE; MOST_LANES];
        let (numbers, lanes, taken) = (Vec::new(), Vec::new(), Vec::new());
        StepRecords { numbers, lanes, taken, actions: ActionRecords::new(), last, refused: None }
    }

    /// Prepares for `n` trajectories without steps. Allocated memory stays.
    pub(super) fn clear(&mut self, n: usize) {
        self.numbers.clear();
        self.lanes.clear();
        self.taken.clear();
        self.taken.resize(n, Taken { row: 0, action: NONE, before: IDLE });
        self.actions.clear();
        self.last = [IDLE; MOST_LANES];
    }

    /// Reserves memory for another row of `width` numbers; returns `false` if memory is exhausted.
    #[inlined]
    fn reserve(&mut self, width: usize) -> bool {
        let room = self.numbers.capacity() - self.numbers.len();
        (room >= width && self.lanes.capacity() > self.lanes.len()) || self.grow(width)
    }

    #[cold]
    fn grow(&mut self, width: usize) -> bool {
        if self.refused.is_some() {
            return false;
        }
        if self.numbers.capacity() - self.numbers.len() < width {
            self.refused = reserve::grow(&mut self.numbers, width.max(1 << 12)).err();
        }
        if self.refused.is_none() && self.lanes.capacity() == self.lanes.len() {
            self.refused = reserve::grow(&mut self.lanes, 1 << 8).err();
        }
        self.refused.is_none()
    }
}

/// Implements [`Source`] by the field `io`, except for the given functions.
macro_rules! fed {
    (
        impl<$($lifetime:lifetime,)* R $(, $type:ident)*> $name:ty { $($functions:item)* }
    ) => {
        impl<$($lifetime,)* R, $($type,)* const N: usize, const P: usize> Source<R, N, P> for $name
        where
            S: System<N, P>,
            T: Scalar,
            R: Real<Scalar = T>,
        {
            $($functions)*

            #[inlined]
            fn path_number(&self, t0: R) -> [R::Bits; 2] {
                Source::<R, N, P>::path_number(&self.io, t0)
            }

            #[inlined]
            fn waits(&self) -> bool {
                Source::<R, N, P>::waits(&self.io)
            }

            #[inlined]
            fn load_u(&self, assigned: R::Mask, u: [R; N]) -> [R; N] {
                Source::<R, N, P>::load_u(&self.io, assigned, u)
            }

            #[inlined]
            fn load_p(&self, assigned: R::Mask, p: &mut [R; P]) {
                Source::<R, N, P>::load_p(&self.io, assigned, p);
            }

            #[inlined]
            fn load_start(&self, assigned: R::Mask, t: R) -> R {
                Source::<R, N, P>::load_start(&self.io, assigned, t)
            }

            #[inlined]
            fn load_end(&self, assigned: R::Mask, t: R) -> R {
                Source::<R, N, P>::load_end(&self.io, assigned, t)
            }

            #[inlined]
            fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
                Source::<R, N, P>::stop_time(&self.io, which, index, t)
            }
        }
    };
}

/// A source as [`LaneIo`] which also records the steps of its trajectories.
pub(super) struct Recorder<'f, 'a, 'r, R: Real, S, T: Scalar> {
    pub(super) io: LaneIo<'f, 'a, S, T>,
    pub(super) records: &'r mut StepRecords<R>,
}

fed! {
    impl<'f, 'a, 'r, R, S, T> Recorder<'f, 'a, 'r, R, S, T> {
        #[inlined]
        fn should_refill(&mut self, need: R::Mask) -> bool {
            let refill = Source::<R, N, P>::should_refill(&mut self.io, need);
            // Without memory the loop votes, and ends.
            refill || self.records.refused.is_some()
        }

        #[inlined]
        fn vote(&mut self, alive: R::Mask) -> bool {
            Source::<R, N, P>::vote(&mut self.io, alive) && self.records.refused.is_none()
        }

        #[inlined]
        fn acquire(&mut self, need: R::Mask) -> R::Mask {
            let got = Source::<R, N, P>::acquire(&mut self.io, need);
            for lane in set_bits(got.to_bitmask()) {
                let i = self.io.lanes[lane];
                let before = core::mem::replace(&mut self.records.last[lane], i);
                let (row, action) = (self.records.lanes.len(), self.records.actions.last[lane]);
                self.records.taken[i - self.io.first] = Taken { row, action, before };
            }
            got
        }
    }
}

impl<R, S, T, const N: usize, const P: usize> Sink<R, N, P> for Recorder<'_, '_, '_, R, S, T>
where
    S: System<N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inlined]
    fn saves(&self) -> bool {
        false
    }

    #[inlined]
    fn save_time(&self, which: R::Mask, _: R::Bits, t: R) -> R {
        R::select(which, R::lit(f64::INFINITY), t)
    }

    #[inlined]
    fn save(&mut self, _: R::Mask, _: R::Bits, _: [R; N], _: [R; P], _: R) {}

    #[inlined]
    fn record(&mut self, which: R::Mask, u: &[R; N], t: R, low: R, h: R) {
        if which.any() && self.records.reserve(N + 3) {
            self.records.numbers.extend_from_slice(u);
            self.records.numbers.extend_from_slice(&[t, low, h]);
            self.records.lanes.push(which.to_bitmask());
        }
    }

    #[inlined]
    fn records_actions(&self) -> bool {
        true
    }

    #[inlined]
    fn record_action(&mut self, which: R::Mask, kind: usize, u: &[R; N], p: &[R; P], t: R) {
        let kind = <R::Bits as Bits>::lit(kind as u64);
        Sink::<R, N, P>::record_mark(self, which, kind, u, p, t);
    }

    #[inlined]
    fn record_mark(&mut self, which: R::Mask, kind: R::Bits, u: &[R; N], p: &[R; P], t: R) {
        let records = &mut *self.records;
        for lane in set_bits(which.to_bitmask()) {
            if self.io.lanes[lane] == IDLE || records.refused.is_some() {
                continue;
            }
            let modes = p.iter().skip(S::FIRST_MODE).take(S::MODES);
            let numbers = u.iter().chain(modes).chain([&t]).map(|number| number.lane(lane));
            let (kind, row) = (kind.lane(lane), records.lanes.len());
            let width = action_width::<S, N, P>();
            records.refused = records.actions.push(lane, kind, row, width, numbers).err();
        }
    }

    #[inlined]
    fn forget_actions(&mut self, which: R::Mask) {
        for lane in set_bits(which.to_bitmask()) {
            if let Some(i) = self.io.lanes[lane].checked_sub(self.io.first)
                && let Some(taken) = self.records.taken.get(i)
            {
                self.records.actions.last[lane] = taken.action;
            }
        }
    }

    #[inlined]
    fn event_count(&self, index: usize) -> R::Bits {
        Sink::<R, N, P>::event_count(&self.io, index)
    }

    #[inlined]
    fn set_event_count(&mut self, which: R::Mask, index: usize, count: R::Bits) {
        Sink::<R, N, P>::set_event_count(&mut self.io, which, index, count);
    }

    #[inlined]
    fn set_feature(&mut self, which: R::Mask, index: usize, value: R) {
        Sink::<R, N, P>::set_feature(&mut self.io, which, index, value);
    }

    #[inlined]
    fn set_mode(&mut self, which: R::Mask, index: usize, value: R) {
        Sink::<R, N, P>::set_mode(&mut self.io, which, index, value);
    }

    #[inlined]
    fn logs(&self) -> bool {
        false
    }

    #[inlined]
    fn log_event(&mut self, _: R::Mask, _: R::Bits, _: R, _: R, _: &[R; N], _: &[R; N]) {}

    #[inlined]
    fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>) {
        Sink::<R, N, P>::finish(&mut self.io, done, u, end);
    }
}

/// The source of the backward loop: the recorded trajectories that `io` supplied before.
pub(super) struct RecordedSource<'f, 'a, 'r, 'g, 'b, R: Real, S, L, T: Scalar> {
    pub(super) io: LaneIo<'f, 'a, S, T>,
    pub(super) records: &'r mut StepRecords<R>,
    /// The current row.
    row: usize,
    pub(super) cotangents: &'g RawCotangents<'g, T>,
    pub(super) given: &'g mut GradientSlices<'b, T>,
    pub(super) system: S,
    pub(super) loss: core::marker::PhantomData<L>,
}

impl<'f, 'a, 'r, 'g, 'b, R: Real, S, L, T: Scalar> RecordedSource<'f, 'a, 'r, 'g, 'b, R, S, L, T> {
    /// Creates a source that is positioned behind the last row.
    pub(super) fn new(
        system: S,
        io: LaneIo<'f, 'a, S, T>,
        records: &'r mut StepRecords<R>,
        cotangents: &'g RawCotangents<'g, T>,
        given: &'g mut GradientSlices<'b, T>,
    ) -> Self {
        let row = records.lanes.len();
        let loss = core::marker::PhantomData;
        RecordedSource { io, records, row, cotangents, given, system, loss }
    }

    /// Returns the code of a lane's trajectory.
    #[inlined]
    fn code(&self, lane: usize) -> ReturnCode {
        ReturnCode::from_lane(self.io.results.codes[self.io.lanes[lane]])
    }

    /// Returns whether a lane's trajectory succeeded, so that its derivatives count.
    #[inlined]
    fn counts(&self, lane: usize) -> bool {
        self.code(lane).is_success()
    }

    /// Returns the lanes with a remaining action of their trajectory, if it counts.
    ///
    /// More than `rows` rows of steps precede the action.
    #[inlined]
    fn acts_after(&self, rows: Option<usize>) -> R::Mask {
        let mut acts = 0;
        for lane in 0..R::LANES {
            let i = self.io.lanes[lane];
            if i == IDLE {
                continue;
            }
            let last = self.records.actions.last[lane];
            let remains = last != self.records.taken[i - self.io.first].action;
            let follows = |rows| self.records.actions.marks[last].row > rows;
            if remains && rows.is_none_or(follows) && self.counts(lane) {
                acts |= 1 << lane;
            }
        }
        R::Mask::from_bitmask(acts)
    }
}

fed! {
    impl<'f, 'a, 'r, 'g, 'b, R, S, L, T> RecordedSource<'f, 'a, 'r, 'g, 'b, R, S, L, T> {
        /// Lanes whose trajectories end together here also began them together.
        #[inlined]
        fn should_refill(&mut self, need: R::Mask) -> bool {
            need.any()
        }

        #[inlined]
        fn vote(&mut self, alive: R::Mask) -> bool {
            alive.any()
        }

        #[inlined]
        fn acquire(&mut self, need: R::Mask) -> R::Mask {
            let mut got = 0;
            for lane in set_bits(need.to_bitmask()) {
                // The last trajectory comes first.
                let mut i = self.records.last[lane];
                let left = self.io.lanes[lane];
                if left != IDLE {
                    let Taken { row: start, action, before } =
                        self.records.taken[left - self.io.first];
                    self.records.actions.last[lane] = action;
                    // Remaining steps of a trajectory that failed, or that began anew, must not
                    // count for the lane's previous trajectory.
                    for row in start..self.row {
                        self.records.lanes[row] &= !(1 << lane);
                    }
                    i = before;
                }
                self.io.lanes[lane] = i;
                self.records.last[lane] = IDLE;
                got |= u64::from(i != IDLE) << lane;
            }
            R::Mask::from_bitmask(got)
        }
    }
}

/// Returns the numbers of a recorded action: the state, the modes and the time.
const fn action_width<S: System<N, P>, const N: usize, const P: usize>() -> usize {
    N + S::MODES + 1
}

/// Returns `bits` with `value` in one lane.
#[inlined]
fn with_lane<R: Real>(bits: R::Bits, lane: usize, value: u64) -> R::Bits {
    let mut numbers = R::from_bits(bits);
    numbers.set_lane(lane, R::Scalar::from_bits(<<R::Scalar as Real>::Bits as Bits>::lit(value)));
    numbers.to_bits()
}

impl<R, S, L, T, const N: usize, const P: usize> RecordSource<R, N, P>
    for RecordedSource<'_, '_, '_, '_, '_, R, S, L, T>
where
    S: System<N, P>,
    L: LossSource<S, N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inlined]
    fn load_steps(&self, assigned: R::Mask, steps: R::Bits) -> R::Bits {
        let mut steps = steps;
        for lane in set_bits(assigned.to_bitmask()) {
            let (i, results) = (self.io.lanes[lane], &self.io.results);
            let count = if self.counts(lane) { results.steps[i] - results.rejected[i] } else { 0 };
            steps = with_lane::<R>(steps, lane, u64::from(count));
        }
        steps
    }

    #[inlined]
    fn load_saved(&self, assigned: R::Mask, saved: R::Bits) -> R::Bits {
        let save = &self.io.range.inputs().save;
        let mut saved = saved;
        for lane in set_bits(assigned.to_bitmask()) {
            // A trajectory that reached the end of its span has reached all of its times.
            let i = self.io.index(lane);
            let all = || (0..save.slots()).take_while(|slot| save.get(i, *slot).is_finite());
            let count = if self.counts(lane) { all().count() } else { 0 };
            saved = with_lane::<R>(saved, lane, count as u64);
        }
        saved
    }

    #[inlined]
    fn turn(&mut self) -> R::Mask {
        self.row = self.row.saturating_sub(1);
        R::Mask::from_bitmask(self.records.lanes.get(self.row).copied().unwrap_or(0))
    }

    #[inlined]
    fn step(&self, which: R::Mask, row: &Row<R, N>) -> Row<R, N> {
        let (mut row, at) = (*row, self.row * (N + 3));
        let Some(numbers) = self.records.numbers.get(at..at + N + 3) else { return row };
        for d in 0..N {
            row.u[d] = R::select(which, numbers[d], row.u[d]);
        }
        row.t = R::select(which, numbers[N], row.t);
        row.low = R::select(which, numbers[N + 1], row.low);
        row.h = R::select(which, numbers[N + 2], row.h);
        row
    }

    #[inlined]
    fn acts(&self) -> R::Mask {
        self.acts_after(Some(self.row))
    }

    #[inlined]
    fn acts_before(&self) -> R::Mask {
        self.acts_after(None)
    }

    #[inlined]
    fn time_of_action(&self) -> R {
        let mut time = R::lit(f64::NAN);
        let width = action_width::<S, N, P>();
        for lane in set_bits(RecordSource::<R, N, P>::acts_before(self).to_bitmask()) {
            if let Some((_, numbers)) = self.records.actions.last(lane, width) {
                time.set_lane(lane, numbers[width - 1]);
            }
        }
        time
    }

    #[inlined]
    fn action(&mut self, which: R::Mask, action: &Action<R, N, P>) -> Action<R, N, P> {
        let mut action = *action;
        let width = action_width::<S, N, P>();
        for lane in set_bits(which.to_bitmask()) {
            let Some((mark, numbers)) = self.records.actions.last(lane, width) else { continue };
            let (u, rest) = numbers.split_at(N);
            let (modes, t) = rest.split_at(S::MODES);
            action.kind = with_lane::<R>(action.kind, lane, mark.kind);
            for (to, from) in action.u.iter_mut().zip(u) {
                to.set_lane(lane, *from);
            }
            for (to, from) in action.p.iter_mut().skip(S::FIRST_MODE).zip(modes) {
                to.set_lane(lane, *from);
            }
            action.t.set_lane(lane, t[0]);
            self.records.actions.last[lane] = mark.before;
        }
        action
    }

    #[inlined]
    fn terminated(&self) -> R::Mask {
        let mut ended = 0;
        for lane in 0..R::LANES {
            let has = self.io.lanes[lane] != IDLE;
            ended |= u64::from(has && self.code(lane) == ReturnCode::Terminated) << lane;
        }
        R::Mask::from_bitmask(ended)
    }

    #[inlined]
    fn fail(&mut self, which: R::Mask, code: R::Bits) {
        for lane in set_bits(which.to_bitmask()) {
            self.io.results.codes[self.io.lanes[lane]] = code.lane(lane) as u8;
        }
    }

    #[inlined]
    fn stops(&self) -> bool {
        self.io.settings.stopping
    }

    #[inlined]
    fn load_dt(&self, assigned: R::Mask, dt: R) -> R {
        R::select(assigned, R::lit(self.io.settings.lane.dt.widen()), dt)
    }

    #[inlined]
    fn noise_seed(&self) -> [R::Bits; 2] {
        let [low, high, ..] = self.io.settings.lane.noise;
        [low, high].map(|word| <R::Bits as Bits>::lit(u64::from(word)))
    }

    #[inlined]
    fn noise_levels(&self) -> u32 {
        self.io.settings.lane.noise[2]
    }

    #[inlined]
    fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
        self.io.time(&self.io.range.inputs().save, 0, which, index, t)
    }

    #[inlined]
    fn lose(
        &self,
        which: R::Mask,
        index: R::Bits,
        u: &[R; N],
        p: &[R; P],
        t: R,
    ) -> recorded::Lost<R, N, P> {
        if !L::GIVEN {
            return L::lost::<R>(self.system, u, p, t);
        }
        let zero = R::lit(0.0);
        let mut by_u = [zero; N];
        for lane in set_bits(which.to_bitmask()) {
            let (slot, i) = (index.lane(lane) as usize, self.io.index(lane));
            for d in 0..N {
                by_u[d].set_lane(lane, self.cotangents.saved(slot * N + d, i));
            }
        }
        recorded::lost::<R, N, P>(zero, by_u, [zero; P])
    }

    #[inlined]
    fn load_final(&self, assigned: R::Mask, u: [R; N]) -> [R; N] {
        let mut u = u;
        for lane in set_bits(assigned.to_bitmask()) {
            for d in 0..N {
                let counts = self.counts(lane);
                let i = self.io.index(lane);
                let by = if counts { self.cotangents.last(d, i) } else { T::default() };
                u[d].set_lane(lane, by);
            }
        }
        u
    }

    #[inlined]
    fn finish(&mut self, done: R::Mask, loss: R, back: Back<R, N, P>) {
        for lane in set_bits(done.to_bitmask()) {
            let i = self.io.lanes[lane];
            self.given.loss[i] = loss.lane(lane);
            for d in 0..N {
                self.given.u0[d][i] = back.u[d].lane(lane);
            }
            for d in 0..P {
                self.given.p[d][i] = back.p[d].lane(lane);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StepRecords;

    /// The recorder stops at the first allocation that fails, and the error contains its size.
    #[test]
    fn records_without_memory_are_refused_once() {
        let mut records = StepRecords::<f64>::new();
        assert!(records.reserve(4) && records.refused.is_none());
        records.numbers.resize(records.numbers.capacity(), 0.0);
        assert!(!records.reserve(1 << 58));
        let bytes = ((1 << 58) + records.numbers.len()) * size_of::<f64>();
        assert_eq!(records.refused, Some(bytes));
        assert!(!records.reserve(4));
    }
}
