//! The CPU's [`Source`] and [`Sink`]: a chunk of trajectories and the slices for its results.
//!
//! An idle lane waits until the idle lanes of its group have together waited as long as a change of
//! trajectories costs. The source cannot predict when the other lanes will end. By this rule the
//! lost time is at most twice the least possible one.

use crate::ensemble::lane_results::{self, Ended};
use crate::ensemble::views::Views;
use crate::integrate::options::{End, Sink, Source};
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::problem::inputs::{InputRange, SaveTimes, View};
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::system::System;
use crate::system::facts::Logged;
use ode_macros::inlined;

/// Returns a hash of a word of 64 bits, a permutation of these words.
///
/// The hash is the last part of MurmurHash3 (Appleby, 2011).
fn mixed(word: u64) -> u64 {
    let x = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// An upper bound of the number of lanes of all instruction sets.
pub(crate) const MOST_LANES: usize = 64;

/// The index of a lane without a trajectory.
pub(crate) const IDLE: usize = usize::MAX;

/// The source and sink of the trajectories `next..end` of a chunk, for system `S`.
#[derive(Debug)]
pub(crate) struct LaneIo<'f, 'a, S, T: Scalar> {
    pub(crate) settings: &'f ResolvedOptions<T>,
    pub(crate) range: InputRange<'f, T>,
    pub(crate) views: &'f Views<'f, T>,
    pub(crate) results: &'f mut ResultSlices<'a, T>,
    /// The next trajectory to take, as an index within the chunk.
    pub(crate) next: usize,
    pub(crate) end: usize,
    pub(crate) saves: bool,
    /// The first trajectory that was taken.
    pub(crate) first: usize,
    /// Steps that idle lanes have waited, summed over lanes, and the sum at which they take
    /// trajectories.
    waited: u32,
    patience: u32,
    /// The trajectory of each lane, as an index within the chunk.
    pub(crate) lanes: [usize; MOST_LANES],
    system: S,
}

impl<'f, 'a, S, T: Scalar> LaneIo<'f, 'a, S, T> {
    pub(crate) fn new(
        system: S,
        settings: &'f ResolvedOptions<T>,
        (range, views): (InputRange<'f, T>, &'f Views<'f, T>),
        results: &'f mut ResultSlices<'a, T>,
        part: core::ops::Range<usize>,
    ) -> Self {
        let (next, end, first) = (part.start, part.end, part.start);
        let lanes = [IDLE; MOST_LANES];
        let saves = range.inputs().save.slots() > 0 || settings.step_slots > 0;
        let (waited, patience) = (0, 1);
        LaneIo {
            settings,
            range,
            views,
            results,
            next,
            end,
            saves,
            first,
            waited,
            patience,
            lanes,
            system,
        }
    }
}

impl<S, T: Scalar> LaneIo<'_, '_, S, T> {
    /// Returns `x` with the values of an input in lanes `got`.
    ///
    /// If the input is shared, all lanes contain its value.
    #[inlined]
    fn load<R: Real<Scalar = T>>(&self, column: &View<'_, T>, got: R::Mask, mut x: R) -> R {
        match column {
            View::Shared(value) => return R::lit(value.widen()),
            View::Each(values) => {
                for lane in set_bits(got.to_bitmask()) {
                    x.set_lane(lane, values[self.lanes[lane]]);
                }
            }
        }
        x
    }

    /// Returns the index of a lane's trajectory in the inputs.
    #[inlined]
    pub(crate) fn index(&self, lane: usize) -> usize {
        self.range.indices().start + self.lanes[lane]
    }

    /// Returns `t` with time number `slot` of each trajectory in lanes `which`.
    ///
    /// The `unknown` indices after the known times give NaN.
    #[inlined]
    pub(crate) fn time<R: Real<Scalar = T>>(
        &self,
        times: &SaveTimes<T>,
        unknown: usize,
        which: R::Mask,
        slot: R::Bits,
        t: R,
    ) -> R {
        // One word: a read of the mask as a whole would wait for stores of its parts.
        let lanes = which.to_bitmask();
        R::outline_cold(
            #[inline(always)]
            || {
                let which = R::Mask::from_bitmask(lanes);
                let known_slots = times.slots();
                // Lanes with similar trajectories save at the same time.
                if let (Some(times), Some(slot)) = (times.shared(), common::<R>(which, &slot))
                    && !(known_slots..known_slots + unknown).contains(&slot)
                {
                    let time = times.get(slot).copied().unwrap_or(T::infinity());
                    return R::select(which, R::lit(time.widen()), t);
                }
                let mut t = t;
                for lane in set_bits(lanes) {
                    let slot = slot.lane(lane) as usize;
                    let time = times.get(self.index(lane), slot);
                    let known = !(known_slots..known_slots + unknown).contains(&slot);
                    t.set_lane(lane, if known { time } else { T::nan() });
                }
                t
            },
        )
    }
}

/// Returns the index in lanes `which`, if it is the same one.
#[inlined]
fn common<R: Real>(which: R::Mask, index: &R::Bits) -> Option<usize> {
    let first = set_bits(which.to_bitmask()).next()?;
    let first = index.lane(first);
    let others = which & !index.equals(<R::Bits as Bits>::lit(first));
    (!others.any()).then_some(first as usize)
}

/// Returns the numbers of all lanes, `[component][lane]`.
#[inlined]
fn numbers_of<R: Real, const N: usize>(u: &[R; N]) -> [&[R::Scalar]; N] {
    let mut numbers: [&[R::Scalar]; N] = [&[]; N];
    for d in 0..N {
        numbers[d] = u[d].lanes();
    }
    numbers
}

/// Iterates over the indices of the lanes with set bits.
#[inlined]
pub(crate) fn set_bits(mut bits: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// Operations that run once per trajectory, or once per time to save at, are called functions.
impl<R, S, T, const N: usize, const P: usize> Source<R, N, P> for LaneIo<'_, '_, S, T>
where
    S: System<N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inlined]
    fn should_refill(&mut self, need: R::Mask) -> bool {
        self.waited += need.to_bitmask().count_ones();
        self.waited >= self.patience
    }

    #[inlined]
    fn waits(&self) -> bool {
        R::LANES > 1
    }

    #[inlined]
    fn vote(&mut self, alive: R::Mask) -> bool {
        let alive = alive.to_bitmask().count_ones();
        // Taking trajectories costs about one step of all lanes, so idle lanes wait until their
        // lost steps add up to as much. With fixed steps no lane can wait: such a step does not
        // shrink to zero at the end of a trajectory.
        self.patience = if self.settings.adaptive { alive } else { 1 };
        self.waited = 0;
        alive > 0
    }

    #[inlined]
    fn acquire(&mut self, need: R::Mask) -> R::Mask {
        let mut got = 0;
        for lane in set_bits(need.to_bitmask()) {
            if self.next < self.end {
                self.lanes[lane] = self.next;
                self.next += 1;
                got |= 1 << lane;
            } else {
                self.lanes[lane] = IDLE;
            }
        }
        R::Mask::from_bitmask(got)
    }

    #[inlined]
    fn path_number(&self, t0: R) -> [R::Bits; 2] {
        let (mut low, mut high) = (R::lit(0.0), R::lit(0.0));
        let paths = u64::from(self.settings.lane.noise[3]);
        for lane in 0..R::LANES {
            let number = self.range.numbers().start.wrapping_add(self.lanes[lane] as u64);
            let number = number.checked_rem(paths).unwrap_or(number);
            // The sum turns a negative zero into a positive one.
            let begin = (t0.lane(lane) + T::lit(0.0)).to_bits().lane(0);
            let number = number.wrapping_add(mixed(begin) >> 16) & ((1 << 48) - 1);
            let bits = |half| T::from_bits(<T::Bits as Bits>::lit(half));
            low.set_lane(lane, bits(number & u64::from(u32::MAX)));
            high.set_lane(lane, bits(number >> 32));
        }
        [low.to_bits(), high.to_bits()]
    }

    #[inlined]
    fn load_u(&self, got: R::Mask, u: [R; N]) -> [R; N] {
        R::outline_cold(
            #[inline(always)]
            || {
                let mut u = u;
                for lane in set_bits(got.to_bitmask()) {
                    for d in 0..N {
                        u[d].set_lane(lane, self.views.u0[d].get(self.lanes[lane]));
                    }
                }
                u
            },
        )
    }

    #[inlined]
    fn load_p(&self, got: R::Mask, p: &mut [R; P]) {
        // The outlined function receives a copy, so that the loop need not keep `p` in memory.
        let before = *p;
        *p = R::outline_cold(
            #[inline(always)]
            || {
                let mut p = before;
                for d in 0..P {
                    p[d] = self.load(&self.views.p[d], got, p[d]);
                }
                p
            },
        );
    }

    #[inlined]
    fn load_start(&self, got: R::Mask, t: R) -> R {
        self.load(&self.views.t0, got, t)
    }

    #[inlined]
    fn load_end(&self, got: R::Mask, t: R) -> R {
        self.load(&self.views.t1, got, t)
    }

    #[inlined]
    fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R {
        self.time(&self.range.inputs().stops, 0, which, index, t)
    }
}

impl<R, S, T, const N: usize, const P: usize> Sink<R, N, P> for LaneIo<'_, '_, S, T>
where
    S: System<N, P>,
    T: Scalar,
    R: Real<Scalar = T>,
{
    #[inlined]
    fn saves(&self) -> bool {
        self.saves
    }

    #[inlined]
    fn save_time(&self, which: R::Mask, slot: R::Bits, t: R) -> R {
        self.time(&self.range.inputs().save, self.settings.step_slots, which, slot, t)
    }

    #[inlined]
    fn save(&mut self, which: R::Mask, slot: R::Bits, u: [R; N], p: [R; P], t: R) {
        let row = self.settings.saved;
        let components = self.settings.components.as_deref();
        if self.results.saved.is_empty() {
            return;
        }
        // One word: a read of the mask as a whole would wait for stores of its parts.
        let lanes = which.to_bitmask();
        R::outline_cold(
            #[inline(always)]
            || {
                for lane in set_bits(lanes) {
                    let (first, i) = (slot.lane(lane) as usize * row.width(), self.lanes[lane]);
                    let numbers = &mut self.results.saved[first..][..row.width()];
                    if let Some(chosen) = components {
                        for (number, &d) in numbers.iter_mut().zip(&chosen.states) {
                            number[i] = u[d].lane(lane);
                        }
                    } else if row.states > 0 {
                        for (number, u) in numbers.iter_mut().zip(&u) {
                            number[i] = u.lane(lane);
                        }
                    }
                    if row.times > 0 {
                        numbers[row.width() - 1][i] = t.lane(lane);
                    }
                }
            },
        );
        // A constant for systems without observables.
        if S::OBSERVABLES > 0 && row.observables > 0 {
            R::outline_cold(
                #[inline(always)]
                || {
                    let (saved, places) = (&mut self.results.saved, &self.lanes);
                    self.system.observe::<R>(
                        &u,
                        &p,
                        t,
                        #[inline(always)]
                        |q, value| {
                            let q = match components {
                                Some(chosen) => chosen.observables.iter().position(|&o| o == q),
                                None => Some(q),
                            };
                            let Some(q) = q else { return };
                            for lane in set_bits(lanes) {
                                let slot = slot.lane(lane) as usize;
                                saved[slot * row.width() + row.states + q][places[lane]] =
                                    value.lane(lane);
                            }
                        },
                    );
                },
            );
        }
    }

    /// This sink has no backward pass.
    #[inlined]
    fn record(&mut self, _: R::Mask, _: &[R; N], _: R, _: R, _: R) {}

    #[inlined]
    fn records_actions(&self) -> bool {
        false
    }

    #[inlined]
    fn record_action(&mut self, _: R::Mask, _: usize, _: &[R; N], _: &[R; P], _: R) {}

    #[inlined]
    fn record_mark(&mut self, _: R::Mask, _: R::Bits, _: &[R; N], _: &[R; P], _: R) {}

    #[inlined]
    fn forget_actions(&mut self, _: R::Mask) {}

    #[inlined]
    fn event_count(&self, index: usize) -> R::Bits {
        let mut counts = R::lit(0.0);
        for lane in 0..R::LANES {
            if let Some(&count) = self.results.events[index].get(self.lanes[lane]) {
                counts.set_lane(lane, T::from_bits(<T::Bits as Bits>::lit(u64::from(count))));
            }
        }
        counts.to_bits()
    }

    #[inlined]
    fn set_event_count(&mut self, which: R::Mask, index: usize, count: R::Bits) {
        for lane in set_bits(which.to_bitmask()) {
            if let Some(place) = self.results.events[index].get_mut(self.lanes[lane]) {
                *place = count.lane(lane) as u32;
            }
        }
    }

    #[inlined]
    fn set_feature(&mut self, which: R::Mask, index: usize, value: R) {
        let Some(row) = self.results.features.get_mut(index) else { return };
        for lane in set_bits(which.to_bitmask()) {
            if let Some(feature) = row.get_mut(self.lanes[lane]) {
                *feature = value.lane(lane);
            }
        }
    }

    #[inlined]
    fn set_mode(&mut self, which: R::Mask, index: usize, value: R) {
        let Some(row) = self.results.modes.get_mut(index) else { return };
        for lane in set_bits(which.to_bitmask()) {
            if let Some(mode) = row.get_mut(self.lanes[lane]) {
                *mode = value.lane(lane);
            }
        }
    }

    #[inlined]
    fn logs(&self) -> bool {
        self.settings.lane.log_slots > 0
    }

    #[inlined]
    fn log_event(
        &mut self,
        which: R::Mask,
        slot: R::Bits,
        event: R,
        t: R,
        before: &[R; N],
        after: &[R; N],
    ) {
        R::outline_cold(
            #[inline(always)]
            || {
                if self.results.log.is_empty() {
                    return;
                }
                let (before, after) = (numbers_of(before), numbers_of(after));
                for lane in set_bits(which.to_bitmask()) {
                    let (slot, i) = (slot.lane(lane) as usize, self.lanes[lane]);
                    if i == IDLE || slot >= self.settings.lane.log_slots as usize {
                        continue;
                    }
                    let marks = [t.lane(lane), event.lane(lane)];
                    lane_results::log_event(
                        self.results,
                        self.settings,
                        slot,
                        i,
                        lane,
                        marks,
                        [&before, &after],
                    );
                }
            },
        );
    }

    #[inlined]
    fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>) {
        R::outline_cold(
            #[inline(always)]
            || {
                let states = numbers_of(&u);
                for lane in set_bits(done.to_bitmask()) {
                    let i = self.lanes[lane];
                    if i == IDLE {
                        continue;
                    }
                    let end = Ended {
                        t: end.t.lane(lane),
                        code: end.code.lane(lane) as u8,
                        steps: end.steps.lane(lane) as u32,
                        rejected: end.rejected.lane(lane) as u32,
                        saved: end.saved.lane(lane) as u32,
                        guarded: end.guarded.lane(lane) as u32,
                    };
                    let logged = const { Logged::of::<S, N, P>() };
                    lane_results::finish(
                        self.results,
                        self.settings,
                        logged,
                        i,
                        lane,
                        &states,
                        end,
                    );
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::options;
    use crate::lane::dispatch::{self, InstructionSet, LaneProgram};
    use crate::problem::inputs::Inputs;
    use crate::problem::prepared::PreparedSolve;
    use crate::solution::RawResults;
    use crate::{EnsembleProblem, Layout, OdeProblem, SolveOptions};

    #[ode_macros::ode_system(crate = crate)]
    fn still(_: &[f64; 1]) -> [f64; 1] {
        [0.0]
    }

    /// Takes all trajectories and finishes them, with the lower half of each index as attempted
    /// steps and the upper half as rejected steps. (`tests/support/numbered.rs` has the same for
    /// devices.)
    struct Numbered<'f, 'a, T: Scalar>(LaneIo<'f, 'a, still, T>);

    impl<T: Scalar> LaneProgram<T> for Numbered<'_, '_, T> {
        type Output = ();
        const VECTORS: usize = 2;

        #[inlined]
        fn run<R: Real<Scalar = T>>(self) {
            let Numbered(mut io) = self;
            let io: &mut dyn Both<R> = &mut io;
            let (zero, none) = (R::lit(0.0), R::Bits::lit(0));
            let all = R::Mask::splat(true);
            let mut taken = io.acquire(all);
            while io.vote(taken) {
                let [low, high] = io.path_number(zero);
                io.finish(taken, [zero], options::end(zero, none, low, high, none, none));
                taken = io.acquire(all);
            }
        }
    }

    /// A source and a sink of the system above.
    trait Both<R: Real>: Source<R, 1, 0> + Sink<R, 1, 0> {}
    impl<R: Real, F: Source<R, 1, 0> + Sink<R, 1, 0>> Both<R> for F {}

    fn check<T: Scalar>() {
        // Some of the lower halves are the bits of a NaN in `f32`.
        const FIRST: u64 = (5 << 32) + 0x7f7f_fe00;
        let problem = OdeProblem::new(still, [0.0], 0.0..=1.0, []).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(1500);
        let known = &crate::methods::tsit5::PROPERTIES;
        let inputs = PreparedSolve::new(&ensemble, &SolveOptions::default(), known).unwrap();
        let PreparedSolve { options: settings, inputs: columns } = inputs;
        let columns = Inputs { first: FIRST, ..columns };
        let range = columns.range(FIRST + 200..FIRST + 1203);
        let layout = Layout::new(&settings, &columns);
        for lanes in InstructionSet::available().into_iter().map(Some).chain([None]) {
            let mut raw = RawResults::default();
            raw.fit(&layout, range.len()).unwrap();
            let mut results = ResultSlices::whole(&mut raw, range.len());
            let views = Views::new(range);
            let inputs = (range, &views);
            let io = LaneIo::new(still, &settings, inputs, &mut results, 0..range.len());
            match lanes {
                Some(set) => dispatch::run(set, Numbered(io)),
                None => dispatch::run_scalar(Numbered(io)),
            }
            let halves = raw.rejected.iter().zip(&raw.steps);
            let found = halves.map(|(&high, &low)| u64::from(high) << 32 | u64::from(low));
            assert!(found.eq(range.numbers()), "{lanes:?}");
        }
    }

    /// Each lane returns the index of its trajectory, of 64 bits.
    #[test]
    fn trajectories_have_numbers() {
        check::<f32>();
        check::<f64>();
    }
}
